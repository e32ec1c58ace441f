package bench

import "testing"

func TestParseTarget(t *testing.T) {
	servers := Servers{"redis": "redis-server --port {port}"}
	common := Load{Depth: 16, Workload: Custom("GET {key}")}
	for _, test := range []struct{ text, name, workload, addr, start string }{
		{"incr@redis", "incr@redis", "incr", "", servers["redis"]},
		{"a name=gcra@127.0.0.1:6390", "a name", "gcra", "127.0.0.1:6390", ""},
		{"x=lua-gcra@/run/redis.sock", "x", "lua-gcra", "/run/redis.sock", ""},
		{"command@[::1]:6379", "command@[::1]:6379", "command", "[::1]:6379", ""},
	} {
		target, err := ParseTarget(test.text, common, servers)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		l := target.Load
		if target.Name != test.name || l.Workload.Name != test.workload || l.Addr != test.addr || target.Start != test.start || l.Depth != 16 {
			t.Errorf("%s: %+v", test.text, target)
		}
	}
	for _, wrong := range []string{"", "incr", "incr@", "@redis", "=incr@redis", "incr@nowhere", "incry@redis"} {
		if _, err := ParseTarget(wrong, common, servers); err == nil {
			t.Errorf("%q is a target", wrong)
		}
	}
	if _, err := ParseTarget("command@redis", Load{}, servers); err == nil {
		t.Error("command is a workload without --command")
	}
}

func TestSluiceCommandLine(t *testing.T) {
	const old = "Usage: serve [--OPTION VALUE]\n\n  --port  no --dir\n  --appendonly  \"no\"\n"
	const log = old + "  --dir  x\n  --save  x\n  --appendfsync  x\n"
	for _, test := range []struct {
		help, want string
		fsync      int
	}{
		{old, `"s" serve --port {port} --loglevel warning --appendonly no`, 0},
		{log, `"s" serve --port {port} --loglevel warning --dir {dir} --appendonly no --save ""`, 0},
		{log, `"s" serve --port {port} --loglevel warning --dir {dir} --appendonly yes --appendfsync always --save ""`, 2},
	} {
		if got := (help{"s", test.help}).sluice(fsyncs[test.fsync]); got != test.want {
			t.Errorf("the command line is %s, want %s", got, test.want)
		}
	}
	if n := len(FullPlan().durable(help{"s", old})); n != 0 {
		t.Errorf("%d targets with a log for a server that has none", n)
	}
	if n := len(FullPlan().durable(help{"s", log})); n != 6 {
		t.Errorf("%d targets with a log, want 6", n)
	}
}

func TestValidate(t *testing.T) {
	good := Load{Addr: "x:1", Connections: 2, Depth: 1, Threads: 1, Keys: 1, Duration: 1}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(*Load){
		"address":     func(l *Load) { l.Addr = "" },
		"connections": func(l *Load) { l.Connections = 0 },
		"threads":     func(l *Load) { l.Threads = 3 },
		"no threads":  func(l *Load) { l.Threads = 0 },
		"depth":       func(l *Load) { l.Depth = 0 },
		"keys":        func(l *Load) { l.Keys = 0 },
		"rate":        func(l *Load) { l.Rate = -1 },
		"duration":    func(l *Load) { l.Duration = 0 },
		"warmup":      func(l *Load) { l.Warmup = -1 },
	} {
		l := good
		if spoil(&l); l.Validate() == nil {
			t.Errorf("a wrong load passes: %s", name)
		}
	}
}
