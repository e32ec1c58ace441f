package commands

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sluice/commands/config"
	"sluice/engine"
	"sluice/engine/memstore"
)

// A vector is a case of the contract's own answers, computed in exact arithmetic.
type vector struct {
	Name  string `json:"name"`
	Base  int64  `json:"base_ms"`
	Steps []struct {
		At    int64           `json:"at"`
		Cmd   []string        `json:"cmd"`
		Reply json.RawMessage `json:"reply"`
	} `json:"steps"`
}

// readVectors is the cases of one file in the contract's folder of vectors.
func readVectors(t testing.TB, file string) (cases []vector) {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, v)
	}
	return cases
}

// asJSON writes a reply as the vectors do.
func asJSON(r Reply) string {
	switch r.Kind {
	case Simple, Bulk:
		b, _ := json.Marshal(r.Text)
		return string(b)
	case BulkBytes:
		b, _ := json.Marshal(string(r.Bytes))
		return string(b)
	case Failure:
		word, _, _ := strings.Cut(r.Text, " ")
		return fmt.Sprintf(`{"error": %q}`, word)
	case Integer:
		return fmt.Sprint(r.Number)
	case Null, NullArray:
		return "null"
	case Limiting:
		f := r.Five
		return fmt.Sprintf("[%d,%d,%d,%d,%d]", f[0], f[1], f[2], f[3], f[4])
	case Leasing:
		return asJSON(r.spelled())
	case Array:
		items := make([]string, len(r.Items))
		for i, item := range r.Items {
			items[i] = asJSON(item)
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	return fmt.Sprintf("no JSON for %+v", r)
}

// testSession is a session on a service over a store.
func testSession(t testing.TB, store engine.Store) *Session {
	cfg := config.New()
	if err := cfg.Start("enable-debug-command", "yes"); err != nil {
		t.Fatal(err)
	}
	session := testService(store, cfg).Open(context.Background(), &testPeer{}, "127.0.0.1:1", "127.0.0.1:2")
	t.Cleanup(session.Close)
	return session
}

func testService(store engine.Store, cfg *config.Config) *Service {
	return NewService(store, cfg, slog.New(slog.DiscardHandler), "test")
}

func (c *Session) do(words ...string) Reply {
	args := make([][]byte, len(words))
	for i, w := range words {
		args[i] = []byte(w)
	}
	return c.Do(args)
}

func TestVectorsOnStore(t *testing.T) {
	eachVector(t, func(t *testing.T) engine.Store {
		store := memstore.New()
		t.Cleanup(store.Close)
		return store
	})
}

// eachVector asks every question of the vectors of a new store.
func eachVector(t *testing.T, open func(*testing.T) engine.Store) {
	files, err := filepath.Glob("../engine/testdata/vectors/*.jsonl")
	if err != nil || len(files) < 11 {
		t.Fatalf("there are %d files of vectors, want 11 or more (%v)", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			for _, v := range readVectors(t, file) {
				t.Run(v.Name, func(t *testing.T) { v.ask(t, open(t)) })
			}
		})
	}
}

func (v vector) ask(t *testing.T, store engine.Store) {
	session := testSession(t, store)
	for i, step := range v.Steps {
		store.StopClock(engine.Instant(v.Base+step.At) * engine.Instant(time.Millisecond))
		got := session.do(step.Cmd...)
		if !sameJSON(t, asJSON(got), string(step.Reply)) {
			t.Fatalf("step %d at %d: %v\n got %s\nwant %s", i, step.At, step.Cmd, asJSON(got), step.Reply)
		}
	}
}

func sameJSON(t *testing.T, got, want string) bool {
	var a, b any
	if err := json.Unmarshal([]byte(got), &a); err != nil {
		t.Fatalf("%s: %v", got, err)
	}
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Fatalf("%s: %v", want, err)
	}
	return fmt.Sprint(a) == fmt.Sprint(b)
}
