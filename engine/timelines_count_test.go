package engine

// The time lines of what counts, worked out by hand from the contract. Each event:
// at, the numbers, the cost → limited, remaining, retry_after, reset_after.
var countTimelines = map[string][]timeline{
	"fixed-window": {
		{"a count that starts again", "2024-01-01T00:00:00Z", []event{
			{0 * s, "3 60", 1, answer{ok, 2, Never, 60 * s}},
			{59 * s, "3 60", 2, answer{ok, 0, Never, 1 * s}},
			{59 * s, "3 60", 1, answer{no, 0, 1 * s, 1 * s}},
			{60*s - ns, "3 60", 0, answer{no, 0, 1 * ns, 1 * ns}},
			{60 * s, "3 60", 0, answer{ok, 3, Never, 0}},
			{60 * s, "3 60", 3, answer{ok, 0, Never, 60 * s}},
			{61 * s, "3 60", 4, answer{no, 0, Never, 59 * s}},
			{61 * s, "3 60", -2, answer{ok, 2, Never, 59 * s}},
			{61 * s, "3 60", -9, answer{ok, 3, Never, 0}},
		}},
		{"changed numbers", "2024-01-01T00:00:00Z", []event{
			{0 * s, "5 10", 4, answer{ok, 1, Never, 10 * s}},
			{1 * s, "2 10", 1, answer{no, 0, 9 * s, 9 * s}},
			{1 * s, "9 10", 1, answer{ok, 4, Never, 9 * s}},
			{1 * s, "9 20", 0, answer{ok, 9, Never, 0}}, // another length starts afresh
			{1 * s, "9 10", 0, answer{ok, 4, Never, 9 * s}},
			{1 * s, "9 20", 1, answer{ok, 8, Never, 19 * s}},
			{1 * s, "9 10", 0, answer{ok, 9, Never, 0}},
			{12 * s, "9 20", 0, answer{ok, 8, Never, 8 * s}},
			{1 * s, "9 20", 0, answer{ok, 8, Never, 19 * s}}, // set back: until the window's end
			{-5 * s, "9 20", 9, answer{no, 8, 5 * s, 5 * s}}, // counts on in an earlier one
		}},
		{"day and month in a leap year", "2024-02-28T23:59:59Z", []event{
			{0 * s, "1 day", 1, answer{ok, 0, Never, 1 * s}},
			{1 * s, "1 day", 1, answer{ok, 0, Never, 1 * d}},
			{1 * s, "1 month", 1, answer{ok, 0, Never, 1 * d}}, // 29 February
			{1*s + d - ns, "1 month", 1, answer{no, 0, 1 * ns, 1 * ns}},
			{1*s + d, "1 month", 1, answer{ok, 0, Never, 31 * d}},
		}},
		{"week and year", "2024-12-29T12:00:00Z", []event{ // a Sunday
			{0 * h, "1 week", 1, answer{ok, 0, Never, 12 * h}},
			{12 * h, "1 week", 1, answer{ok, 0, Never, 7 * d}},
			{12 * h, "1 year", 1, answer{ok, 0, Never, 2 * d}},
			{12*h + 2*d - ns, "1 year", 1, answer{no, 0, 1 * ns, 1 * ns}},
			{12*h + 2*d, "1 year", 1, answer{ok, 0, Never, 365 * d}},
		}},
	},
	"sliding-window": {
		{"the older count fades", "2024-01-01T00:00:00Z", []event{
			{0 * s, "10 10", 10, answer{ok, 0, Never, 20 * s}},
			{0 * s, "10 10", 1, answer{no, 0, 11 * s, 20 * s}}, // 10·(10−1)/10 in the next window
			{10 * s, "10 10", 0, answer{no, 0, 1 * s, 10 * s}},
			{11*s - ns, "10 10", 1, answer{no, 0, 1 * ns, 9*s + ns}},
			{11 * s, "10 10", 1, answer{ok, 0, Never, 19 * s}},
			{12 * s, "10 10", 2, answer{no, 1, 1 * s, 18 * s}},
			{15 * s, "10 10", 2, answer{ok, 2, Never, 15 * s}},
			{15 * s, "10 10", 11, answer{no, 2, Never, 15 * s}},
			{15 * s, "10 10", -4, answer{ok, 5, Never, 5 * s}}, // 3 of this window, 1 of the last: 9/2 left
			{15 * s, "10 10", -99, answer{ok, 10, Never, 0}},
		}},
		{"changed numbers", "2024-01-01T00:00:00Z", []event{
			{0 * s, "4 10", 4, answer{ok, 0, Never, 20 * s}},
			{1 * s, "6 10", 1, answer{ok, 1, Never, 19 * s}},
			{1 * s, "6 5", 0, answer{ok, 6, Never, 0}}, // another length starts afresh
			{1 * s, "2 10", 1, answer{no, 0, 17 * s, 19 * s}},
			{20*s - ns, "6 10", 0, answer{ok, 5, Never, 1 * ns}},
			{20 * s, "6 10", 0, answer{ok, 6, Never, 0}},
		}},
		{"clock set back", "2024-01-01T00:00:00Z", []event{
			{0 * s, "4 10", 4, answer{ok, 0, Never, 20 * s}},
			{12 * s, "4 10", 1, answer{no, 0, 500 * ms, 8 * s}}, // 4·8/10
			{11 * s, "4 10", 1, answer{no, 0, 1500 * ms, 9 * s}},
			{9 * s, "4 10", 1, answer{no, 0, 3500 * ms, 11 * s}}, // as if taken in that window
		}},
	},
	"sliding-log": {
		{"every unit for one window", "", []event{
			{0 * s, "3 10", 1, answer{ok, 2, Never, 10 * s}},
			{4 * s, "3 10", 2, answer{ok, 0, Never, 10 * s}},
			{5 * s, "3 10", 1, answer{no, 0, 5 * s, 9 * s}},
			{5 * s, "3 10", 3, answer{no, 0, 9 * s, 9 * s}},
			{5 * s, "3 10", 4, answer{no, 0, Never, 9 * s}},
			{10*s - ns, "3 10", 1, answer{no, 0, 1 * ns, 4*s + ns}},
			{10 * s, "3 10", 1, answer{ok, 0, Never, 10 * s}}, // one window old: no longer counts
			{10 * s, "3 10", -2, answer{ok, 2, Never, 4 * s}}, // the newest go
			{11 * s, "3 5", 0, answer{ok, 3, Never, 0}},
			{11 * s, "3 10", 0, answer{ok, 2, Never, 3 * s}},
			{11 * s, "3 5", 1, answer{ok, 2, Never, 5 * s}},
			{2 * s, "3 5", 3, answer{no, 2, 5 * s, 5 * s}}, // set back: as far as before
			{7 * s, "3 5", 3, answer{ok, 0, Never, 5 * s}},
		}},
	},
}
