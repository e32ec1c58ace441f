package memstore

import (
	"bytes"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// largePages has the system back memory that is about to be filled by large pages: a
// fault for each of its small ones can take longer than to load the records in it, and
// two processors that fault wait for each other.
//
// That is asked once for memory as it is now, and no advice stays: what is given back
// later is given back in small pages, too.
type largePages struct {
	wanted atomic.Bool // something large is being loaded
	mu     sync.Mutex
	seen   map[uintptr]bool // by number
}

const (
	largePage = 2 << 20
	collapse  = 25 // MADV_COLLAPSE of Linux 6.1: older ones don't know it, and all is as ever
	tries     = 3  // it fails while the system is about to note a page that was just touched
)

// want begins it if so many bytes are worth it, and ends it if there are none.
func (l *largePages) want(size int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = map[uintptr]bool{}
	l.wanted.Store(size >= 32*largePage && !forbidden())
}

// forbidden says whether who runs this system wants no large pages. To collapse asks
// nobody.
func forbidden() bool {
	mode, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	return err != nil || bytes.Contains(mode, []byte("[never]"))
}

// back asks for the large pages that n bytes lie in. A byte of them was written.
func (l *largePages) back(at unsafe.Pointer, n int) {
	if !l.wanted.Load() {
		return
	}
	last := (uintptr(at) + uintptr(n) - 1) / largePage
	for number := uintptr(at) / largePage; number <= last; number++ {
		if !l.first(number) {
			continue
		}
		for range tries {
			_, _, failed := syscall.Syscall(syscall.SYS_MADVISE, number*largePage, largePage, collapse)
			if failed != syscall.EAGAIN {
				break
			}
		}
	}
}

// first says whether nobody has asked for a page yet.
func (l *largePages) first(number uintptr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	seen := l.seen[number]
	l.seen[number] = true
	return !seen
}
