package memstore

import "sync"

// buffers are what pages that were given back lay in. New pages take them: they need
// not be made, cleared and brought in by the system. Where none is needed they are
// the garbage collector's.
type buffers struct{ pool sync.Pool }

// make is a buffer of so many bytes. There may be anything in it.
func (b *buffers) make(size int) []byte {
	if size == pageBytes {
		if p, ok := b.pool.Get().(*[pageBytes]byte); ok {
			return p[:]
		}
	}
	return make([]byte, size)
}

// put takes a buffer that nobody uses any more.
func (b *buffers) put(data []byte) {
	if cap(data) == pageBytes {
		b.pool.Put((*[pageBytes]byte)(data[:pageBytes]))
	}
}
