//go:build !linux

package server

import "errors"

// A poller is for Linux only so far: elsewhere each connection has its goroutine.
type poller struct{}

func newPoller(bool) (*poller, error) { return nil, errors.ErrUnsupported }

func (p *poller) close()            {}
func (p *poller) add(int) error     { return errors.ErrUnsupported }
func (p *poller) remove(int)        {}
func (p *poller) ring()             {}
func (p *poller) wait(func(fd int)) {}

// hungUp is for Linux only: elsewhere it can't be told until all is read.
func hungUp(int) bool { return false }
