package server

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/tidwall/redcon"
)

// BenchmarkFrames reads a pipeline of 64 limiting commands; redcon's own reader is
// the peer.
func BenchmarkFrames(b *testing.B) {
	stream := []byte(strings.Repeat(throttle, 64))
	b.Run("reader=ours", func(b *testing.B) {
		f := newFrameReader()
		b.SetBytes(int64(len(stream)))
		b.ReportAllocs()
		for b.Loop() {
			for rest := stream; len(rest) > 0; f.rest() {
				rest = rest[f.feed(rest):]
				for args, _ := f.next(roomy); args != nil; args, _ = f.next(roomy) {
				}
			}
		}
	})
	b.Run("reader=redcon", func(b *testing.B) {
		r := redcon.NewReader(&repeat{stream: stream})
		b.SetBytes(int64(len(stream)))
		b.ReportAllocs()
		for b.Loop() {
			for range 64 {
				if _, err := r.ReadCommand(); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

// A repeat is a stream that comes again and again, a read at a time.
type repeat struct {
	stream []byte
	rest   bytes.Reader
}

func (r *repeat) Read(b []byte) (int, error) {
	if r.rest.Len() == 0 {
		r.rest.Reset(r.stream)
	}
	return r.rest.Read(b)
}

// BenchmarkTurn is the whole way of a batch but for the system: read, run, write.
func BenchmarkTurn(b *testing.B) {
	for _, call := range []string{
		throttle,
		frame("SL.HIT", "log", "100", "1d"),
		frame("CC.ACQUIRE", "lease", "100", "1d", "TOKEN", "token"),
		frame("RL.ALL", "a", "CL.THROTTLE", "99", "100", "86400", "AND", "b", "TB.TAKE", "100", "0.001", "AND", "c", "FW.INCR", "100", "1d"),
	} {
		name := strings.Split(call, "\r\n")[2]
		for _, depth := range []int{1, 16, 64} {
			b.Run(fmt.Sprintf("command=%s/depth=%d", name, depth), func(b *testing.B) {
				c, _ := steady(b, strings.Repeat(call, depth))
				b.ReportAllocs()
				for b.Loop() {
					c.turn()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*depth), "ns/command")
			})
		}
	}
}

// BenchmarkLoopback is one client and the system between.
func BenchmarkLoopback(b *testing.B) {
	_, addr := onTCP(b, newService(b))
	for _, depth := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("depth=%d", depth), func(b *testing.B) {
			c := dial(b, addr)
			pipeline := []byte(strings.Repeat(ping, depth))
			replies := make([]byte, depth*len("+PONG\r\n"))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Write(pipeline); err != nil {
					b.Fatal(err)
				}
				if _, err := io.ReadFull(c, replies); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*depth), "ns/command")
		})
	}
}
