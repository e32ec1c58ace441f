package memstore

import (
	"context"
	"math/rand/v2"

	"sluice/engine"
)

// A cursor is a position among the hashes: the top cursorBits of the first hash
// that has not been visited. Slots lie in the order of hashes, so a position
// keeps its meaning when an index grows or shrinks.
const cursorBits = 48

// slotsPerKey bounds the work of a Scan that finds few keys in many slots.
const slotsPerKey = 64

// Scan visits keys in the order of their hashes.
func (s *Store) Scan(_ context.Context, db int, cursor uint64, count int, yield func(engine.Entry)) (uint64, error) {
	if cursor >= 1<<cursorBits {
		return 0, nil
	}
	at := cursor << (64 - cursorBits)
	for keys, slots := 0, 0; keys < count && slots < count*slotsPerKey; {
		sh := s.shard(at)
		end, visited := sh.scan(at, count, func(rec record) {
			keys++
			if rec.db() == db {
				yield(rec.entry())
			}
		})
		if end == 0 {
			return 0, nil
		}
		at = end
		slots += visited
	}
	return at >> (64 - cursorBits), nil
}

// scan calls f with the keys of the next home slots, count of them at most, whose
// hash is not before from. It tells the hash to go on from, 0 past the last there
// is, and how many slots it visited.
func (s *shard) scan(from uint64, count int, f func(record)) (end uint64, visited int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.index) == 0 {
		const shardStep = 1 << (64 - shardBits)
		return from&^(shardStep-1) + shardStep, 0
	}
	step := uint64(1) << (64 - shardBits - s.bits)
	first := s.home(from)
	homes := min(count, len(s.index)-first)
	end = from&^(step-1) + uint64(homes)*step
	now := s.store.clock.Now()
	for n := 0; n < len(s.index); n++ {
		at := s.index[(first+n)&(len(s.index)-1)]
		if at == emptySlot && n >= homes-1 {
			break // no probing for the last home goes past here
		}
		if at.ref() == 0 {
			continue
		}
		rec := s.record(at.ref())
		h := s.store.hash(s.keyOf(rec))
		if h >= from && h-from < end-from && rec.deadline() > now {
			f(rec)
		}
	}
	return end, homes
}

// Random is the first key of a database from a random place on.
func (s *Store) Random(ctx context.Context, db int) (found engine.Entry, ok bool, err error) {
	cursor := rand.Uint64N(1 << cursorBits)
	for walked := false; !ok; {
		next, err := s.Scan(ctx, db, cursor, 16, func(e engine.Entry) { found, ok = e, true })
		if err != nil {
			return engine.Entry{}, false, err
		}
		if next == 0 {
			if walked || s.lengths[db].Load() == 0 {
				break
			}
			walked = true
		}
		cursor = next
	}
	return found, ok, nil
}
