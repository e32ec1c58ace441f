package bench

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// stay keeps this thread to the first so many cores, if any are named.
func stay(cores int) error {
	if cores == 0 {
		return nil
	}
	var set unix.CPUSet
	for i := range cores {
		set.Set(i)
	}
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("can't stay on %d cores: %w", cores, err)
	}
	return nil
}
