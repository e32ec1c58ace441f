package bench

import (
	"os"
	"strconv"
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	const fields = " S 1 2 3 0 -1 4194560 100 0 0 0 250 75 0 0 20 0 12 0 1000 1 2\n"
	for _, name := range []string{"(redis-server)", "(a b)", "(:-) S 1 2)"} {
		if got, err := parseStat("42 " + name + fields); got != 3250*time.Millisecond || err != nil {
			t.Errorf("%s: %v, %v; want 3.25 s", name, got, err)
		}
	}
	for _, wrong := range []string{"", "42 (x) S 1", "42 (x) S 1 2 3 0 -1 4194560 100 0 0 0 a b 0"} {
		if _, err := parseStat(wrong); err == nil {
			t.Errorf("%q is read", wrong)
		}
	}
}

func TestParseKilobytes(t *testing.T) {
	status := "Name:\tx\nVmHWM:\t  99 kB\nVmRSS:\t  12 kB\n"
	if got, err := parseKilobytes(status, "VmRSS"); got != 12<<10 || err != nil {
		t.Errorf("%d, %v", got, err)
	}
	if _, err := parseKilobytes("VmRSS: lots", "VmRSS"); err == nil {
		t.Error("lots is a number")
	}
	if _, err := parseKilobytes(status, "VmSwap"); err == nil {
		t.Error("what is not there is read")
	}
}

// TestOwnProcess reads what the kernel says of this very process.
func TestOwnProcess(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("there is no /proc here")
	}
	if _, err := cpuTime("self"); err != nil {
		t.Error(err)
	}
	if n, err := resident(strconv.Itoa(os.Getpid())); n < 1<<20 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
}
