//go:build examples

package main

import (
	"context"
	"strings"
	"time"

	"github.com/redis/rueidis"
)

func useRueidis(s *session) {
	ctx := context.Background()
	options := rueidis.ClientOption{InitAddress: s.addrs[:1], ClientName: name, SelectDB: s.database()}
	if s.mode == "resp2" { // else RESP3, with its cache on the client's side
		options.AlwaysRESP2, options.DisableCache = true, true
	}
	client, err := rueidis.NewClient(options)
	if err != nil {
		fail("can't connect: %v", err)
	}
	defer client.Close()
	command := func(words ...string) rueidis.Completed {
		switch words[0] { // commands with a key say which one it is
		case "MULTI", "EXEC", "CLIENT":
			return client.B().Arbitrary(words...).Build()
		}
		return client.B().Arbitrary(words[0]).Keys(words[1]).Args(words[2:]...).Build()
	}
	do := func(words ...string) (any, error) { return plain(client.Do(ctx, command(words...)).ToAny()) }
	got, err := do("CLIENT", "GETNAME")
	want("the connection's name", got, err, name)
	s.ok("connect")

	five, err := client.Do(ctx, command("CL.THROTTLE", "user:42", "4", "10", "60")).AsIntSlice()
	want("CL.THROTTLE", five, err, []int64{0, 5, 4, -1, 6})
	s.call(func(words []string) (any, error) { return do(words...) })
	typed := client.B().Gcra().Key("gcra").MaxBurst(4).TokensPerPeriod(10).Period(60).Build()
	five, err = client.Do(ctx, typed).AsIntSlice()
	want("GCRA, typed", five, err, []int64{0, 5, 3, -1, 12})
	if s.mode != "resp2" {
		cached(ctx, client)
	}
	s.ok("limiters")

	many := make(rueidis.Commands, 1000)
	for i := range many {
		many[i] = command("FW.INCR", "pipe", "600", year)
	}
	limited := int64(0)
	for _, reply := range client.DoMulti(ctx, many...) {
		five, err := reply.AsIntSlice()
		if err != nil {
			fail("pipeline: %v", err)
		}
		limited += five[0]
	}
	want("limited of 1000", limited, nil, 400)
	s.ok("pipeline")

	err = client.Dedicated(func(c rueidis.DedicatedClient) error {
		replies := c.DoMulti(ctx, command("MULTI"), command("CL.THROTTLE", "{tx}:a", "4", "10", "60"),
			command("TB.TAKE", "{tx}:b", "10", "1"), command("EXEC"))
		got, err := plain(replies[3].ToAny())
		want("MULTI … EXEC", got, err, "[[0 5 4 -1 6] [0 10 9 -1 1000]]")
		return nil
	})
	want("a dedicated connection", nil, err, nil)
	s.ok("transaction")

	err = client.Do(ctx, command("TB.TAKE", "user:42", "10", "1")).Error()
	if refused, ok := rueidis.IsRedisErr(err); !ok || !strings.HasPrefix(refused.Error(), wrong) {
		fail("TB.TAKE on a CL.THROTTLE key: %v", err)
	}
	s.ok("error")

	five, err = client.Do(ctx, command("CL.THROTTLE", binary, "4", "10", "60")).AsIntSlice()
	want("CL.THROTTLE with a binary key", five, err, []int64{0, 5, 4, -1, 6})
	n, err := client.Do(ctx, client.B().Exists().Key(binary).Build()).AsInt64()
	want("EXISTS of a binary key", n, err, 1)
	s.ok("binary")

	s.restart() // rueidis repeats only reads: a call may fail once on each of its connections
	again := func(call func() error) (err error) {
		for range 100 {
			if err = call(); err == nil {
				return nil
			}
			time.Sleep(10 * time.Millisecond)
		}
		return err
	}
	err = again(func() (err error) {
		five, err = client.Do(ctx, command("CL.THROTTLE", "after:restart", "4", "10", "60")).AsIntSlice()
		return err
	})
	want("CL.THROTTLE after a restart", five, err, []int64{0, 5, 4, -1, 6})
	err = again(func() (err error) {
		got, err = do("CLIENT", "GETNAME")
		return err
	})
	want("the connection's name after a restart", got, err, name)
	s.ok("restart")
}

// cached reads a key through the client's own cache, which the server tells when
// the key changes.
func cached(ctx context.Context, client rueidis.Client) {
	read := func() rueidis.RedisResult {
		return client.DoCache(ctx, client.B().Type().Key("user:42:cached").Cache(), time.Minute)
	}
	call := client.B().Arbitrary("FW.INCR").Keys("user:42:cached").Args("10", year).Build()
	got, err := read().ToString()
	want("TYPE", got, err, "none")
	if got := read(); !got.IsCacheHit() {
		fail("TYPE again: not from the cache")
	}
	if err := client.Do(ctx, call).Error(); err != nil {
		fail("FW.INCR: %v", err)
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		if got, err = read().ToString(); got == "fixed-window" {
			return
		}
		if time.Now().After(end) {
			fail("TYPE after a change: %v, %v", got, err)
		}
	}
}

// plain turns rueidis's nil errors within a reply into nil.
func plain(reply any, err error) (any, error) {
	if list, ok := reply.([]any); ok {
		for i, element := range list {
			if e, ok := element.(error); ok && rueidis.IsRedisNil(e) {
				list[i] = nil
			}
		}
	}
	return reply, err
}
