package main

import (
	"go/build"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// arrows is who may import whom, a package a line; a * is every package with that
// beginning. The standard library is everyone's, tests may import what they like.
// Do not change this to mend a build: it is the shape of the program.
const arrows = `
engine                 ->
engine/memstore        -> engine github.com/tidwall/btree
engine/storetest       -> engine pgregory.net/rapid
persistence            -> engine
commands/config        ->
commands               -> engine commands/config
server                 -> engine commands commands/config github.com/tidwall/redcon
server/pki             ->
cmd/internal/program   ->
cmd/internal/bench     -> commands/config server/pki github.com/HdrHistogram/hdrhistogram-go golang.org/x/sys/unix
cmd/sluice             -> engine* commands* server persistence cmd/internal/bench
httpdemo               -> engine engine/memstore github.com/redis/go-redis/v9* github.com/prometheus/client_golang/prometheus*
cmd/httpdemo           -> engine httpdemo
`

func TestArrows(t *testing.T) {
	allowed := map[string][]string{}
	for line := range strings.Lines(arrows) {
		if from, to, ok := strings.Cut(line, "->"); ok {
			allowed[strings.TrimSpace(from)] = strings.Fields(to)
		}
	}
	seen := map[string]bool{}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".") && path != root {
			return fs.SkipDir
		}
		pkg, err := build.ImportDir(path, 0)
		if err != nil || len(pkg.GoFiles) == 0 {
			return nil // no Go here, or tests alone
		}
		room, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		room = filepath.ToSlash(room)
		seen[room] = true
		to, known := allowed[room]
		if !known {
			t.Errorf("package %s has no line in arrows", room)
		}
		for _, imported := range pkg.Imports {
			if foreign(imported) && !slices.ContainsFunc(to, func(a string) bool { return matches(a, imported) }) {
				t.Errorf("%s imports %s: no arrow allows it", room, imported)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for room := range allowed {
		if !seen[room] {
			t.Errorf("arrows has a line for %s, which is no package", room)
		}
	}
}

// foreign says whether an import is not of the standard library.
func foreign(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return first == "sluice" || strings.Contains(first, ".")
}

func matches(allowed, imported string) bool {
	imported = strings.TrimPrefix(imported, "sluice/")
	if prefix, ok := strings.CutSuffix(allowed, "*"); ok {
		return strings.HasPrefix(imported, prefix)
	}
	return imported == allowed
}
