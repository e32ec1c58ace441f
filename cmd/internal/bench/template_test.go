package bench

import "testing"

func TestTemplate(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{"PING", "*1\r\n$4\r\nPING\r\n"},
		{"INCR key:{key}", "*2\r\n$4\r\nINCR\r\n$16\r\nkey:000000000042\r\n"},
		{`SET {key}:{key} "a b" ''`, "*4\r\n$3\r\nSET\r\n$25\r\n000000000042:000000000042\r\n$3\r\na b\r\n$0\r\n\r\n"},
		{"GET {{key}}x", "*2\r\n$3\r\nGET\r\n$15\r\n{000000000042}x\r\n"},
		{"GET {kex}", "*2\r\n$3\r\nGET\r\n$5\r\n{kex}\r\n"},
	} {
		template, err := ParseTemplate(test.line)
		if err != nil {
			t.Errorf("%s: %v", test.line, err)
			continue
		}
		batch := template.Batch(1)
		batch.SetKey(0, 42)
		if got := string(batch.First(1)); got != test.want {
			t.Errorf("%s is sent as\n%q, want\n%q", test.line, got, test.want)
		}
	}
	for _, line := range []string{"", "  ", `GET "x`} {
		if _, err := ParseTemplate(line); err == nil {
			t.Errorf("%q is a command", line)
		}
	}
}

func TestBatch(t *testing.T) {
	template, err := ParseTemplate("GET {key}")
	if err != nil {
		t.Fatal(err)
	}
	batch := template.Batch(3)
	for i, key := range []uint64{0, 999_999_999_999, 102_030_405_060} {
		batch.SetKey(i, key)
	}
	const head = "*2\r\n$3\r\nGET\r\n$12\r\n"
	want := head + "000000000000\r\n" + head + "999999999999\r\n"
	if got := string(batch.First(2)); got != want {
		t.Errorf("two commands are %q, want %q", got, want)
	}
	if got, want := string(batch.First(3)), want+head+"102030405060\r\n"; got != want {
		t.Errorf("three commands are %q, want %q", got, want)
	}
}

// TestSeventeenBytes: bytes a key can be compared because all keys have one length.
func TestSeventeenBytes(t *testing.T) {
	for _, w := range Workloads() {
		template, err := ParseTemplate(w.Command)
		if err != nil {
			t.Errorf("%s: %v", w.Name, err)
			continue
		}
		hole := template.holes[0]
		if head := string(template.bytes[hole-len("$17\r\nxxxx:") : hole-len("xxxx:")]); head != "$17\r\n" {
			t.Errorf("%s: the key begins with %q: it has not 17 bytes", w.Name, head)
		}
	}
}

func BenchmarkSetKey(b *testing.B) {
	template, err := ParseTemplate("CL.THROTTLE gcra:{key} 99 100 86400")
	if err != nil {
		b.Fatal(err)
	}
	batch, keys := template.Batch(1), NewKeys(Uniform, 1_000_000, 1)
	b.ReportAllocs()
	for b.Loop() {
		batch.SetKey(0, keys.Next())
	}
}
