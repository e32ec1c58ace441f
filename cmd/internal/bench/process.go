package bench

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// clockTick is the unit of times in /proc: Linux shows a hundred a second to
// programs, whatever it counts itself.
const clockTick = 10 * time.Millisecond

// cpuTime is what a process has used of the CPU, itself and for it the kernel. The
// process is a pid, or "self".
func cpuTime(process string) (time.Duration, error) {
	stat, err := os.ReadFile("/proc/" + process + "/stat")
	if err != nil {
		return 0, err
	}
	return parseStat(string(stat))
}

// parseStat reads the 14th and the 15th field. The second is the program's name in
// parentheses, which may hold anything: fields count from the last parenthesis.
func parseStat(stat string) (time.Duration, error) {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0, fmt.Errorf("%.40q is no /proc/PID/stat", stat)
	}
	var ticks int64
	for _, field := range fields[11:13] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("/proc/PID/stat: %w", err)
		}
		ticks += n
	}
	return time.Duration(ticks) * clockTick, nil
}

// resident is the memory that a process has, in bytes.
func resident(process string) (int64, error) {
	status, err := os.ReadFile("/proc/" + process + "/status")
	if err != nil {
		return 0, err
	}
	return parseKilobytes(string(status), "VmRSS")
}

// parseKilobytes reads "VmRSS:  1234 kB" out of /proc/PID/status or /proc/meminfo.
func parseKilobytes(status, name string) (int64, error) {
	for line := range strings.Lines(status) {
		field, value, _ := strings.Cut(line, ":")
		if field == name {
			kilobytes, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			return kilobytes << 10, err
		}
	}
	return 0, fmt.Errorf("no %s there", name)
}
