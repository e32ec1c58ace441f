package bench

import "testing"

func TestMachineTexts(t *testing.T) {
	for got, want := range map[string]string{
		cpuModel("processor\t: 0\nmodel name\t: A CPU @ 2 GHz\nmodel name\t: B\n"): "A CPU @ 2 GHz",
		numeric("6.1.0-18-amd64"): "6.1.0",
		numeric("6.18"):           "6.18",
		redisVersion("Redis server v=7.0.15 sha=0:0 bits=64"): "7.0.15",
		redisVersion("something else"):                        "unknown",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestKeysText(t *testing.T) {
	for n, want := range map[int]string{10_000_000: "10M", 100_000: "100k", 1234: "1234"} {
		if got := keysText(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}

// TestPlans names every workload that the plans measure.
func TestPlans(t *testing.T) {
	servers := Servers{"sluice": "s", "redis": "r"}
	for _, p := range []Plan{FullPlan(), QuickPlan()} {
		all := p.all(servers)
		if len(all) != len(Workloads()) || all[0].Name != peer {
			t.Errorf("%d targets, the first %s; want every workload, and INCR first", len(all), all[0].Name)
		}
		if n := len(p.sized(servers)) + len(p.unsized(servers)); n != len(all) {
			t.Errorf("%d targets have their keys sized, want all %d", n, len(all))
		}
		names := map[string]bool{}
		for _, target := range all {
			names[target.Name] = true
			if err := valid(target); err != nil {
				t.Errorf("%s: %v", target.Name, err)
			}
		}
		for _, target := range p.few(servers) {
			if !names[target.Name] {
				t.Errorf("%s has another name elsewhere", target.Name)
			}
		}
	}
	p := FullPlan()
	p.RedisCell = "/a b/cell.so"
	all := p.all(servers)
	if got, want := all[len(all)-1].Start, `r --loadmodule "/a b/cell.so"`; got != want {
		t.Errorf("redis-cell is started by %s, want %s", got, want)
	}
}

// valid says what is wrong with a target whose server does not run yet.
func valid(t Target) error {
	t.Load.Addr = "to be started"
	return t.Load.Validate()
}
