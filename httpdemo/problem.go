package httpdemo

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"
)

// The problem types of the IANA registry that a limiter has.
const (
	quotaExceededType    = "https://iana.org/assignments/http-problem-types#quota-exceeded"
	reducedCapacityType  = "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity"
	noMoreThanTheStatus  = "about:blank" // RFC 9457: the status says it all
	problemContentType   = "application/problem+json"
	degradedHeader       = "Ratelimit-Degraded"
	structuredFieldsTrue = "?1"
)

// A problem is RFC 9457's problem details.
type problem struct {
	Type     string   `json:"type"`
	Title    string   `json:"title"`
	Status   int      `json:"status"`
	Detail   string   `json:"detail,omitempty"`
	Violated []string `json:"violated-policies,omitempty"`
}

func (p problem) write(w http.ResponseWriter) {
	body, err := json.Marshal(p)
	if err != nil {
		panic("a problem of strings and a number is not JSON: " + err.Error())
	}
	h := w.Header()
	h.Set("Content-Type", problemContentType)
	h.Set("Content-Length", strconv.Itoa(len(body)+1))
	h.Set("Cache-Control", "no-store") // it is about this moment and this caller
	w.WriteHeader(p.Status)
	// A client that is gone does not read it, and nobody else is to be told.
	_, _ = w.Write(append(body, '\n'))
}

// quotaExceeded is the answer to refused requests where there is no other.
func quotaExceeded(w http.ResponseWriter, r *http.Request) {
	p := problem{
		Type:   quotaExceededType,
		Title:  "Request cannot be satisfied as assigned quota has been exceeded",
		Status: http.StatusTooManyRequests,
	}
	if a := exchangeOf(r.Context()); a != nil {
		p.Violated = violated(a.rules, a.verdict)
		p.Detail = waitInWords(a.verdict.RetryAfter)
	}
	p.write(w)
}

func violated(rules []Rule, v Verdict) []string {
	var names []string
	for i := range min(len(rules), len(v.Decisions)) {
		if v.Decisions[i].Limited || i == v.Deciding {
			names = append(names, rules[i].Name)
		}
	}
	return names
}

func waitInWords(retry time.Duration) string {
	if retry == Never {
		return "The request costs more than the limit ever allows."
	}
	return "Try again in " + strconv.FormatInt(retrySeconds(retry), 10) + " s."
}

// retrySeconds is a Retry-After: at least 1, because 0 would be asked again at once.
func retrySeconds(wait time.Duration) int64 { return max(1, ceilSeconds(wait)) }

// setRetryAfter says nothing where no waiting helps.
func setRetryAfter(h http.Header, wait time.Duration) {
	if wait != Never {
		h["Retry-After"] = []string{strconv.FormatInt(retrySeconds(wait), 10)}
	}
}

// reducedCapacity is the answer when nobody can decide. A store that knows when to
// come again says so in its error: ours in a field, others by a method.
func reducedCapacity(w http.ResponseWriter, err error) {
	var ours *UnavailableError
	var other interface{ RetryAfter() time.Duration }
	switch {
	case errors.As(err, &ours):
		setRetryAfter(w.Header(), ours.RetryAfter)
	case errors.As(err, &other):
		setRetryAfter(w.Header(), other.RetryAfter())
	}
	problem{
		Type:   reducedCapacityType,
		Title:  "Request cannot be satisfied due to temporary server capacity constraints",
		Status: http.StatusServiceUnavailable,
	}.write(w)
}

// keyProblem is the answer to a request nobody can be made out for. What exactly is
// wrong is the log's: it may name what clients should not know of.
func keyProblem(w http.ResponseWriter, err error) {
	if errors.Is(err, ErrNoKey) {
		problem{
			Type: noMoreThanTheStatus, Title: "Bad Request", Status: http.StatusBadRequest,
			Detail: "The request does not say who is calling.",
		}.write(w)
		return
	}
	problem{Type: noMoreThanTheStatus, Title: "Internal Server Error", Status: http.StatusInternalServerError}.write(w)
}
