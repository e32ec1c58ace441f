package persistence

import "testing"

func TestJudge(t *testing.T) {
	for _, test := range []struct {
		name    string
		found   findings
		damaged bool
	}{
		{"the last write is not whole", findings{offset: 1000}, false},
		{"it is where the synced part ends", findings{offset: 1000, synced: 1000}, false},
		{"it had been synced", findings{offset: 999, synced: 1000}, true},
		{"records follow", findings{offset: 1000, follows: 1100}, true},
		{"records follow a hole", findings{offset: 1000, follows: 2100, hole: true}, false},
		{"records follow a hole where it had been synced", findings{offset: 1000, follows: 2100, hole: true, synced: 2000}, true},
	} {
		if v := judge(test.found); v.damaged != test.damaged || v.reason == "" {
			t.Errorf("%s: %+v", test.name, v)
		}
	}
}
