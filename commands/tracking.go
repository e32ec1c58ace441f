package commands

import (
	"slices"
	"strings"

	"sluice/engine"
)

// A tracker is what CLIENT TRACKING has told of a session. It is guarded by
// tracking.mu, and only the session's own goroutine changes the first part.
type tracker struct {
	bcast, optIn, optOut, noLoop bool
	redirect                     int64    // the id of the client that hears it, 0 for itself
	prefixes                     []string // of keys, with bcast

	broken bool // nobody has the redirect's id any more
	read   map[*trackedEntry]struct{}
}

// maxPrefixes bounds the prefixes of one client.
const maxPrefixes = 1000

// trackOptions is the options of a CLIENT TRACKING. Those that follow from others
// are checked against what the session has by mayTrack.
func (c *Session) trackOptions(args [][]byte) (t tracker, err error) {
	for ; len(args) > 0; args = args[1:] {
		switch {
		case is(args[0], "REDIRECT") && len(args) > 1:
			if t.redirect != 0 {
				return t, errorf("ERR A client can only redirect to a single other client")
			}
			args = args[1:]
			if t.redirect, err = parseInt(args[0]); err != nil {
				return t, err
			}
			if c.service.Sessions.byID(t.redirect) == nil {
				return t, errorf("ERR The client ID you want redirect to does not exist")
			}
		case is(args[0], "PREFIX") && len(args) > 1:
			args = args[1:]
			t.prefixes = append(t.prefixes, string(args[0]))
		case is(args[0], "BCAST"):
			t.bcast = true
		case is(args[0], "OPTIN"):
			t.optIn = true
		case is(args[0], "OPTOUT"):
			t.optOut = true
		case is(args[0], "NOLOOP"):
			t.noLoop = true
		default:
			return t, errSyntax
		}
	}
	return t, nil
}

func clientTracking(c *Session, args [][]byte) (Reply, error) {
	t, err := c.trackOptions(args[3:])
	if err != nil {
		return Reply{}, err
	}
	on, err := parseOnOff(args[2])
	if err != nil {
		return Reply{}, err
	}
	if !on {
		c.stopTracking()
		return OK, nil
	}
	if err := c.mayTrack(&t); err != nil {
		return Reply{}, err
	}
	c.service.tracking.begin(c, t)
	c.tracks, c.trackReads = true, !t.bcast
	return OK, nil
}

// mayTrack says why the options do not go together or with those that hold, in
// Redis's words and order.
func (c *Session) mayTrack(t *tracker) error {
	const before = "before disabling tracking for this client, and then re-enabling it with a different mode."
	old := &c.tracker
	switch {
	case !t.bcast && len(t.prefixes) > 0:
		return errorf("ERR PREFIX option requires BCAST mode to be enabled")
	case c.tracks && old.bcast != t.bcast:
		return errorf("ERR You can't switch BCAST mode on/off %s", before)
	case t.bcast && (t.optIn || t.optOut):
		return errorf("ERR OPTIN and OPTOUT are not compatible with BCAST")
	case t.optIn && t.optOut:
		return errorf("ERR You can't specify both OPTIN mode and OPTOUT mode")
	case t.optIn && old.optOut, t.optOut && old.optIn:
		return errorf("ERR You can't switch OPTIN/OPTOUT mode %s", before)
	case len(old.prefixes)+len(t.prefixes) > maxPrefixes:
		return errorf("ERR a client can have at most %d prefixes", maxPrefixes)
	}
	return checkPrefixes(old.prefixes, t.prefixes)
}

// checkPrefixes says whether all prefixes are apart, so that a key has one at most.
func checkPrefixes(old, more []string) error {
	overlap := func(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }
	const apart = "Prefixes for a single client must not overlap."
	for i, a := range more {
		if len(a) > engine.MaxKeyBytes {
			return errorf("ERR a prefix is longer than %d bytes", engine.MaxKeyBytes)
		}
		for _, b := range old {
			if overlap(a, b) {
				return errorf("ERR Prefix '%.128s' overlaps with an existing prefix '%.128s'. %s", printable([]byte(a)), printable([]byte(b)), apart)
			}
		}
		for _, b := range more[i+1:] {
			if overlap(a, b) {
				return errorf("ERR Prefix '%.128s' overlaps with another provided prefix '%.128s'. %s", printable([]byte(a)), printable([]byte(b)), apart)
			}
		}
	}
	return nil
}

// begin has a client track, in this way from now on. BCAST without a prefix is all
// keys.
func (t *tracking) begin(c *Session, options tracker) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if options.bcast {
		options.prefixes = append(slices.Clone(c.tracker.prefixes), options.prefixes...)
		if len(options.prefixes) == 0 {
			options.prefixes = []string{""}
		}
		slices.Sort(options.prefixes)
	}
	options.read = c.tracker.read
	c.tracker = options
	if t.clients == nil {
		t.clients = map[*Session]struct{}{}
	}
	t.clients[c] = struct{}{}
	t.any.Store(int32(len(t.clients)))
}

func (c *Session) stopTracking() {
	if c.tracks {
		c.service.tracking.forget(c)
	}
	c.tracks, c.trackReads, c.caching = false, false, false
}

// rememberKeys has the client hear of changes to the keys that it is about to read,
// unless it tracks only what it asks for or has asked not to.
func (c *Session) rememberKeys(cmd *Command, args [][]byte) {
	if t := &c.tracker; t.optIn && !c.caching || t.optOut && c.caching {
		return
	}
	_ = cmd.eachKey(args, func(name []byte) error {
		key := c.key(name)
		c.service.tracking.remember(c, key)
		if state, err := c.store.Get(c.ctx, key); err == nil && state.Kind != 0 {
			c.service.tracking.exists(trackedKey{key.DB, string(name)})
		}
		return nil
	})
}

// touched notes that a key has changed, and tells whoever tracks it.
func (c *Session) touched(k engine.Key) {
	c.touching = true
	if c.service.tracking.any.Load() > 0 {
		c.service.tracking.changed(c, k)
	}
}

// touchedAll notes that all keys have changed, and tells whoever tracks any.
func (c *Session) touchedAll() {
	c.touching = true
	if c.service.tracking.any.Load() > 0 {
		c.service.tracking.flushed()
	}
}

func clientCaching(c *Session, args [][]byte) (Reply, error) {
	if !c.tracks {
		return Reply{}, errorf("ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled")
	}
	switch {
	case is(args[2], "YES"):
		if !c.tracker.optIn {
			return Reply{}, errorf("ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.")
		}
	case is(args[2], "NO"):
		if !c.tracker.optOut {
			return Reply{}, errorf("ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.")
		}
	default:
		return Reply{}, errSyntax
	}
	c.caching, c.aside = true, true
	return OK, nil
}

// clientGetRedir tells the client that hears for this one: 0 for itself, -1 without
// tracking.
func clientGetRedir(c *Session, _ [][]byte) (Reply, error) {
	return integer(c.service.tracking.about(c).redir), nil
}

func clientTrackingInfo(c *Session, _ [][]byte) (Reply, error) {
	a := c.service.tracking.about(c)
	flags := Reply{Kind: Set}
	for _, f := range []struct {
		name string
		on   bool
	}{
		{"off", !c.tracks}, {"on", c.tracks}, {"bcast", a.bcast},
		{"optin", a.optIn}, {"caching-yes", a.optIn && c.caching},
		{"optout", a.optOut}, {"caching-no", a.optOut && c.caching},
		{"noloop", a.noLoop}, {"broken_redirect", a.broken},
	} {
		if f.on {
			flags.Items = append(flags.Items, bulk(f.name))
		}
	}
	return mapOf(bulk("flags"), flags, bulk("redirect"), integer(a.redir), bulk("prefixes"), bulks(a.prefixes)), nil
}

// trackerView is what others can see of a tracker.
type trackerView struct {
	tracker
	on    bool
	redir int64
}

// about is how a client tracks. Any goroutine may ask.
func (t *tracking) about(c *Session) trackerView {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, on := t.clients[c]
	v := trackerView{tracker: c.tracker, on: on, redir: -1}
	if on {
		v.redir = c.tracker.redirect
	}
	return v
}

// counts is how much is tracked, for INFO.
func (t *tracking) counts() (keys, pairs, prefixes int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for c := range t.clients {
		prefixes += len(c.tracker.prefixes)
	}
	return len(t.table), t.pairs, prefixes
}
