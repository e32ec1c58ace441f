package commands

import "sync"

// A testPeer is a connection that keeps what it is told.
type testPeer struct {
	mu     sync.Mutex
	killed int
	pushed []Reply
	onKill func()
}

func (p *testPeer) Kill() {
	p.mu.Lock()
	p.killed++
	p.mu.Unlock()
	if p.onKill != nil {
		p.onKill()
	}
}

func (p *testPeer) Push(r Reply) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pushed = append(p.pushed, r)
}

// Rest does not: what waits in a test is told to end.
func (p *testPeer) Slow() {}

func (p *testPeer) Rest(<-chan struct{}) bool { return false }

// heard is what was pushed since it was last asked.
func (p *testPeer) heard() []Reply {
	p.mu.Lock()
	defer p.mu.Unlock()
	pushed := p.pushed
	p.pushed = nil
	return pushed
}
