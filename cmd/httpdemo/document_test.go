package main

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const document = "../../docs/httpdemo.md"

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestDocument compares the table in the document with the one in the code.
// UPDATE=1 go test ./cmd/httpdemo -run TestDocument writes it.
func TestDocument(t *testing.T) {
	old := readFile(t, document)
	block := regexp.MustCompile(`(?s)<!-- variables -->\n.*?<!-- end -->`)
	now := block.ReplaceAllLiteralString(old, "<!-- variables -->\n"+markdown()+"<!-- end -->")
	switch {
	case !block.MatchString(old):
		t.Errorf("%s has no place for the variables", document)
	case now == old:
	case os.Getenv("UPDATE") != "":
		if err := os.WriteFile(document, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is out of date: UPDATE=1 go test ./cmd/httpdemo -run TestDocument", document)
	}
}

// TestDocumentExamples: what the document shows of Go is compiled, in example_test.go.
func TestDocumentExamples(t *testing.T) {
	squeeze := strings.NewReplacer("\t", "", " ", "", "\n", "").Replace
	compiled := squeeze(readFile(t, "../../httpdemo/example_test.go"))
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(readFile(t, document), -1)
	if len(blocks) != 2 {
		t.Errorf("%s has %d examples, want 2", document, len(blocks))
	}
	for _, block := range blocks {
		if !strings.Contains(compiled, squeeze(block[1])) {
			t.Errorf("no example in example_test.go has\n%s", block[1])
		}
	}
}

// TestDocumentSession makes the document's calls, on a server whose clock
// stands still, and compares what comes back.
func TestDocumentSession(t *testing.T) {
	server := startServer(t, "--enable-debug-command", "yes")
	server.do(t, server.client(t, ""), "DEBUG", "CLOCK", "SET", 1_800_000_000_000)
	demos := startDemos(t, 2, "STORE_ADDR="+server.addr, "STORE_TIMEOUT=10s", "CAPACITY=3", "REFILL_PER_SECOND=0.1")
	session := regexp.MustCompile("(?s)```console\n(.*?)```").FindStringSubmatch(readFile(t, document))
	calls := strings.Split(session[1], "$ curl ")[1:]
	if len(calls) < 5 {
		t.Errorf("the session has %d calls, want 5 or more", len(calls))
	}
	for _, call := range calls {
		command, want, _ := strings.Cut(call, "\n")
		args, path, _ := strings.Cut(command, "localhost:")
		port, path, _ := strings.Cut(path, "/")
		demo := demos[map[string]int{"8080": 0, "8081": 1}[port]]
		got := demo.get(t, "/"+path)
		if !strings.Contains(want, got.body) {
			t.Errorf("%s\nanswered %s", call, got.body)
		}
		if strings.Contains(args, "-i") {
			sameHead(t, got, want)
		}
	}
}

// sameHead compares status and headers, in both directions.
func sameHead(t *testing.T, got answer, want string) {
	t.Helper()
	head, _, _ := strings.Cut(want, "\n\n")
	status, lines, _ := strings.Cut(head, "\n")
	if !strings.Contains(status, " "+strconv.Itoa(got.status)+" ") {
		t.Errorf("status %d, the document has %s", got.status, status)
	}
	told := map[string]bool{}
	for line := range strings.Lines(lines) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		told[name] = true
		if name != "Date" && name != "X-Request-Id" && got.header.Get(name) != value {
			t.Errorf("%s: %s, the document has %s", name, got.header.Get(name), value)
		}
	}
	for name := range got.header {
		if !told[name] {
			t.Errorf("the document does not have the header %s", name)
		}
	}
}
