package engine

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestClockRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewClock()
		start := Instant(time.Now().UnixNano())
		shows := func(want Instant) {
			t.Helper()
			if got := c.Now(); got != want {
				t.Errorf("shows %d, want %d", got, want)
			}
		}
		shows(start)
		time.Sleep(time.Minute)
		shows(start + Instant(time.Minute))
		c.Advance(time.Hour)
		time.Sleep(time.Second)
		shows(start + Instant(time.Hour+time.Minute+time.Second)) // still running
		c.Stop(5)
		time.Sleep(time.Second)
		shows(5)
		c.Advance(2)
		shows(7)
		c.Advance(-3)
		shows(4)
		c.Real()
		shows(Instant(time.Now().UnixNano()))
		time.Sleep(time.Second)
		shows(Instant(time.Now().UnixNano()))
	})
}

// No hand moves the clock out of 0 … MaxInstant.
func TestClockStaysInBounds(t *testing.T) {
	const longest = time.Duration(1<<63 - 1)
	for _, tt := range []struct {
		name string
		move func(*Clock)
		want Instant
	}{
		{"stop below", func(c *Clock) { c.Stop(-1) }, 0},
		{"stop above", func(c *Clock) { c.Stop(MaxInstant + 1) }, MaxInstant},
		{"advance below", func(c *Clock) { c.Stop(5); c.Advance(-6) }, 0},
		{"advance far below", func(c *Clock) { c.Stop(MaxInstant); c.Advance(-longest - 1) }, 0},
		{"advance above", func(c *Clock) { c.Stop(MaxInstant); c.Advance(1) }, MaxInstant},
		{"advance far above", func(c *Clock) { c.Stop(MaxInstant); c.Advance(longest) }, MaxInstant},
		{"advance the real one far above", func(c *Clock) { c.Advance(longest); c.Stop(c.Now() / 1e18 * 1e18) }, MaxInstant / 1e18 * 1e18},
		{"advance the real one far below", func(c *Clock) { c.Advance(-longest - 1); c.Stop(c.Now() / 1e18 * 1e18) }, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := NewClock()
			tt.move(c)
			if got := c.Now(); got != tt.want {
				t.Errorf("shows %d, want %d", got, tt.want)
			}
		})
	}
}

func TestClockNeverRunsBack(t *testing.T) {
	c := NewClock()
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for last := c.Now(); ; {
				now := c.Now()
				if now < last {
					t.Errorf("%d after %d", now, last)
				}
				if last = now; now > 3000*Instant(time.Hour)+Instant(c.start.UnixNano()) {
					return
				}
			}
		})
	}
	for range 3001 {
		c.Advance(time.Hour)
	}
	readers.Wait()
}
