//go:build examples

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"
)

// open is the client that the mode asks for. Their calls are the same.
func (s *session) open() redis.UniversalClient {
	protocol := 3
	if s.mode == "resp2" {
		protocol = 2
	}
	switch {
	case s.mode == "cluster":
		return redis.NewClusterClient(&redis.ClusterOptions{Addrs: s.addrs, ClientName: name})
	case s.client == "ring":
		shards := map[string]string{}
		for i, addr := range s.addrs {
			shards[fmt.Sprint("shard", i)] = addr
		}
		return redis.NewRing(&redis.RingOptions{Addrs: shards, ClientName: name, DB: s.database(), Protocol: protocol})
	}
	return redis.NewClient(&redis.Options{Addr: s.addrs[0], ClientName: name, DB: s.database(), Protocol: protocol})
}

func goRedis(s *session) {
	ctx := context.Background()
	client := s.open()
	defer client.Close()
	do := func(words []string) (any, error) {
		args := make([]any, len(words))
		for i, w := range words {
			args[i] = w
		}
		return client.Do(ctx, args...).Result()
	}
	got, err := client.Do(ctx, "CLIENT", "GETNAME").Text()
	want("the connection's name", got, err, name)
	s.ok("connect")

	five, err := client.Do(ctx, "CL.THROTTLE", "user:42", 4, 10, 60).Int64Slice()
	want("CL.THROTTLE", five, err, []int64{0, 5, 4, -1, 6})
	s.call(do)
	s.ok("limiters")

	cmds, err := client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for range 1000 {
			p.Do(ctx, "FW.INCR", "pipe", 600, year)
		}
		return nil
	})
	limited := int64(0)
	for _, cmd := range cmds {
		if five, err := cmd.(*redis.Cmd).Int64Slice(); err == nil {
			limited += five[0]
		}
	}
	want("limited of 1000", limited, err, 400)
	s.ok("pipeline")

	cmds, err = client.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.Do(ctx, "CL.THROTTLE", "{tx}:a", 4, 10, 60)
		p.Do(ctx, "TB.TAKE", "{tx}:b", 10, 1)
		return nil
	})
	var replies []any
	for _, cmd := range cmds {
		replies = append(replies, cmd.(*redis.Cmd).Val())
	}
	want("MULTI … EXEC", replies, err, "[[0 5 4 -1 6] [0 10 9 -1 1000]]")
	s.ok("transaction")

	err = client.Do(ctx, "TB.TAKE", "user:42", 10, 1).Err()
	var refused redis.Error
	if !errors.As(err, &refused) || !strings.HasPrefix(refused.Error(), wrong) {
		fail("TB.TAKE on a CL.THROTTLE key: %v", err)
	}
	s.ok("error")

	five, err = client.Do(ctx, "CL.THROTTLE", binary, 4, 10, 60).Int64Slice()
	want("CL.THROTTLE with a binary key", five, err, []int64{0, 5, 4, -1, 6})
	n, err := client.Exists(ctx, binary).Result()
	want("EXISTS of a binary key", n, err, 1)
	s.ok("binary")

	s.restart() // go-redis dials anew and tries again by itself
	five, err = client.Do(ctx, "CL.THROTTLE", "after:restart", 4, 10, 60).Int64Slice()
	want("CL.THROTTLE after a restart", five, err, []int64{0, 5, 4, -1, 6})
	got, err = client.Do(ctx, "CLIENT", "GETNAME").Text()
	want("the connection's name after a restart", got, err, name)
	s.ok("restart")
}
