package memstore

import (
	"math"
	"slices"
	"unsafe"

	"sluice/engine"
)

// A page holds records one behind the other, dead ones among them. It is what the
// sweeper works by: due says when it is worth a look, and a page that has become
// mostly dead is emptied by moving what lives to the newest page.
type page struct {
	data []byte         // as far as it is filled; its capacity doubles up to pageBytes
	live int            // bytes of live records
	due  engine.Instant // no record is over before
}

const (
	pageBytes    = 8 << 10
	newPageBytes = 512
	manyPages    = 8
	pageHeader   = int(unsafe.Sizeof(page{})) + 2 // in the table, and among the spare
	pageGranules = pageBytes / granule
	leastRecord  = 24 // bytes that a record with a key of ten takes
	never        = engine.Instant(math.MaxInt64)
)

// A ref is where a record is: page number · pageGranules + granule in the page.
// It has refBits bits, and 0 is no record.
type ref uint32

const refBits = 24

// maxPages bounds a shard to 64 MiB of records, a store to 64 GiB.
const maxPages = 1 << refBits / pageGranules

func (r ref) page() int { return int(r) / pageGranules }

func (s *shard) record(r ref) record {
	return s.pages[r.page()].data[int(r)%pageGranules*granule:]
}

// allocate makes room for a record of n bytes at the end of the newest page. It
// answers 0 if the shard can hold no more.
func (s *shard) allocate(n int) ref {
	if s.newest < 0 || len(s.pages[s.newest].data)+n > pageBytes {
		if s.newest >= 0 && s.pages[s.newest].live == 0 {
			s.dropPage(int(s.newest)) // all of it died while it was being filled
		}
		if !s.addPage() {
			return 0
		}
	}
	p := &s.pages[s.newest]
	at := len(p.data)
	s.growPage(p, at+n)
	p.data = p.data[:at+n]
	p.live += n
	return ref(int(s.newest)*pageGranules + at/granule)
}

func (s *shard) growPage(p *page, n int) {
	size := max(cap(p.data), s.newPage())
	for size < n {
		size *= 2
	}
	if size == cap(p.data) {
		return
	}
	s.account(size - cap(p.data))
	data := s.store.buffers.make(size)
	data[0] = 0 // for what is touched only when it is read is brought in twice
	s.store.large.back(unsafe.Pointer(&data[0]), size)
	p.data = data[:copy(data, p.data)]
}

// newPage is the size a page begins with. Growing it by doubling leaves as much
// garbage as it has bytes; not to is what a shard with more pages can better afford.
func (s *shard) newPage() int {
	switch n := len(s.pages); {
	case n > manyPages:
		return pageBytes
	case n > 1:
		return pageBytes / 2
	}
	return newPageBytes
}

func (s *shard) addPage() bool {
	n := len(s.spare)
	if n > 0 {
		s.newest = int32(s.spare[n-1])
		s.spare = s.spare[:n-1]
	} else {
		if len(s.pages) == maxPages {
			return false
		}
		s.newest = int32(len(s.pages))
		had := cap(s.pages)
		s.pages = append(s.pages, page{})
		s.account((cap(s.pages) - had) * pageHeader)
	}
	p := &s.pages[s.newest]
	p.due = never
	if s.newest == 0 {
		s.growPage(p, granule)
		p.data = p.data[:granule] // so that no ref is 0
	}
	return true
}

// reservePages makes room for n pages in the table.
func (s *shard) reservePages(n int) {
	had := cap(s.pages)
	s.pages = slices.Grow(s.pages, max(0, min(n, maxPages)-len(s.pages)))
	s.account((cap(s.pages) - had) * pageHeader)
}

// release makes a record dead and gives its page back if that was the last.
func (s *shard) release(r ref) {
	rec := s.record(r)
	n := r.page()
	rec.kill()
	s.loose = true
	p := &s.pages[n]
	if p.live -= rec.size(); p.live == 0 && n != int(s.newest) {
		s.dropPage(n)
	}
}

func (s *shard) dropPage(n int) {
	s.account(-cap(s.pages[n].data))
	s.store.buffers.put(s.pages[n].data)
	s.pages[n] = page{due: never}
	s.spare = append(s.spare, uint16(n))
	if n == int(s.newest) {
		s.newest = -1
	}
}

// worn says that more than half of a full page is dead.
func (s *shard) worn(n int) bool {
	p := &s.pages[n]
	return n != int(s.newest) && p.data != nil && p.live < pageBytes/2
}

// firstRecord is where the records of a page begin.
func firstRecord(n int) int {
	if n == 0 {
		return granule // so that no ref is 0
	}
	return 0
}

// records calls f with each live record of a page. f may release it.
func (s *shard) records(n int, f func(ref, record)) {
	at := firstRecord(n)
	data := s.pages[n].data
	for at < len(data) {
		rec := record(data[at:])
		size := rec.size()
		if rec.kind() != 0 {
			f(ref(n*pageGranules+at/granule), rec[:size:size])
		}
		at += size
	}
}
