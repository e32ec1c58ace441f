package commands

import (
	"container/list"
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"sluice/engine"
)

// maxTracked bounds what is remembered of what clients have read: so many pairs of
// a key and a client.
const maxTracked = 100_000

// trackingPace is how often tracked keys are looked at that may have ended.
const trackingPace = 500 * time.Millisecond

// trackingChannel is where RESP2 clients hear of changes, redirected to another
// connection.
const trackingChannel = "__redis__:invalidate"

// tracking tells clients of changes to what they have read (CLIENT TRACKING). A key
// is remembered before it is read, and a change is told after it was made: whatever
// a client has read, it hears if that is not so any more. It may hear too often.
//
// The locks are taken in this order: store, tracking.mu, pubSub.mu, inbox.
type tracking struct {
	service *Service
	any     atomic.Int32 // clients: all that a write costs without

	mu      sync.Mutex
	clients map[*Session]struct{}
	table   map[trackedKey]*trackedEntry
	oldest  list.List // of *trackedEntry, the oldest first
	pairs   int
	ticking bool // the clock that looks for ended keys runs
}

type trackedKey struct {
	db   int
	name string
}

type trackedEntry struct {
	key     trackedKey
	readers map[*Session]struct{}
	existed bool // so it can end by itself
	place   *list.Element
}

// remember notes that a client is about to read a key.
func (t *tracking) remember(c *Session, k engine.Key) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.table[trackedKey{k.DB, string(k.Name)}]
	if e == nil {
		e = &trackedEntry{key: trackedKey{k.DB, string(k.Name)}, readers: map[*Session]struct{}{}}
		e.place = t.oldest.PushBack(e)
		if t.table == nil {
			t.table = map[trackedKey]*trackedEntry{}
		}
		t.table[e.key] = e
	}
	if _, already := e.readers[c]; already {
		return
	}
	e.readers[c] = struct{}{}
	if c.tracker.read == nil {
		c.tracker.read = map[*trackedEntry]struct{}{}
	}
	c.tracker.read[e] = struct{}{}
	t.pairs++
	for t.pairs > maxTracked {
		t.tell(t.oldest.Front().Value.(*trackedEntry), nil)
	}
	if !t.ticking {
		t.ticking = true
		time.AfterFunc(trackingPace, t.tick)
	}
}

// exists notes that a key that is tracked exists.
func (t *tracking) exists(k trackedKey) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.table[k]; e != nil {
		e.existed = true
	}
}

// changed tells of a change that a session has made to a key.
func (t *tracking) changed(by *Session, k engine.Key) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.table[trackedKey{k.DB, string(k.Name)}]; e != nil {
		t.tell(e, by)
	}
	for c := range t.clients {
		if c != by || !c.tracker.noLoop {
			for _, prefix := range c.tracker.prefixes {
				if strings.HasPrefix(string(k.Name), prefix) {
					t.send(c, array(bulk(string(k.Name))))
				}
			}
		}
	}
}

// ended tells that a key is over that a look at the store has found so.
func (t *tracking) ended(k trackedKey) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.table[k]; e != nil && e.existed {
		t.tell(e, nil)
	}
}

// flushed tells everybody that no key is as it was.
func (t *tracking) flushed() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for e := range t.entries() {
		t.drop(e)
	}
	for c := range t.clients {
		t.send(c, null())
	}
}

// entries is all entries. They may be dropped meanwhile.
func (t *tracking) entries() func(yield func(*trackedEntry) bool) {
	return func(yield func(*trackedEntry) bool) {
		for place := t.oldest.Front(); place != nil; {
			e := place.Value.(*trackedEntry)
			place = place.Next()
			if !yield(e) {
				return
			}
		}
	}
}

// tell has those who have read a key hear that it has changed, and forgets it.
func (t *tracking) tell(e *trackedEntry, by *Session) {
	for c := range e.readers {
		if c != by || !c.tracker.noLoop {
			t.send(c, array(bulk(e.key.name)))
		}
	}
	t.drop(e)
}

func (t *tracking) drop(e *trackedEntry) {
	for c := range e.readers {
		delete(c.tracker.read, e)
	}
	t.pairs -= len(e.readers)
	t.oldest.Remove(e.place)
	delete(t.table, e.key)
}

// send pushes to a client, or to the one that it has named.
func (t *tracking) send(c *Session, what Reply) {
	to := c
	if id := c.tracker.redirect; id != 0 {
		if to = t.service.Sessions.byID(id); to == nil {
			c.tracker.broken = true
			if c.Proto() == 3 {
				c.peer.Push(push(bulk("tracking-redir-broken"), integer(id)))
			}
			return
		}
	}
	if to.Proto() == 3 {
		to.peer.Push(push(bulk("invalidate"), what))
	} else if to != c {
		t.service.pubSub.pushTo(to, push(bulk(topicWords[channels].message), bulk(trackingChannel), what))
	}
}

// tick looks which of the tracked keys have ended by themselves.
func (t *tracking) tick() {
	for _, k := range t.keys() {
		state, err := t.service.Store.Get(context.Background(), engine.Key{DB: k.db, Name: []byte(k.name)})
		switch {
		case err != nil: // it may be over, or may not: the next tick will tell
		case state.Kind == 0:
			t.ended(k)
		default:
			t.exists(k)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ticking = len(t.table) > 0; t.ticking {
		time.AfterFunc(trackingPace, t.tick)
	}
}

func (t *tracking) keys() []trackedKey {
	t.mu.Lock()
	defer t.mu.Unlock()
	keys := make([]trackedKey, 0, len(t.table))
	for e := range t.entries() {
		keys = append(keys, e.key)
	}
	return keys
}

// forget ends the tracking of a client.
func (t *tracking) forget(c *Session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, tracks := t.clients[c]; !tracks {
		return
	}
	delete(t.clients, c)
	t.any.Store(int32(len(t.clients)))
	for e := range c.tracker.read {
		delete(e.readers, c)
		t.pairs--
		if len(e.readers) == 0 {
			t.drop(e)
		}
	}
	c.tracker = tracker{}
}
