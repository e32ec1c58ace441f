package persistence

import (
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"

	"sluice/engine"
)

// An endless store has any number of GCRA keys of 17 bytes, and takes no memory.
type endless struct {
	mapStore
	keys int
}

func (s *endless) Dump(yield func([]engine.Record) error) error {
	records := make([]engine.Record, 1000)
	names := make([]byte, 0, 17*len(records))
	for i := 0; i < s.keys; {
		names = names[:0]
		n := min(len(records), s.keys-i)
		for j := range n {
			names = append(names, "user:"...)
			names = binary.BigEndian.AppendUint64(names, uint64(i)*0x9e3779b97f4a7c15)
			names = append(names, "abcd"...)
			records[j] = engine.Record{Change: engine.Put, Key: engine.Key{Name: names[17*j : 17*j+17 : 17*j+17]}, State: gcra(i)}
			i++
		}
		if err := yield(records[:n]); err != nil {
			return err
		}
	}
	return nil
}

func (s *endless) Load(records []engine.Record) error { return nil }

// keysOf is how many keys a benchmark has: SLUICE_BENCH_KEYS or a million.
func keysOf() int {
	n, err := strconv.Atoi(os.Getenv("SLUICE_BENCH_KEYS"))
	if err != nil {
		return 1_000_000
	}
	return n
}

func openBench(b *testing.B, path string, keys int, change func(*Options)) (*Directory, *endless) {
	o := Options{AppendOnly: true, still: true}
	if change != nil {
		change(&o)
	}
	d, err := Open(path, o)
	if err != nil {
		b.Fatal(err)
	}
	store := &endless{mapStore: *newMapStore(), keys: keys}
	if _, err := d.Recover(store); err != nil {
		b.Fatal(err)
	}
	return d, store
}

func someRecords(n int) [][]engine.Record {
	all := make([][]engine.Record, n)
	for i := range all {
		all[i] = []engine.Record{{Change: engine.Put, Key: keyOf(0, fmt.Sprintf("user:%012d", i)), State: gcra(i)}}
	}
	return all
}

func BenchmarkAppend(b *testing.B) {
	for _, keys := range []int{1, 1000, 100_000} {
		b.Run(fmt.Sprintf("keys=%d", keys), func(b *testing.B) {
			d, _ := openBench(b, b.TempDir(), 0, nil)
			records := someRecords(keys)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				d.Append(engine.Instant(i), records[i%keys])
				if i%1000 == 0 {
					d.Commit()
				}
			}
			d.Commit()
			b.ReportMetric(float64(d.writer.tail.bytes)/float64(b.N), "B-written/op")
		})
	}
}

func BenchmarkCommit(b *testing.B) {
	for _, policy := range []Policy{Never, Always} {
		for _, clients := range []int{1, 64} {
			b.Run(fmt.Sprintf("%s/clients=%d", policy, clients), func(b *testing.B) {
				d, _ := openBench(b, b.TempDir(), 0, func(o *Options) { o.Policy = policy })
				records := someRecords(100_000)
				b.ReportAllocs()
				b.SetParallelism(max(1, clients/2))
				b.ResetTimer()
				var mu sync.Mutex
				next := 0
				b.RunParallel(func(p *testing.PB) {
					mu.Lock()
					next += 1000
					i := next
					mu.Unlock()
					for p.Next() {
						i++
						d.Append(1, records[i%len(records)])
						d.Commit()
					}
				})
			})
		}
	}
}

func BenchmarkCommitNothing(b *testing.B) {
	d, _ := openBench(b, b.TempDir(), 0, nil)
	for b.Loop() {
		d.Commit()
	}
}

func BenchmarkReplay(b *testing.B) {
	path := b.TempDir()
	d, _ := openBench(b, path, 0, nil)
	keys := keysOf()
	for i, r := range someRecords(keys) {
		d.Append(engine.Instant(i), r)
	}
	d.Close(false)
	b.ReportAllocs()
	for b.Loop() {
		l, err := openLog(osDisk(path), 1)
		if err != nil {
			b.Fatal(err)
		}
		if err := l.replay(func([]engine.Record) error { return nil }); err != nil || l.records != int64(keys) {
			b.Fatal(err, l.records)
		}
		l.close()
		b.SetBytes(l.size)
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/float64(keys), "ns/record")
}

func BenchmarkSnapshot(b *testing.B) {
	for _, what := range []string{"write", "load"} {
		b.Run(what, func(b *testing.B) {
			keys := keysOf()
			d, _ := openBench(b, b.TempDir(), keys, func(o *Options) { o.AppendOnly = false })
			if err := d.Save(); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if what == "write" {
					if err := d.Save(); err != nil {
						b.Fatal(err)
					}
					continue
				}
				s, err := openSnapshot(d.disk, d.saves.base)
				if err != nil {
					b.Fatal(err)
				}
				if err := s.load(func([]engine.Record) error { return nil }); err != nil {
					b.Fatal(err)
				}
				s.close()
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/float64(keys), "ns/key")
			b.ReportMetric(float64(d.saves.bytes)/float64(keys), "B/key")
		})
	}
}
