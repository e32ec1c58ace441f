package httpdemo

import (
	"bufio"
	"io"
	"net"
	"net/http"
)

// handle runs the handler of a request that goes on, and gives its cost back if the
// response is one of those that do not count.
func (m *middleware) handle(next http.Handler, w http.ResponseWriter, r *http.Request, a *exchange) {
	if m.o.RefundIf == nil || a.err != nil || a.cost == 0 || a.verdict.Limited || a.verdict.Degraded {
		next.ServeHTTP(w, r)
		return
	}
	rec := &recorder{ResponseWriter: w}
	returned := false
	// Deferred, because a panic is a response too: net/http's, or a 500 of a recovery
	// around us. It goes on to them untouched.
	defer func() {
		if m.o.RefundIf(rec.result(returned), r) {
			m.giveBack(a, r.Context())
		}
	}()
	next.ServeHTTP(rec, r)
	returned = true
}

// A recorder sees which status a response has. It is all that the writer in it is:
// http.ResponseController finds it by Unwrap, and older callers by the methods here.
type recorder struct {
	http.ResponseWriter
	status int
}

func (rec *recorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }

// result is the status that the client gets, also where the handler set none.
func (rec *recorder) result(returned bool) int {
	switch {
	case rec.status != 0:
		return rec.status
	case returned:
		return http.StatusOK
	}
	return http.StatusInternalServerError
}

func (rec *recorder) WriteHeader(status int) {
	// 1xx are no answers, but for 101 which is the last.
	if rec.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
		rec.status = status
	}
	rec.ResponseWriter.WriteHeader(status)
}

func (rec *recorder) written() {
	if rec.status == 0 {
		rec.status = http.StatusOK
	}
}

func (rec *recorder) Write(b []byte) (int, error) {
	rec.written()
	return rec.ResponseWriter.Write(b)
}

// ReadFrom keeps the server's way to send files.
func (rec *recorder) ReadFrom(src io.Reader) (int64, error) {
	rec.written()
	return io.Copy(rec.ResponseWriter, src)
}

// FlushError is what http.ResponseController prefers to Flush.
func (rec *recorder) FlushError() error {
	rec.written()
	return http.NewResponseController(rec.ResponseWriter).Flush()
}

// Flush can not tell when the writer can not flush, nor can http.Flusher.
func (rec *recorder) Flush() { _ = rec.FlushError() }

func (rec *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(rec.ResponseWriter).Hijack()
	if err == nil && rec.status == 0 {
		rec.status = http.StatusSwitchingProtocols
	}
	return conn, rw, err
}
