package engine

import (
	"errors"
	"math"
	"math/big"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestParseDecimals(t *testing.T) {
	for _, tt := range []struct {
		text   string
		micros Micros
		ok     bool
	}{
		{"0", 0, true}, {"1", 1_000_000, true}, {"0.5", 500_000, true}, {"12.345678", 12_345_678, true},
		{"0.000001", 1, true}, {"007.10", 7_100_000, true}, {"1000000000", MaxRate * 1_000_000, true},
		{"9223372036854.775807", math.MaxInt64, true}, {"9223372036854.775808", 0, false},
		{"18446744073709551617", 0, false}, {"0.0000001", 0, false}, {"1.0000000", 0, false},
		{"", 0, false}, {".", 0, false}, {".5", 0, false}, {"5.", 0, false}, {"1..2", 0, false}, {"1.2.3", 0, false},
		{"-1", 0, false}, {"+1", 0, false}, {"1e3", 0, false}, {"0x1", 0, false}, {" 1", 0, false}, {"1\x00", 0, false},
		{"nan", 0, false}, {"inf", 0, false}, {"1,5", 0, false}, {"１", 0, false},
	} {
		if got, ok := ParseMicros([]byte(tt.text)); ok != tt.ok || ok && got != tt.micros {
			t.Errorf("%q: %d %v, want %d %v", tt.text, got, ok, tt.micros, tt.ok)
		}
	}
}

func TestParseWindows(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Window
		ok   bool
	}{
		{"60", 60_000, true}, {"0.5", 500, true}, {"0.0005", 0, false}, {"500ms", 500, true}, {"0.5ms", 0, false},
		{"90s", 90_000, true}, {"1m", 60_000, true}, {"1.5h", 5_400_000, true}, {"1d", Day, true}, {"366d", 366 * Day, true},
		{"0.000001h", 0, false}, {"0.00025d", 21_600, true}, {"9000000000000d", math.MaxInt64, true},
		{"1w", 0, false}, {"1 s", 0, false}, {"s", 0, false}, {"", 0, false}, {"1S", 0, false}, {"-1", 0, false},
		{"1mss", 0, false}, {"1sms", 0, false}, {"week", 0, false},
	} {
		if got, ok := ParseWindow([]byte(tt.text)); ok != tt.ok || ok && got != tt.want {
			t.Errorf("%q: %d %v, want %d %v", tt.text, got, ok, tt.want, tt.ok)
		}
	}
	for text, want := range map[string]Window{"day": Day, "week": Week, "month": Month, "year": Year, "2s": 2000} {
		if got, ok := ParseCalendarWindow([]byte(text)); !ok || got != want {
			t.Errorf("%q: %d %v", text, got, ok)
		}
	}
}

// limitErrors is a call of each constructor at and past each of its bounds.
var limitErrors = []struct {
	name string
	make func() (Limit, error)
	want string // or "" for none
}{
	{"gcra", func() (Limit, error) { return GCRALimit(0, 1, MaxFill) }, ""},
	{"gcra burst", func() (Limit, error) { return GCRALimit(-1, 1, 1) }, "max_burst must be between 0 and 1000000000000"},
	{"gcra most", func() (Limit, error) { return GCRALimit(MaxUnits, MaxUnits, time.Second) }, ""},
	{"gcra burst more", func() (Limit, error) { return GCRALimit(MaxUnits+1, 1, 1) }, "max_burst must be between 0 and 1000000000000"},
	{"gcra count", func() (Limit, error) { return GCRALimit(1, 0, 1) }, "count must be between 1 and 1000000000000"},
	{"gcra period", func() (Limit, error) { return GCRALimit(1, 1, 0) }, "period must be between 1 and 3155760000"},
	{"gcra period more", func() (Limit, error) { return GCRALimit(0, 1, MaxFill+1) }, "period must be between 1 and 3155760000"},
	{"gcra fill", func() (Limit, error) { return GCRALimit(1, 2, MaxFill) }, ""},
	{"gcra fill more", func() (Limit, error) { return GCRALimit(2, 2, MaxFill) }, "max_burst would take more than 100 years to come back at this rate"},
	{"tokens", func() (Limit, error) { return TokenBucketLimit(1, 1) }, ""},
	{"tokens none", func() (Limit, error) { return TokenBucketLimit(0, 1) }, "capacity must be between 1 and 1000000000000"},
	{"tokens most", func() (Limit, error) { return TokenBucketLimit(MaxUnits, MaxRate*1_000_000) }, ""},
	{"tokens rate", func() (Limit, error) { return TokenBucketLimit(1, 0) }, "refill_per_second must be between 0.000001 and 1000000000"},
	{"tokens rate more", func() (Limit, error) { return TokenBucketLimit(1, MaxRate*1_000_000+1) }, "refill_per_second must be between 0.000001 and 1000000000"},
	{"tokens fill", func() (Limit, error) { return TokenBucketLimit(3155, 1) }, ""},
	{"tokens fill more", func() (Limit, error) { return TokenBucketLimit(3156, 1) }, "capacity would take more than 100 years to come back at this rate"},
	{"queue", func() (Limit, error) { return LeakyBucketLimit(0, 1) }, ""},
	{"queue none", func() (Limit, error) { return LeakyBucketLimit(-1, 1) }, "capacity must be between 0 and 1000000000000"},
	{"queue rate", func() (Limit, error) { return LeakyBucketLimit(0, 0) }, "leak_per_second must be between 0.000001 and 1000000000"},
	{"window", func() (Limit, error) { return WindowLimit(1, 1) }, ""},
	{"window longest", func() (Limit, error) { return WindowLimit(MaxUnits, 366*Day) }, ""},
	{"window longer", func() (Limit, error) { return WindowLimit(1, 366*Day+1) }, "window must be between 1ms and 366d"},
	{"window none", func() (Limit, error) { return WindowLimit(1, 0) }, "window must be between 1ms and 366d"},
	{"window year", func() (Limit, error) { return WindowLimit(1, Year) }, ""},
	{"window no calendar's", func() (Limit, error) { return WindowLimit(1, Year-1) }, "window must be between 1ms and 366d"},
	{"window limit", func() (Limit, error) { return WindowLimit(MaxUnits+1, 1) }, "limit must be between 1 and 1000000000000"},
	{"log", func() (Limit, error) { return LogLimit(MaxLogUnits, 366*Day) }, ""},
	{"log limit", func() (Limit, error) { return LogLimit(MaxLogUnits+1, 1) }, "limit must be between 1 and 100000"},
	{"log week", func() (Limit, error) { return LogLimit(1, Week) }, "window must be between 1ms and 366d"},
}

func TestLimitsRefuseWhatIsOutOfBounds(t *testing.T) {
	for _, tt := range limitErrors {
		t.Run(strings.ReplaceAll(tt.name, " ", "_"), func(t *testing.T) {
			l, err := tt.make()
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != tt.want || (err == nil) != (l.Max > 0) {
				t.Errorf("got %q and %+v, want %q", got, l, tt.want)
			}
			var bounds RangeError
			var fill FillError
			if err != nil && !errors.As(err, &bounds) && !errors.As(err, &fill) {
				t.Errorf("%T is neither a RangeError nor a FillError", err)
			}
		})
	}
}

var decimal = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)

// scaled is a decimal times a scale, if it has at most so many places and the
// digits that count, scaled to all the places, fit 63 bits.
func scaled(text string, places int, scale int64) (*big.Rat, bool) {
	_, fraction, _ := strings.Cut(text, ".")
	if !decimal.MatchString(text) || len(fraction) > places {
		return nil, false
	}
	r, _ := new(big.Rat).SetString(text)
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
	if digits := times(r, new(big.Rat).SetInt(unit)); !digits.Num().IsInt64() {
		return nil, false
	}
	return times(r, ratio(scale)), true
}

var decimals = []string{"0", "1", "60", "0.5", "0.000001", "0.000000001", "1000000000", "9223372036.854775807",
	"9223372036854.775807", "9223372036854.775808", "99999999999999999999", "00", "", ".", "1.", ".1", "1.2.3", "-1", "1e9", "0x10", " 1"}

func fuzzDecimals(f *testing.F, places int, parse func([]byte) (int64, bool)) {
	for _, text := range decimals {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := parse([]byte(text))
		want, wantOK := scaled(text, places, int64(math.Pow10(places)))
		if ok != wantOK || ok && want.Cmp(ratio(got)) != 0 {
			t.Errorf("%q: %d %v, want %v %v", text, got, ok, want, wantOK)
		}
	})
}

func FuzzParseMicros(f *testing.F) {
	fuzzDecimals(f, 6, func(text []byte) (int64, bool) { m, ok := ParseMicros(text); return int64(m), ok })
}

func FuzzParseSeconds(f *testing.F) {
	fuzzDecimals(f, 9, func(text []byte) (int64, bool) { d, ok := ParseSeconds(text); return int64(d), ok })
}

func FuzzParseWindow(f *testing.F) {
	for _, text := range decimals {
		for _, suffix := range []string{"", "ms", "s", "m", "h", "d", "w", "day"} {
			f.Add(text + suffix)
		}
	}
	inMilliseconds := map[string]int64{"": 1000, "ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
	f.Fuzz(func(t *testing.T, text string) {
		number := strings.TrimRightFunc(text, func(r rune) bool { return r >= 'a' })
		unit, known := inMilliseconds[text[len(number):]]
		want, wantOK := scaled(number, 6, unit)
		got, ok := ParseWindow([]byte(text))
		if wantOK && known && want.Cmp(ratio(math.MaxInt64)) > 0 {
			if ok && got != math.MaxInt64 { // longer than all time: refused by any bounds
				t.Errorf("%q: %d, want the longest or none", text, got)
			}
			return
		}
		wantOK = wantOK && known && want.IsInt()
		if ok != wantOK || ok && want.Cmp(ratio(int64(got))) != 0 {
			t.Errorf("%q: %d %v, want %v %v", text, got, ok, want, wantOK)
		}
	})
}
