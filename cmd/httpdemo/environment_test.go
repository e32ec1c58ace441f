package main

import (
	"strings"
	"testing"
)

func lookup(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestEnvironmentDefaults(t *testing.T) {
	s, err := readEnvironment(lookup())
	if err != nil {
		t.Fatal(err)
	}
	if s.port != 8080 || s.capacity != 10 || s.refill != 1_000_000 || s.limit != 10 || s.cost != 1 || s.storeAddrs != nil {
		t.Errorf("%+v", s)
	}
}

func TestEnvironmentRefuses(t *testing.T) {
	for _, pairs := range [][]string{
		{"PORT", "http"}, {"PORT", "65536"}, {"PORT", "-1"}, {"PORT", " 80"},
		{"STORE_ADDR", "localhost"}, {"STORE_ADDR", "a:1,"}, {"STORE_ADDR", "a:1,a:1"}, {"STORE_ADDR", "a:"},
		{"STORE_ADDR", ":6390"}, {"STORE_ADDR", "127.0.0.1:99999"}, {"TRUSTED_PROXIES", ","}, {"KEY_BY", "header:host"},
		{"STORE_TIMEOUT", "0"}, {"STORE_TIMEOUT", "2m"}, {"STORE_TIMEOUT", "50msec"},
		{"STORE_TLS", "maybe"}, {"ALGORITHM", "token_bucket"}, {"CAPACITY", "0"}, {"CAPACITY", "1e3"},
		{"REFILL_PER_SECOND", "0"}, {"REFILL_PER_SECOND", "0.0000001"}, {"REFILL_PER_SECOND", "-1"},
		{"LIMIT", "0", "ALGORITHM", "fixed-window"}, {"LIMIT", "100001", "ALGORITHM", "sliding-log"},
		{"WINDOW", "367d"}, {"WINDOW", "day"}, {"WINDOW", "-1s"}, {"WINDOW", "99999999999999999d"},
		{"POLICY", "gold"}, {"ON_STORE_FAILURE", "panic"}, {"LOCAL_SHARE", "0"}, {"WAIT_BUDGET", "-1s"},
		{"WAIT_BUDGET", "1s", "ALGORITHM", "fixed-window"},
		{"KEY_BY", "user"}, {"KEY_BY", "header:"}, {"KEY_BY", "header:a b"}, {"IPV6_PREFIX", "129"},
		{"TRUSTED_PROXIES", "10.0.0.0/33"}, {"HEADERS", "all"}, {"COST", "0"}, {"COST", "11"},
		{"CAPACITY", "1000000000000", "REFILL_PER_SECOND", "0.000001"},
	} {
		t.Run(strings.Join(pairs, "="), func(t *testing.T) {
			_, err := readEnvironment(lookup(pairs...))
			if err == nil || !strings.Contains(err.Error(), pairs[0]) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestEnvironmentIdle: what is set for another algorithm, or another store, is told.
func TestEnvironmentIdle(t *testing.T) {
	for _, test := range []struct {
		pairs []string
		want  string
	}{
		{[]string{"LIMIT", "3"}, "LIMIT"},
		{[]string{"CAPACITY", "3", "ALGORITHM", "sliding-window"}, "CAPACITY"},
		{[]string{"STORE_PASSWORD", "x"}, "STORE_PASSWORD"},
		{[]string{"STORE_PASSWORD", "x", "STORE_ADDR", "a:1"}, ""},
		{[]string{"LIMIT", "3", "ALGORITHM", "fixed-window"}, ""},
	} {
		s, err := readEnvironment(lookup(test.pairs...))
		if got := strings.Join(s.idle, ","); err != nil || got != test.want {
			t.Errorf("%v: idle are %q (%v), want %q", test.pairs, got, err, test.want)
		}
	}
}

// TestEnvironmentKeepsSecrets: values can be secrets in the wrong variable.
func TestEnvironmentKeepsSecrets(t *testing.T) {
	_, err := readEnvironment(func(string) string { return "hunter2" })
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Fatal(err)
	}
	for _, v := range variables() {
		free := v.name == "STORE_USERNAME" || v.name == "STORE_PASSWORD"
		if strings.Contains(err.Error(), v.name+":") == free {
			t.Errorf("%s: %v", v.name, err)
		}
	}
}

// TestVariablesAreTheContract holds the table to the design.
func TestVariablesAreTheContract(t *testing.T) {
	const contract = "PORT STORE_ADDR STORE_TIMEOUT STORE_USERNAME STORE_PASSWORD STORE_TLS ALGORITHM CAPACITY " +
		"REFILL_PER_SECOND LIMIT WINDOW POLICY ON_STORE_FAILURE LOCAL_SHARE WAIT_BUDGET KEY_BY IPV6_PREFIX " +
		"TRUSTED_PROXIES HEADERS COST"
	var names []string
	for _, v := range variables() {
		names = append(names, v.name)
	}
	if got := strings.Join(names, " "); got != contract {
		t.Errorf("the variables are\n%s, want\n%s", got, contract)
	}
}
