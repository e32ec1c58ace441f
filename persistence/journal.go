package persistence

import (
	"sync"
	"sync/atomic"

	"sluice/engine"
)

// A pending is what was appended and is not written yet.
type pending struct {
	mu      sync.Mutex
	frames  []byte
	last    int // where the frame begins that changes are added to; -1 if there is none
	hot     hotKeys
	open    bool  // there is a log; else changes are counted only
	drop    bool  // changes are dropped: memory only, while the disk is broken
	changes int64 // since the last snapshot was begun

	// appended is how many times something became pending when nothing was. All of
	// one time is written at once, so a change is kept when as many times are.
	appended atomic.Uint64
}

const (
	// keepBytes is how large a buffer may be to be used again.
	keepBytes = 4 << 20
	// shareBytes is how large a frame is that no more changes are added to. What is
	// written at once may share one, which costs a head and a CRC for all of it.
	// With larger ones there is nothing left to gain, and a power loss takes more.
	shareBytes = 16 << 10
)

// Append notes changes (see engine.Journal). They are kept once Commit returns.
func (d *Directory) Append(at engine.Instant, changes []engine.Record) {
	p := &d.pending
	p.mu.Lock() // no defer: it would be a tenth of the cost
	p.changes += int64(len(changes))
	if p.open && !p.drop && len(changes) > 0 {
		p.add(at, changes)
	}
	p.mu.Unlock()
}

// add adds changes to the last frame, or begins one.
func (p *pending) add(at engine.Instant, changes []engine.Record) {
	if len(p.frames) == 0 {
		p.appended.Add(1)
	}
	if p.last < 0 || len(p.frames)-p.last >= shareBytes {
		p.endLast()
		p.last = len(p.frames)
		p.frames = beginFrame(p.frames, changesFrame, at)
	}
	noteAt(p.frames[p.last:], at)
	for i := range changes {
		start := len(p.frames)
		p.frames = appendRecord(p.frames, &changes[i])
		if p.hot.idle > 0 {
			continue
		}
		r := recordSpan{frame: p.last, start: start, end: len(p.frames), grouped: len(changes) > 1}
		if p.hot.merge(p.frames, &changes[i], r) {
			p.frames = p.frames[:start]
		}
	}
}

// endLast ends the frame that changes were added to. All of them may have taken the
// places of others: then there is none.
func (p *pending) endLast() {
	switch {
	case p.last < 0:
	case len(p.frames) == p.last+frameHead:
		p.frames = p.frames[:p.last]
	default:
		endFrame(p.frames, p.last)
	}
	p.last = -1
}

// empty makes a buffer, without what is in it, the one for what will be appended.
func (p *pending) empty(buffer []byte) {
	p.frames, p.last = buffer[:0], -1
	p.hot.begin()
}

// take is all that is pending, in exchange for an empty buffer, and how often was
// appended until now.
func (p *pending) take(empty []byte) ([]byte, uint64) {
	if cap(empty) > keepBytes {
		empty = nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.endLast()
	frames := p.frames
	p.empty(empty)
	return frames, p.appended.Load()
}

// openEmpty begins to note changes, and drops those that are pending. It returns
// how often was appended until now.
func (p *pending) openEmpty() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open, p.drop = true, false
	p.empty(nil)
	return p.appended.Load()
}

// closeEmpty ends noting changes, likewise.
func (p *pending) closeEmpty() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open, p.drop = false, false
	p.empty(nil)
	return p.appended.Load()
}

// dropAll drops what is pending and all that will be.
func (p *pending) dropAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop = true
	p.empty(nil)
}

// notePublished notes that the log has its snapshot.
func (p *pending) notePublished() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.endLast()
	if len(p.frames) == 0 {
		p.appended.Add(1)
	}
	start := len(p.frames)
	p.frames = beginFrame(p.frames, publishedFrame, 0)
	endFrame(p.frames, start)
}

// unsaved is how many changes there were since the last snapshot was begun.
func (p *pending) unsaved() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.changes
}

// noteSaved notes that a snapshot has so many of the changes.
func (p *pending) noteSaved(changes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.changes -= changes
}
