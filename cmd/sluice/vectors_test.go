package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// TestVectors asks the built binary every question of the contract's vectors
// through a socket, in both protocols, with its clock in a test's hand.
func TestVectors(t *testing.T) {
	server := start(t, "--enable-debug-command", "yes")
	for _, protocol := range []int{2, 3} {
		client := server.client(t, protocol)
		files, err := filepath.Glob("../../engine/testdata/vectors/*.jsonl")
		if err != nil || len(files) < 11 {
			t.Fatalf("there are %d files of vectors, want 11 or more (%v)", len(files), err)
		}
		for _, file := range files {
			t.Run(fmt.Sprintf("resp%d/%s", protocol, filepath.Base(file)), func(t *testing.T) { runVectors(t, client, file) })
		}
	}
}

func runVectors(t *testing.T, client *redis.Client, file string) {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c struct {
			Name  string
			Base  int64 `json:"base_ms"`
			Steps []struct {
				At    int64
				Cmd   []any
				Reply any
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		ctx := context.Background()
		if err := client.FlushAll(ctx).Err(); err != nil {
			t.Fatal(err)
		}
		for i, step := range c.Steps {
			pipe := client.Pipeline()
			moved := pipe.Do(ctx, "DEBUG", "CLOCK", "SET", c.Base+step.At)
			asked := pipe.Do(ctx, step.Cmd...)
			_, _ = pipe.Exec(ctx)
			if err := moved.Err(); err != nil {
				t.Fatal(err)
			}
			if got, want := vectorReply(asked), fmt.Sprint(step.Reply); got != want {
				t.Fatalf("%s, step %d at %d: %v\n got %s\nwant %s", c.Name, i, step.At, step.Cmd, got, want)
			}
		}
	}
}

// vectorReply writes a reply as fmt.Sprint writes the vectors' JSON.
func vectorReply(cmd *redis.Cmd) string {
	value, err := cmd.Result()
	switch {
	case errors.Is(err, redis.Nil):
		return "<nil>"
	case err != nil:
		word, _, _ := strings.Cut(err.Error(), " ")
		return fmt.Sprint(map[string]any{"error": word})
	}
	return fmt.Sprint(floats(value))
}

// floats has numbers as JSON reads them.
func floats(value any) any {
	switch v := value.(type) {
	case int64:
		return float64(v)
	case []any:
		for i := range v {
			v[i] = floats(v[i])
		}
	}
	return value
}
