package engine

// The time lines of what drains, worked out by hand from the contract. Each event:
// at, the numbers, the cost → limited, remaining, retry_after, reset_after.
var flowTimelines = map[string][]timeline{
	"gcra": {
		{"burst, then one a second", "", []event{
			{0 * s, "2 1 1", 1, answer{ok, 2, Never, 1 * s}},
			{0 * s, "2 1 1", 2, answer{ok, 0, Never, 3 * s}},
			{0 * s, "2 1 1", 1, answer{no, 0, 1 * s, 3 * s}},
			{1*s - ns, "2 1 1", 1, answer{no, 0, 1 * ns, 2*s + ns}},
			{1 * s, "2 1 1", 1, answer{ok, 0, Never, 3 * s}},
			{1 * s, "2 1 1", 4, answer{no, 0, Never, 3 * s}}, // more than the limit
			{2500 * ms, "2 1 1", 2, answer{no, 1, 500 * ms, 1500 * ms}},
			{3 * s, "2 1 1", 2, answer{ok, 0, Never, 3 * s}},
			{6*s - ns, "2 1 1", 0, answer{ok, 2, Never, 1 * ns}},
			{6 * s, "2 1 1", 0, answer{ok, 3, Never, 0}},
		}},
		{"thirds of a second keep their fractions", "", []event{
			{0, "0 3 1", 1, answer{ok, 0, Never, 333_333_334 * ns}},
			{333_333_333 * ns, "0 3 1", 1, answer{no, 0, 1 * ns, 1 * ns}},
			{333_333_334 * ns, "0 3 1", 1, answer{ok, 0, Never, 333_333_334 * ns}},
			{0, "2 3 1", 2, answer{ok, 0, Never, 1 * s}}, // set back: as far from its TAT as before
			{1*s - ns, "2 3 1", 3, answer{no, 2, 1 * ns, 1 * ns}},
			{1 * s, "2 3 1", 3, answer{ok, 0, Never, 1 * s}},
		}},
		{"looks, refunds and changed numbers", "", []event{
			{0 * s, "4 1 1", -9, answer{ok, 5, Never, 0}}, // nothing to give back
			{0 * s, "4 1 1", 5, answer{ok, 0, Never, 5 * s}},
			{0 * s, "4 1 1", 0, answer{ok, 0, Never, 5 * s}},     // a look is limited only
			{0 * s, "2 1 1", 0, answer{no, 0, 2 * s, 5 * s}},     // beyond the burst
			{0 * s, "4 1 1", -2, answer{ok, 2, Never, 3 * s}},    // back to 3 used
			{0 * s, "9 2 1", 1, answer{ok, 3, Never, 3500 * ms}}, // the TAT stays: 7 half seconds
			{0 * s, "0 1 10", 1, answer{no, 0, 3500 * ms, 3500 * ms}},
			{3500 * ms, "0 1 10", 1, answer{ok, 0, Never, 10 * s}},
			{3500 * ms, "0 1 10", -1, answer{ok, 1, Never, 0}},
		}},
	},
	"token-bucket": {
		{"starts full, refills continuously", "", []event{
			{0 * s, "3 0.5", 1, answer{ok, 2, Never, 2 * s}},
			{0 * s, "3 0.5", 2, answer{ok, 0, Never, 6 * s}},
			{0 * s, "3 0.5", 1, answer{no, 0, 2 * s, 6 * s}},
			{2*s - ns, "3 0.5", 1, answer{no, 0, 1 * ns, 4*s + ns}},
			{2 * s, "3 0.5", 0, answer{ok, 1, Never, 4 * s}},
			{2 * s, "3 0.5", 1, answer{ok, 0, Never, 6 * s}},
			{2 * s, "3 0.5", 4, answer{no, 0, Never, 6 * s}}, // more than the capacity
			{5 * s, "3 0.5", 2, answer{no, 1, 1 * s, 3 * s}},
			{8*s - ns, "3 0.5", 0, answer{ok, 2, Never, 1 * ns}},
			{8 * s, "3 0.5", 3, answer{ok, 0, Never, 6 * s}},
		}},
		{"MAXWAIT reserves, later callers queue", "", []event{
			{0 * s, "2 1", 2, answer{ok, 0, Never, 2 * s}},
			{0 * s, "2 1 MAXWAIT 999ms", 1, answer{no, 0, 1 * s, 2 * s}},
			{0 * s, "2 1 MAXWAIT 1s", 1, answer{ok, 0, 1 * s, 3 * s}}, // below zero
			{0 * s, "2 1 MAXWAIT 3s", 2, answer{ok, 0, 3 * s, 5 * s}}, // behind it
			{0 * s, "2 1 MAXWAIT 3s", 0, answer{no, 0, 4 * s, 5 * s}}, // a look looks with it
			{0 * s, "2 1 MAXWAIT 4s", 0, answer{ok, 0, 4 * s, 5 * s}},
			{3 * s, "2 1", 1, answer{no, 0, 1 * s, 2 * s}},
			{3 * s, "2 1", -3, answer{ok, 2, Never, 0}}, // given back, not past full
			{3 * s, "2 1 MAXWAIT 9s", 3, answer{no, 2, Never, 0}},
		}},
		{"other numbers restate what was used", "", []event{
			{0 * s, "10 1", 8, answer{ok, 2, Never, 8 * s}},
			{1 * s, "10 0.1", 0, answer{ok, 3, Never, 70 * s}},      // a look does not
			{2 * s, "10 0.1", 5, answer{no, 4, 10 * s, 60 * s}},     // a refusal does: 6 at 0.1
			{12 * s, "10 0.1", 5, answer{ok, 0, Never, 100 * s}},    // 5 + 5
			{12 * s, "20 10", 1, answer{ok, 9, Never, 1100 * ms}},   // raised
			{12 * s, "4 10", 1, answer{no, 0, 800 * ms, 1100 * ms}}, // lowered: 11 are used
			{12800 * ms, "4 10", 1, answer{ok, 0, Never, 400 * ms}},
			{2 * s, "4 10", 1, answer{no, 0, 100 * ms, 400 * ms}}, // set back: no nearer, no further
		}},
	},
	"leaky-bucket": {
		{"one is served, the others wait their turn", "", []event{
			{0 * s, "2 0.5", 1, answer{ok, 2, Never, 2 * s}},
			{0 * s, "2 0.5", 0, answer{ok, 2, 2 * s, 2 * s}},
			{0 * s, "2 0.5", 1, answer{ok, 1, 2 * s, 4 * s}},
			{0 * s, "2 0.5", 2, answer{no, 1, 2 * s, 4 * s}},
			{0 * s, "2 0.5", 1, answer{ok, 0, 4 * s, 6 * s}},
			{0 * s, "2 0.5", 4, answer{no, 0, Never, 6 * s}},
			{2*s - ns, "2 0.5", 1, answer{no, 0, 1 * ns, 4*s + ns}},
			{2 * s, "2 0.5", 1, answer{ok, 0, 4 * s, 6 * s}},
			{2 * s, "2 0.5", -2, answer{ok, 2, Never, 2 * s}},
			{2 * s, "2 1", 1, answer{ok, 1, 1 * s, 2 * s}}, // restated at 1 a second
			{1 * s, "2 1", 0, answer{ok, 1, 2 * s, 2 * s}}, // set back
			{3 * s, "2 1", 0, answer{ok, 3, Never, 0}},
		}},
	},
}
