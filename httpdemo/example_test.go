package httpdemo_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	"sluice/httpdemo"
)

// A login form: ten attempts a minute and a hundred a day from one address, on
// however many instances, and in the process when no server answers.
func ExampleNew() {
	servers := httpdemo.NewRemote(httpdemo.RemoteOptions{Addrs: []string{"127.0.0.1:6390"}})
	local := httpdemo.NewLocal(64 << 20)
	store := httpdemo.NewFailover(httpdemo.NewBreaker(servers, httpdemo.BreakerOptions{}),
		httpdemo.FailLocal, local, 4, httpdemo.FailoverOptions{})
	limit, err := httpdemo.New(store, []httpdemo.Rule{
		{Name: "minute", Algorithm: "token-bucket", Capacity: 10, RefillPerSecond: 1_000_000 / 6},
		{Name: "day", Algorithm: "fixed-window", Limit: 100, Window: 24 * time.Hour},
	}, httpdemo.Options{RefundIf: httpdemo.FailuresOnly}) // a login that succeeds costs nothing
	if err != nil {
		log.Fatal(err)
	}
	http.Handle("POST /login", limit(http.HandlerFunc(login)))
}

func login(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }

// Calls to a partner that allows 10 a second and 500 an hour.
func ExampleTransport() {
	partner := httptest.NewServer(http.HandlerFunc(login))
	defer partner.Close()
	store := httpdemo.NewLocal(1 << 20)
	defer store.Close()
	client := &http.Client{Transport: &httpdemo.Transport{
		Store: store,
		Rules: []httpdemo.Rule{
			{Name: "second", Algorithm: "token-bucket", Capacity: 10, RefillPerSecond: 10_000_000},
			{Name: "hour", Algorithm: "sliding-log", Limit: 500, Window: time.Hour},
		},
		Budget: 5 * time.Second, // at most so long a call waits for its turn
	}}
	r, err := http.NewRequestWithContext(context.Background(), "GET", partner.URL, nil)
	if err != nil {
		log.Fatal(err)
	}
	res, err := client.Do(r)
	if err != nil {
		log.Fatal(err) // errors.Is(err, httpdemo.ErrNotInTime): no turn within the budget
	}
	res.Body.Close()
	fmt.Println(res.StatusCode)
	// Output: 200
}
