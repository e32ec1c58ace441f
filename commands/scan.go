package commands

import (
	"bytes"
	"slices"
	"strconv"

	"sluice/commands/config"
	"sluice/engine"
)

const (
	defaultScanCount = 10
	// maxScanCount bounds the work of one SCAN however much it is asked for.
	maxScanCount = 100_000
	// scanBatch is how many keys are asked of the store at a time, or fewer if
	// they might not fit into the reply.
	scanBatch = 256
	// bulkOverhead is about what a key in a reply costs beside its bytes.
	bulkOverhead = 16
)

// A scanRequest is what a SCAN or a KEYS looks for.
type scanRequest struct {
	cursor uint64
	count  int
	match  glob
	kind   string // of TYPE, "" for any
}

func (s *scanRequest) wants(e engine.Entry) bool {
	return (s.kind == "" || s.kind == e.State.Kind.String()) && (s.match.all() || s.match.matches(e.Key.Name))
}

func scan(c *Session, args [][]byte) (Reply, error) {
	s, err := parseScan(args[1:])
	if err != nil {
		return Reply{}, err
	}
	names, cursor, err := c.scan(&s)
	if err != nil {
		return Reply{}, err
	}
	return array(bulk(strconv.FormatUint(cursor, 10)), names), nil
}

func parseScan(args [][]byte) (s scanRequest, err error) {
	s = scanRequest{count: defaultScanCount, match: glob{pattern: []byte("*")}}
	if s.cursor, err = strconv.ParseUint(string(args[0]), 10, 64); err != nil {
		return s, errBadCursor
	}
	for rest := args[1:]; len(rest) > 0; rest = rest[2:] {
		if len(rest) == 1 {
			return s, errSyntax
		}
		if err := s.add(rest[0], rest[1]); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (s *scanRequest) add(option, value []byte) error {
	switch {
	case is(option, "MATCH"):
		if err := checkPattern(value); err != nil {
			return err
		}
		s.match.pattern = value
	case is(option, "COUNT"):
		n, err := parseInt(value)
		if err != nil {
			return err
		}
		if n < 1 {
			return errSyntax
		}
		s.count = int(min(n, maxScanCount))
	case is(option, "TYPE"):
		s.kind = string(bytes.ToLower(value))
	default:
		return errSyntax
	}
	return nil
}

// checkPattern bounds the work of a match: no longer pattern has a use.
func checkPattern(pattern []byte) error {
	if len(pattern) > engine.MaxKeyBytes {
		return errorf("ERR pattern is longer than %d bytes", engine.MaxKeyBytes)
	}
	return nil
}

// scan walks on from the cursor for about count keys. It stops early when the
// names fill half of the longest reply: the cursor goes on from there.
func (c *Session) scan(s *scanRequest) (names Reply, cursor uint64, err error) {
	names, cursor = array(), s.cursor
	room := int(c.service.Config.Number(config.OutputLimit)) / 2
	for left, batch := s.count, 0; left > 0 && room > 0; left -= batch {
		batch = min(left, scanBatch, 1+room/(engine.MaxKeyBytes+bulkOverhead))
		cursor, err = c.store.Scan(c.ctx, int(c.db.Load()), cursor, batch, func(e engine.Entry) {
			if s.wants(e) {
				names.Items = append(names.Items, bulkBytes(e.Key.Name))
				room -= len(e.Key.Name) + bulkOverhead
			}
		})
		if err != nil || cursor == 0 {
			break
		}
	}
	return names, cursor, err
}

// keys lists a whole database, in the order of the names. It gives up rather than
// send more than a reply may hold.
func keys(c *Session, args [][]byte) (Reply, error) {
	if err := checkPattern(args[1]); err != nil {
		return Reply{}, err
	}
	s := scanRequest{match: glob{pattern: args[1]}}
	limit := c.service.Config.Number(config.OutputLimit)
	names, room := [][]byte(nil), limit
	for {
		var err error
		s.cursor, err = c.store.Scan(c.ctx, int(c.db.Load()), s.cursor, scanBatch, func(e engine.Entry) {
			if c.ctx.Err() == nil && s.wants(e) { // long patterns take long
				names = append(names, e.Key.Name)
				room -= int64(len(e.Key.Name) + bulkOverhead)
			}
		})
		switch {
		case err != nil:
			return Reply{}, err
		case room < 0:
			return Reply{}, errorf("ERR the reply would be longer than client-output-limit (%d bytes): use SCAN", limit)
		case s.cursor == 0:
			return sortedKeys(names), nil
		}
	}
}

// sortedKeys names each key once, though a walk may meet it more often.
func sortedKeys(names [][]byte) Reply {
	slices.SortFunc(names, bytes.Compare)
	names = slices.CompactFunc(names, bytes.Equal)
	r := Reply{Kind: Array, Items: make([]Reply, len(names))}
	for i, name := range names {
		r.Items[i] = bulkBytes(name)
	}
	return r
}
