package bench

import "time"

// A Plan is how thoroughly the report measures.
type Plan struct {
	Rounds      int
	Duration    time.Duration // of one measurement
	Warmup      time.Duration
	Connections int
	Keys        int
	Depths      []int
	Few, Many   int     // keys whose bytes are measured
	Rate        float64 // of the latencies, calls a second
	RedisCell   string  `json:"-"` // file of that module, "" where there is none
}

// FullPlan takes some ten minutes on two cores.
func FullPlan() Plan {
	return Plan{Rounds: 3, Duration: time.Second, Warmup: 200 * time.Millisecond, Connections: 50, Keys: 1_000_000,
		Depths: []int{1, 16, 64}, Few: 1_000_000, Many: 10_000_000, Rate: 20_000}
}

// QuickPlan takes a minute, and is good to see that everything works.
func QuickPlan() Plan {
	p := FullPlan()
	p.Duration, p.Warmup, p.Keys = 200*time.Millisecond, 50*time.Millisecond, 100_000
	p.Few, p.Many = 100_000, 1_000_000
	return p
}

func (p Plan) load(workload string) Load {
	w, err := Find(workload)
	if err != nil {
		panic("bench: the plan has a workload that there is not: " + err.Error())
	}
	return Load{Workload: w, Connections: p.Connections, Depth: 1, Threads: 1, Keys: p.Keys, Spread: Uniform,
		Warmup: p.Warmup, Duration: p.Duration}
}
