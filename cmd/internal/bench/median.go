package bench

import "slices"

// A Sample is several measurements of one thing.
type Sample struct {
	Median float64 `json:"median"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
}

// sample summarizes values: the middle one, or what is between the middle two.
func sample(values []float64) Sample {
	if len(values) == 0 {
		return Sample{}
	}
	v := slices.Sorted(slices.Values(values))
	return Sample{Median: (v[(len(v)-1)/2] + v[len(v)/2]) / 2, Low: v[0], High: v[len(v)-1]}
}

// Spread is how far apart the measurements are, as a part of the median.
func (s Sample) Spread() float64 { return ratio(s.High-s.Low, s.Median) }

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
