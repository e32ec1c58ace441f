package server

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// feed gives the reader bytes as if they came in one read, as far as there is space.
func (f *frameReader) feed(b []byte) (n int) {
	n = copy(f.space(), b)
	f.filled(n)
	return n
}

// commandsOf is what a reader finds in a stream that comes in reads of a size.
func commandsOf(f *frameReader, stream string, size int, limits *Limits) (found [][]string, err error) {
	for b := []byte(stream); len(b) > 0; {
		b = b[f.feed(b[:min(size, len(b))]):]
		for {
			args, err := f.next(limits)
			if err != nil {
				return found, err
			}
			if args == nil {
				break
			}
			words := make([]string, len(args))
			for i, a := range args {
				words[i] = string(a)
			}
			found = append(found, words)
		}
		f.rest()
	}
	return found, nil
}

var roomy = &Limits{Arguments: 1024, Bulk: 1 << 20, Command: 16 << 20}

// A byte is searched for a line's end once, however slowly a line comes.
func TestReaderNeverLooksTwice(t *testing.T) {
	for _, begin := range []string{"", "*", "*1\r\n$"} {
		f := newFrameReader()
		searched := 0
		stream := begin + strings.Repeat("1", maxLine-1)
		for i := range stream {
			f.feed([]byte{stream[i]})
			searched += f.to - f.at - f.searched
			if args, err := f.next(roomy); args != nil || err != nil {
				t.Fatal(args, err)
			}
			f.rest()
		}
		if searched > len(stream)+8 {
			t.Errorf("%q: %d bytes searched for a line of %d", begin, searched, len(stream))
		}
	}
}

// What was parsed of a command is not parsed again when more of it comes.
func TestReaderGoesOnWhereItWas(t *testing.T) {
	f := newFrameReader()
	words := make([]string, 1000)
	for i := range words {
		words[i] = strings.Repeat("x", 20)
	}
	stream := frame(words...)
	for i := range stream {
		f.feed([]byte{stream[i]})
		unparsed := f.to - f.at
		if _, err := f.next(roomy); err != nil {
			t.Fatal(err)
		}
		if unparsed > len("xxxxxxxxxxxxxxxxxxxx\r\n") {
			t.Fatalf("at byte %d the reader begins %d bytes back", i, unparsed)
		}
	}
}

// The buffer grows with the bytes that came, not with what was announced.
func TestReaderBuffer(t *testing.T) {
	f := newFrameReader()
	announced := "*1024\r\n$1000000\r\n"
	f.feed([]byte(announced))
	_, _ = f.next(roomy)
	f.rest()
	if len(f.buf) != smallBuffer || cap(f.spans) > 16 {
		t.Errorf("an announcement costs %d bytes and %d spans", len(f.buf), cap(f.spans))
	}
	came := len(announced)
	for range 900 {
		came += f.feed(make([]byte, 1000))
		_, _ = f.next(roomy)
		f.rest()
		if len(f.buf) > max(2*came, largeBuffer) {
			t.Fatalf("%d bytes came, the buffer has %d", came, len(f.buf))
		}
	}
}

func TestReaderBufferShrinks(t *testing.T) {
	f := newFrameReader()
	huge := frame("ECHO", strings.Repeat("x", 1<<20))
	if got, err := commandsOf(f, huge+"*1\r\n$4\r\nPI", 50000, roomy); len(got) != 1 || err != nil {
		t.Fatal(len(got), err)
	}
	if len(f.buf) > largeBuffer {
		t.Errorf("after a huge command the buffer has %d bytes", len(f.buf))
	}
	for _, a := range f.args[:cap(f.args)] {
		if a != nil {
			t.Error("an argument keeps the huge buffer alive")
		}
	}
	if got, err := commandsOf(f, "NG\r\n", 50000, roomy); len(got) != 1 || got[0][0] != "PING" || err != nil {
		t.Errorf("the command behind it is %q, %v", got, err)
	}
}

func TestReaderTrims(t *testing.T) {
	f := newFrameReader()
	pipeline := strings.Repeat(ping, 10000)
	if got, err := commandsOf(f, pipeline+"*2\r\n$4\r\nECHO\r\n$5\r\nab", 1<<20, roomy); len(got) != 10000 || err != nil {
		t.Fatal(len(got), err)
	}
	if len(f.buf) != largeBuffer || !f.large() {
		t.Errorf("in a pipeline the buffer has %d bytes", len(f.buf))
	}
	f.trim()
	if len(f.buf) != smallBuffer || f.large() {
		t.Errorf("trimmed, the buffer has %d bytes", len(f.buf))
	}
	if got, err := commandsOf(f, "cde\r\n", 1<<20, roomy); fmt.Sprint(got, err) != "[[ECHO abcde]] <nil>" {
		t.Errorf("the command across the trim is %q, %v", got, err)
	}
}

func TestReaderLimitsACommand(t *testing.T) {
	limits := &Limits{Arguments: 1024, Bulk: 1 << 20, Command: 64 << 10}
	word := strings.Repeat("x", 10000)
	_, err := commandsOf(newFrameReader(), frame(word, word, word, word, word, word, word), 1<<20, limits)
	if err != ProtocolError("command is longer than 65536 bytes") {
		t.Error(err)
	}
	if _, err := commandsOf(newFrameReader(), frame(word, word, word, word, word, word), 1<<20, limits); err != nil {
		t.Error(err)
	}
}

const throttle = "*5\r\n$11\r\nCL.THROTTLE\r\n$6\r\nuser:1\r\n$9\r\n999999999\r\n$9\r\n100000000\r\n$1\r\n1\r\n"

// steady is a connection whose client says the same for ever.
func steady(t testing.TB, stream string) (*conn, *script) {
	s := newServer(newService(t), nil)
	nc := &script{chunks: [][]byte{[]byte(stream)}, again: true, mute: true}
	c := s.newConn(nc)
	for range 8 { // buffers grow to what they need
		if !c.turn() {
			t.Fatal("the connection has ended")
		}
	}
	return c, nc
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	for _, depth := range []int{1, 64, 500} {
		stream := []byte(strings.Repeat(throttle, depth))
		f := newFrameReader()
		read := func() {
			for b := stream; len(b) > 0; f.rest() {
				b = b[f.feed(b):]
				for args, err := f.next(roomy); args != nil || err != nil; args, err = f.next(roomy) {
					if err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		read()
		read()
		if n := testing.AllocsPerRun(200, read); n > 0 {
			t.Errorf("reading %d commands: %v allocations", depth, n)
		}
		c, _ := steady(t, string(stream))
		if n := testing.AllocsPerRun(200, func() { c.turn() }); n > 0 {
			t.Errorf("answering %d commands: %v allocations", depth, n)
		}
	}
}

// A batch is answered with one write, a long one with a write for each 64 KB.
func TestOneWriteABatch(t *testing.T) {
	for depth, most := range map[int]int{1: 1, 64: 1, 1000: 1, 5000: 5} {
		nc := &script{chunks: [][]byte{[]byte(strings.Repeat(ping, depth))}}
		c := newServer(newService(t), nil).newConn(nc)
		c.frames.resize(1 << 20) // so that it is one read
		c.serve()
		if nc.writes > most || len(nc.out) != depth*len("+PONG\r\n") {
			t.Errorf("%d commands: %d writes, %d bytes", depth, nc.writes, len(nc.out))
		}
	}
}

// All replies before an error come, in order, then the error, then the end.
func TestBatchesWithABadFrame(t *testing.T) {
	s := newServer(newService(t), nil)
	for _, depth := range []int{1, 10, 1000, 100_000} {
		var stream, want strings.Builder
		for i := range depth {
			if i == depth/2 {
				continue
			}
			word := fmt.Sprint(i)
			if i < depth/2 {
				fmt.Fprintf(&want, "$%d\r\n%s\r\n", len(word), word)
			}
			stream.WriteString(frame("ECHO", word))
			if i == depth/2-1 {
				stream.WriteString("*1\r\n?\r\n")
			}
		}
		if depth == 1 {
			stream.WriteString("*1\r\n?\r\n")
		}
		want.WriteString(protocolError("expected '$', got '?'"))
		if got := converse(s, []byte(stream.String())); got != (outcome{want.String(), true}) {
			t.Errorf("%d commands: answers %v", depth, got)
		}
	}
}

// A giant length costs no memory: what a connection takes is all there is.
func TestGiantsAreCheap(t *testing.T) {
	s := newServer(newService(t), nil)
	for _, n := range giants {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		converse(s, []byte("*"+n+"\r\n"))
		converse(s, []byte("*1\r\n$"+n+"\r\n"))
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 64<<10 {
			t.Errorf("%s: %d bytes allocated", n, took)
		}
	}
}

// What may be sent changes with AUTH, also in the middle of a pipeline, and back.
func TestLimitsFollowAuthentication(t *testing.T) {
	s := newServer(newService(t, "requirepass", "secret"), nil)
	eleven := frame("ECHO", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11")
	long := frame("ECHO", strings.Repeat("x", 16<<10+1))
	const arity = "-ERR wrong number of arguments for 'echo' command\r\n"
	const noAuth = "-NOAUTH Authentication required.\r\n"
	manyWords := protocolError("unauthenticated multibulk length")
	longWord := protocolError("unauthenticated bulk length")
	for stream, want := range map[string]outcome{
		eleven:                                  {manyWords, true},
		long:                                    {longWord, true},
		ping + eleven:                           {noAuth + manyWords, true},
		"*99999999999\r\n":                      {badMultibulk, true},
		frame("AUTH", "no") + eleven:            {"-WRONGPASS invalid username-password pair or user is disabled.\r\n" + manyWords, true},
		frame("AUTH", "secret") + eleven + ping: {"+OK\r\n" + arity + "+PONG\r\n", false},
		frame("AUTH", "secret") + ping + frame("RESET") + long:          {"+OK\r\n+PONG\r\n+RESET\r\n" + longWord, true},
		frame("AUTH", "secret") + frame("RESET") + frame("QUIT") + ping: {"+OK\r\n+RESET\r\n+OK\r\n", true},
		strings.Repeat("a ", 11) + "\r\n":                               {protocolError("too many words in request"), true},
	} {
		for _, size := range []int{1 << 20, 100, 1} {
			var places []int
			for at := size; at < len(stream); at += size {
				places = append(places, at)
			}
			if got := converse(s, cutAt(stream, places...)...); got != want {
				t.Errorf("%.200q in chunks of %d:\nanswers %v\nwant    %v", stream, size, got, want)
			}
		}
	}
}

// CONFIG SET of a limit holds from the next command on.
func TestLimitsFollowConfig(t *testing.T) {
	service := newService(t)
	s := newServer(service, nil)
	stream := frame("CONFIG", "SET", "proto-max-bulk-len", "4096") + frame("ECHO", strings.Repeat("x", 4097))
	if got := converse(s, []byte(stream)); got != (outcome{"+OK\r\n" + badBulk, true}) {
		t.Error(got)
	}
}
