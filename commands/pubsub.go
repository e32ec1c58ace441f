package commands

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// A topicKind is one of the three things that a client can subscribe to.
type topicKind uint8

const (
	channels topicKind = iota
	patterns
	shardChannels // channels of their own; Redis Cluster keeps them in one shard
	topicKinds
)

// topicWords are what a kind's messages begin with.
var topicWords = [topicKinds]struct{ subscribe, unsubscribe, message string }{
	channels:      {"subscribe", "unsubscribe", "message"},
	patterns:      {"psubscribe", "punsubscribe", "pmessage"},
	shardChannels: {"ssubscribe", "sunsubscribe", "smessage"},
}

// Bounds of what a client can have kept for it.
const (
	maxSubscriptions = 10_000 // of one connection, all kinds together
	maxTopicBytes    = 4096   // of a channel's name or a pattern
)

const (
	errSubscriptions Error = "ERR too many subscriptions: a connection can have 10000 channels and patterns"
	errTopicBytes    Error = "ERR a channel or pattern is longer than 4096 bytes"
)

// A pubSub knows who has subscribed to what. One lock is held while a message is
// handed out, which only puts it into inboxes: all hear messages in the same order.
type pubSub struct {
	mu          sync.Mutex
	subscribers [topicKinds]map[string]map[*Session]struct{}
}

// subscriptions are a session's. The sets are guarded by pubSub.mu and change in
// the session's own goroutine only.
type subscriptions struct {
	sets [topicKinds]map[string]struct{}
	n    [topicKinds]atomic.Int32
	any  bool // for the session's own goroutine
}

// counted is how many subscriptions the confirmations of a kind tell: those to
// channels and patterns are counted together.
func (s *subscriptions) counted(k topicKind) int64 {
	if k == shardChannels {
		return int64(s.n[k].Load())
	}
	return int64(s.n[channels].Load()) + int64(s.n[patterns].Load())
}

// all is how many there are of all kinds.
func (s *subscriptions) all() (n int) {
	for k := range s.n {
		n += int(s.n[k].Load())
	}
	return n
}

// subscribe answers SUBSCRIBE and its kin: a confirmation for each name.
func subscribe(k topicKind) run {
	return func(c *Session, args [][]byte) (Reply, error) {
		p := &c.service.pubSub
		p.mu.Lock()
		defer p.mu.Unlock()
		if err := c.mayAdd(k, args[1:]); err != nil {
			return Reply{}, err
		}
		r := Reply{Kind: Sequence}
		for _, name := range args[1:] {
			p.add(k, string(name), c)
			r.Items = append(r.Items, push(bulk(topicWords[k].subscribe), bulk(string(name)), integer(c.subs.counted(k))))
		}
		return r, nil
	}
}

func (c *Session) mayAdd(k topicKind, names [][]byte) error {
	more := 0
	for _, name := range names {
		if len(name) > maxTopicBytes {
			return errTopicBytes
		}
		if _, already := c.subs.sets[k][string(name)]; !already {
			more++
		}
	}
	if c.subs.all()+more > maxSubscriptions {
		return errSubscriptions
	}
	return nil
}

// unsubscribe answers UNSUBSCRIBE and its kin: a confirmation for each name, or for
// each subscription if none is named. The reply is late: messages from before the
// end of a subscription are heard before it.
func unsubscribe(k topicKind) run {
	return func(c *Session, args [][]byte) (Reply, error) {
		p := &c.service.pubSub
		p.mu.Lock()
		defer p.mu.Unlock()
		var names []string
		for _, name := range args[1:] {
			names = append(names, string(name))
		}
		if len(args) == 1 {
			names = slices.Sorted(maps.Keys(c.subs.sets[k]))
		}
		r := Reply{Kind: Sequence, Late: true}
		for _, name := range names {
			p.remove(k, name, c)
			r.Items = append(r.Items, push(bulk(topicWords[k].unsubscribe), bulk(name), integer(c.subs.counted(k))))
		}
		if len(names) == 0 {
			r.Items = append(r.Items, push(bulk(topicWords[k].unsubscribe), null(), integer(c.subs.counted(k))))
		}
		return r, nil
	}
}

// add subscribes a session. p.mu is held.
func (p *pubSub) add(k topicKind, name string, c *Session) {
	if p.subscribers[k] == nil {
		p.subscribers[k] = map[string]map[*Session]struct{}{}
	}
	if p.subscribers[k][name] == nil {
		p.subscribers[k][name] = map[*Session]struct{}{}
	}
	if c.subs.sets[k] == nil {
		c.subs.sets[k] = map[string]struct{}{}
	}
	p.subscribers[k][name][c] = struct{}{}
	c.subs.sets[k][name] = struct{}{}
	c.subs.count(k)
}

// remove ends a subscription, if there is one. p.mu is held.
func (p *pubSub) remove(k topicKind, name string, c *Session) {
	delete(p.subscribers[k][name], c)
	if len(p.subscribers[k][name]) == 0 {
		delete(p.subscribers[k], name)
	}
	delete(c.subs.sets[k], name)
	c.subs.count(k)
}

func (s *subscriptions) count(k topicKind) {
	s.n[k].Store(int32(len(s.sets[k])))
	s.any = s.all() > 0
}

// forget ends all subscriptions of a session.
func (p *pubSub) forget(c *Session) {
	if !c.subs.any {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for k := range topicKinds {
		for name := range c.subs.sets[k] {
			p.remove(k, name, c)
		}
	}
}

// publish hands a message to whoever has subscribed, and tells to how many. One
// client can hear it more than once, by patterns.
func (p *pubSub) publish(k topicKind, channel, message []byte) (heard int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.subscribers[k]) == 0 && len(p.subscribers[patterns]) == 0 {
		return 0
	}
	name, text := bulk(string(channel)), bulk(string(message)) // copies that all share
	if all := p.subscribers[k][name.Text]; len(all) > 0 {
		heard += pushAll(all, push(bulk(topicWords[k].message), name, text))
	}
	if k != channels {
		return heard
	}
	for pattern, all := range p.subscribers[patterns] {
		if (glob{pattern: []byte(pattern)}).matches(channel) {
			heard += pushAll(all, push(bulk(topicWords[patterns].message), bulk(pattern), name, text))
		}
	}
	return heard
}

// pushTo has a client hear what it can tell from a reply only while it has
// subscribed to something.
func (p *pubSub) pushTo(c *Session, r Reply) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.subs.all() > 0 {
		c.peer.Push(r)
	}
}

func pushAll(to map[*Session]struct{}, r Reply) int64 {
	for c := range to {
		c.peer.Push(r)
	}
	return int64(len(to))
}

// names is the topics of a kind that have subscribers and match a pattern.
func (p *pubSub) names(k topicKind, pattern glob) (names []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for name := range p.subscribers[k] {
		if pattern.matches([]byte(name)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// topics is how many topics of a kind have subscribers.
func (p *pubSub) topics(k topicKind) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return int64(len(p.subscribers[k]))
}

// listeners is how many have subscribed to a topic.
func (p *pubSub) listeners(k topicKind, name []byte) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return int64(len(p.subscribers[k][string(name)]))
}
