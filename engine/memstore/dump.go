package memstore

import (
	"runtime"

	"sluice/engine"
)

var _ engine.Keeper = (*Store)(nil)

// dumpRecords is how many records Dump hands over at a time.
const dumpRecords = 256

// Dump calls yield with every key. It copies a shard at a time, which takes as
// long as copying some hundred kilobytes does, and does the rest without its lock.
func (s *Store) Dump(yield func([]engine.Record) error) error {
	d := dump{yield: yield, batch: make([]engine.Record, 0, dumpRecords)}
	for i := range s.shards {
		sh := &s.shards[i]
		s.lock(sh)
		d.copy(sh)
		s.unlock(sh)
		runtime.Gosched() // whoever waited for the lock goes first
		if err := d.tell(s.clock.Now()); err != nil {
			return err
		}
	}
	return nil
}

// A dump is a walk over all shards, with the copy of one of them.
type dump struct {
	yield func([]engine.Record) error
	pages [][]byte // of what lives in records alone
	boxed []engine.Record
	desk  desk
	batch []engine.Record
}

// copy takes over what a shard holds. Records with boxes are told at once, for
// their boxes change.
func (d *dump) copy(s *shard) {
	d.boxed = d.boxed[:0]
	d.pages = append(d.pages, make([][]byte, max(0, len(s.pages)-len(d.pages)))...)[:len(s.pages)]
	for n := range s.pages {
		d.pages[n] = append(d.pages[n][:0], s.pages[n].data...)
	}
	if s.boxes == nil {
		return
	}
	s.each(func(_ int, rec record) {
		if rec.box() != 0 {
			r := s.whole(rec)
			r.Key.Name = append([]byte(nil), r.Key.Name...)
			d.boxed = append(d.boxed, r)
		}
	})
}

func (d *dump) tell(now engine.Instant) error {
	for n, data := range d.pages {
		if err := d.page(n, data, now); err != nil {
			return err
		}
	}
	for _, r := range d.boxed {
		if r.State.Deadline > now {
			if err := d.add(r); err != nil {
				return err
			}
		}
	}
	return d.flush() // the batch points into the copy
}

func (d *dump) page(n int, data []byte, now engine.Instant) error {
	for at := firstRecord(n); at < len(data); {
		rec := record(data[at:])
		at += rec.size()
		if rec.kind() == 0 || rec.box() != 0 || rec.deadline() <= now {
			continue
		}
		r := engine.Record{Change: engine.Put, Key: engine.Key{DB: rec.db(), Name: rec.key()}}
		if boxed(rec.kind()) {
			r = d.desk.whole(rec, nil)
		} else {
			rec.read(&r.State)
		}
		if err := d.add(r); err != nil {
			return err
		}
	}
	return nil
}

func (d *dump) add(r engine.Record) error {
	d.batch = append(d.batch, r)
	if len(d.batch) < dumpRecords {
		return nil
	}
	return d.flush()
}

func (d *dump) flush() error {
	if len(d.batch) == 0 {
		return nil
	}
	err := d.yield(d.batch)
	d.batch = d.batch[:0]
	return err
}
