package storetest

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"sluice/engine"
)

func keyRules() []rule {
	return []rule{
		{
			"over is gone",
			"From its deadline on a key does not exist for Get, Scan, Random and Delete, whether or not its memory has " +
				"been taken back; a nanosecond before it does.",
			func(p *probe) { p.everyAlgorithm(overIsGone) },
		}, {
			"Delete makes untouched",
			"A deleted key is as if never used, and Delete says truly whether it existed.",
			func(p *probe) { p.everyAlgorithm(deleteMakesUntouched) },
		}, {
			"any bytes are a key",
			"Keys are binary, 0 to 4096 bytes, and two keys that differ in any byte are two keys.",
			anyBytesAreAKey,
		}, {
			"databases are apart",
			"The same name in two databases is two keys, for every method.",
			databasesAreApart,
		}, {
			"Flush empties one database or all",
			"Flush of a database leaves the others as they are; AllDatabases means every one.",
			flushEmpties,
		}, {
			"Len counts the keys",
			"Len follows every key that comes and goes, and a second call on a key counts nothing.",
			lenCounts,
		},
	}
}

func overIsGone(p *probe, a *engine.Algorithm) {
	k := key("over")
	p.grant(a, k, 10)
	deadline := p.get(k).Deadline
	p.store.AdvanceClock(time.Duration(deadline - 1 - start))
	if s := p.get(k); s.Kind != a.Kind || s.Deadline != deadline {
		p.Errorf("just before its deadline the key's state is %+v", s)
	}
	if met := p.walk(0, 10, nil); met["over"] == 0 {
		p.Errorf("just before its deadline Scan does not meet it")
	}
	if e, ok, err := p.store.Random(p.Context(), 0); !ok || err != nil || string(e.Key.Name) != "over" {
		p.Errorf("just before its deadline Random finds %q, %v (error: %v)", e.Key.Name, ok, err)
	}
	p.store.AdvanceClock(1)
	p.absent(k)
	if d := p.grant(a, k, 10); d.Remaining != 0 {
		p.Errorf("after ten of ten, %d remain", d.Remaining)
	}
	p.delete(k)
}

func deleteMakesUntouched(p *probe, a *engine.Algorithm) {
	k := key("delete")
	if p.delete(k) {
		p.Errorf("a key never used existed")
	}
	p.grant(a, k, 10)
	p.refuse(a, k, 1)
	if !p.delete(k) {
		p.Errorf("a key that was used did not exist")
	}
	p.absent(k)
	p.grant(a, k, 10)
	p.delete(k)
}

// names are the ones that are easily taken for another.
func names() []string {
	all := []string{"", "\x00", "\x00\x00", "a", "a\x00", "\x00a", "a\r\nb", "\xff\xfe", "ключ", "{tag}a", "{tag}b", "{}", "*", "[a-z]?"}
	for _, n := range []int{126, 127, 128, 129, 255, 256, 4095, 4096} {
		all = append(all, strings.Repeat("k", n), strings.Repeat("k", n-1)+"\x00")
	}
	return all
}

func anyBytesAreAKey(p *probe) {
	for i, name := range names() {
		p.grant(engine.TokenBucket, key(name), int64(i%10)+1)
	}
	if n := p.len(0); n != int64(len(names())) {
		p.Errorf("%d keys are counted, not %d", n, len(names()))
	}
	met := p.walk(0, 3, nil)
	for i, name := range names() {
		d := p.take(engine.TokenBucket, key(name), 0)
		if want := uint64(10 - i%10 - 1); d.Remaining != want {
			p.Errorf("%.20q: %d remain, not %d", name, d.Remaining, want)
		}
		if met[name] == 0 {
			p.Errorf("%.20q: Scan does not meet it", name)
		}
	}
	if len(met) != len(names()) {
		p.Errorf("Scan meets %d names, not %d", len(met), len(names()))
	}
}

func databasesAreApart(p *probe) {
	k := func(db int) engine.Key { return engine.Key{DB: db, Name: []byte("same")} }
	for db := range engine.MaxDatabases {
		a := engine.Algorithms[db%len(engine.Algorithms)]
		p.grant(a, k(db), int64(db%10)+1)
		if n := p.len(db); n != 1 {
			p.Errorf("database %d counts %d keys", db, n)
		}
	}
	for db := range engine.MaxDatabases {
		a := engine.Algorithms[db%len(engine.Algorithms)]
		if d := p.take(a, k(db), 0); d.Remaining != uint64(10-db%10-1) {
			p.Errorf("database %d: %d remain", db, d.Remaining)
		}
		if met := p.walk(db, 10, nil); len(met) != 1 {
			p.Errorf("a walk of database %d meets %v", db, met)
		}
		if e, ok, err := p.store.Random(p.Context(), db); !ok || err != nil || e.Key.DB != db || string(e.Key.Name) != "same" {
			p.Errorf("Random of database %d: %+v, %v (error: %v)", db, e, ok, err)
		}
	}
	if !p.delete(k(5)) {
		p.Errorf("the key did not exist")
	}
	for db := range engine.MaxDatabases {
		if exists := p.get(k(db)) != (engine.State{}); exists != (db != 5) {
			p.Errorf("after it was deleted in database 5, in %d it exists: %v", db, exists)
		}
	}
}

func flushEmpties(p *probe) {
	const keys = 300
	fill := func() {
		for i := range keys {
			for db := range 3 {
				p.grant(engine.GCRA, engine.Key{DB: db, Name: fmt.Appendf(nil, "flush:%d", i)}, 3)
			}
		}
	}
	check := func(after string, want ...int) {
		for db, n := range want {
			if met, counted := p.walk(db, 50, nil), p.len(db); len(met) != n || counted != int64(n) {
				p.Errorf("after %s database %d has %d keys and counts %d, not %d", after, db, len(met), counted, n)
			}
		}
	}
	fill()
	p.must(p.store.Flush(p.Context(), 1))
	check("a flush of one", keys, 0, keys)
	fill()
	check("new use", keys, keys, keys)
	p.must(p.store.Flush(p.Context(), engine.AllDatabases))
	check("a flush of all", 0, 0, 0)
	if d := p.grant(engine.GCRA, key("flush:0"), 10); d.Remaining != 0 {
		p.Errorf("a flushed key is not untouched: %+v", d)
	}
}

func lenCounts(p *probe) {
	const keys = 100
	name := func(i int) engine.Key { return engine.Key{DB: 2, Name: bytes.Repeat([]byte{byte(i)}, i)} }
	for i := range keys {
		p.grant(engine.FixedWindow, name(i), 1)
		p.grant(engine.FixedWindow, name(i), 1)
		p.refuse(engine.FixedWindow, name(i), 9)
		if n := p.len(2); n != int64(i+1) {
			p.Fatalf("of %d keys %d are counted", i+1, n)
		}
	}
	for i := range keys {
		p.delete(name(i))
		p.delete(name(i))
		if n := p.len(2); n != int64(keys-i-1) {
			p.Fatalf("of %d keys %d are counted", keys-i-1, n)
		}
	}
}
