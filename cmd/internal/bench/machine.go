package bench

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// A Machine is where a report was made: what matters for speed, and no names.
type Machine struct {
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`
	Memory int64  `json:"memory_bytes"`
	Linux  string `json:"linux"`
	Go     string `json:"go"`
	Redis  string `json:"redis"`
	Sluice string `json:"sluice"`
	// Busy is how many processes wanted a core when the measurement began, on average
	// of a minute: where it is near the number of cores, the numbers are not to be trusted.
	Busy float64 `json:"busy"`
}

func thisMachine(version string) (Machine, error) {
	m := Machine{Cores: runtime.NumCPU(), Go: runtime.Version(), Sluice: version}
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return m, err
	}
	m.CPU = cpuModel(string(info))
	meminfo, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return m, err
	}
	if m.Memory, err = parseKilobytes(string(meminfo), "MemTotal"); err != nil {
		return m, err
	}
	release, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return m, err
	}
	m.Linux = numeric(strings.TrimSpace(string(release)))
	loadavg, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return m, err
	}
	if _, err := fmt.Sscan(string(loadavg), &m.Busy); err != nil {
		return m, fmt.Errorf("/proc/loadavg: %w", err)
	}
	redis, err := exec.Command("redis-server", "--version").Output()
	if err != nil {
		return m, fmt.Errorf("redis-server, with which all is compared: %w", err)
	}
	m.Redis = redisVersion(string(redis))
	return m, nil
}

// cpuModel is the model of the first core.
func cpuModel(cpuinfo string) string {
	for lines := bufio.NewScanner(strings.NewReader(cpuinfo)); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// numeric is a version without what whoever built it added.
func numeric(release string) string {
	version, _, _ := strings.Cut(release, "-")
	return version
}

// redisVersion finds v=7.0.15 in "Redis server v=7.0.15 sha=…".
func redisVersion(text string) string {
	for _, field := range strings.Fields(text) {
		if v, ok := strings.CutPrefix(field, "v="); ok {
			return v
		}
	}
	return "unknown"
}

// String is the machine in a line.
func (m Machine) String() string {
	return fmt.Sprintf("%s, %d cores, %.0f GiB of memory, Linux %s; redis-server %s, Sluice %s, %s",
		m.CPU, m.Cores, float64(m.Memory)/(1<<30), m.Linux, m.Redis, m.Sluice, m.Go)
}
