package engine

import (
	"testing"
	"time"
)

func refused(wait time.Duration) Decision { return Decision{Limited: true, RetryAfter: wait} }
func granted(wait time.Duration) Decision { return Decision{RetryAfter: wait} }

// The longest wait decides, a hopeless one before all others, the first of equals.
func TestDeciding(t *testing.T) {
	for _, tt := range []struct {
		name      string
		decisions []Decision
		back      int // the part that gives units back, if not 0
		deciding  int
		wait      time.Duration
	}{
		{"all granted", []Decision{granted(Never), granted(Never)}, 0, -1, Never},
		{"a wait ahead", []Decision{granted(Never), granted(3), granted(2)}, 0, -1, 3},
		{"one refuses", []Decision{granted(9), refused(3), granted(Never)}, 0, 1, 3},
		{"the longest", []Decision{refused(3), refused(5), refused(4)}, 0, 1, 5},
		{"the first of equals", []Decision{granted(Never), refused(5), refused(5)}, 0, 1, 5},
		{"never before the longest", []Decision{refused(3), refused(Never), refused(5)}, 0, 1, Never},
		{"never at first", []Decision{refused(Never), refused(5)}, 0, 0, Never},
		{"the first never", []Decision{refused(5), refused(Never), refused(Never)}, 0, 1, Never},
		{"a look of who gives back", []Decision{refused(3), refused(5)}, 1, 0, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			calls := make([]Call, len(tt.decisions))
			if tt.back > 0 {
				calls[tt.back].Cost = -1
			}
			if i, wait := Deciding(calls, tt.decisions); i != tt.deciding || wait != tt.wait {
				t.Errorf("%d, %v; not %d, %v", i, wait, tt.deciding, tt.wait)
			}
		})
	}
}
