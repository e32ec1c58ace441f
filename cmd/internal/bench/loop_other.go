//go:build !linux

package bench

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// A loop needs epoll: elsewhere than on Linux there is none. The server runs there,
// and can be measured from a Linux machine.
type loop struct {
	conns     []*conn
	calls     atomic.Int64
	latencies *hdrhistogram.Histogram
	last      int64
	missed    int64
}

type conn struct{ replies Replies }

var errNotLinux = errors.New("sluice bench makes its load with epoll, which only Linux has")

func newLoop(Load, int) (*loop, error) { return nil, errNotLinux }

func (*loop) connect(Load, Template) error { return errNotLinux }

func (*loop) run(context.Context, time.Time) error { return errNotLinux }

func (*loop) close() {}
