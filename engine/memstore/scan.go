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

const (
	// slotsPerKey bounds the work of a Scan that finds few keys in many slots.
	slotsPerKey = 64
	// scanSlots bounds how long a Scan that asks for much holds a lock.
	scanSlots = 1024
	// maxCount is above every count that makes a difference.
	maxCount = 1 << 32
)

// Scan visits keys in the order of their hashes. No lock is held while yield runs.
func (s *Store) Scan(ctx context.Context, db int, cursor uint64, count int, yield func(engine.Entry)) (uint64, error) {
	if cursor >= 1<<cursorBits {
		return 0, nil
	}
	count = min(max(count, 1), maxCount)
	at := cursor << (64 - cursorBits)
	var found []engine.Entry
	for keys, slots := 0, 0; keys < count && slots < count*slotsPerKey; {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		sh := s.shard(at)
		s.lock(sh)
		part := sh.scan(db, at, count, found[:0])
		s.unlock(sh)
		for _, e := range part.found {
			yield(e)
		}
		if part.end == 0 {
			return 0, nil
		}
		at, found = part.end, part.found
		keys += len(found)
		slots += part.slots
	}
	return at >> (64 - cursorBits), nil
}

// A part is a step of a walk: what it found, the hash to go on from, 0 past the
// last there is, and how many slots it visited.
type part struct {
	found []engine.Entry
	end   uint64
	slots int
}

// scan appends the keys of a database in the next home slots, count of them at
// most, whose hash is not before from. Their states come without their logs.
func (s *shard) scan(db int, from uint64, count int, found []engine.Entry) part {
	const shardStep = 1 << (64 - shardBits)
	begin := from &^ (shardStep - 1)
	if s.counts[db] == 0 {
		return part{found, begin + shardStep, 0}
	}
	first := s.home(from)
	homes := min(count, scanSlots, len(s.index)-first)
	end := begin + s.homeBegins(first+homes)
	now := s.store.clock.Now()
	i := s.before(first)
	for n := range s.index {
		i = s.after(i)
		at := s.index[i]
		if at == emptySlot && n >= homes-1 {
			break // no probing for the last home goes past here
		}
		if at.ref() == 0 {
			continue
		}
		rec := s.record(at.ref())
		if rec.db() != db || rec.deadline() <= now {
			continue
		}
		if h := s.store.hash(s.keyOf(rec)); h >= from && h-from < end-from {
			found = append(found, rec.entry())
		}
	}
	return part{found, end, homes}
}

// Random is the first key of a database from a random place on.
func (s *Store) Random(ctx context.Context, db int) (found engine.Entry, ok bool, err error) {
	cursor := rand.Uint64N(1 << cursorBits)
	for walked := false; !ok; {
		next, err := s.Scan(ctx, db, cursor, 1, func(e engine.Entry) { found, ok = e, true })
		if err != nil {
			return engine.Entry{}, false, err
		}
		if next == 0 {
			if walked || s.length(db) == 0 {
				break
			}
			walked = true
		}
		cursor = next
	}
	return found, ok, nil
}
