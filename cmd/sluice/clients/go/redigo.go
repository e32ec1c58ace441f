//go:build examples

package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"
)

func useRedigo(s *session) {
	pool := &redis.Pool{
		MaxIdle: 2,
		Dial: func() (redis.Conn, error) {
			return redis.Dial("tcp", s.addrs[0], redis.DialClientName(name), redis.DialDatabase(s.database()))
		},
		TestOnBorrow: func(c redis.Conn, _ time.Time) error {
			_, err := c.Do("PING")
			return err
		},
	}
	defer pool.Close()
	c := pool.Get()
	got, err := redis.String(c.Do("CLIENT", "GETNAME"))
	want("the connection's name", got, err, name)
	s.ok("connect")

	five, err := redis.Int64s(c.Do("CL.THROTTLE", "user:42", 4, 10, 60))
	want("CL.THROTTLE", five, err, []int64{0, 5, 4, -1, 6})
	s.call(func(words []string) (any, error) {
		reply, err := c.Do(words[0], redis.Args{}.AddFlat(words[1:])...)
		return text(reply), err
	})
	s.ok("limiters")

	for range 1000 {
		c.Send("FW.INCR", "pipe", 600, year)
	}
	c.Flush()
	limited := int64(0)
	for range 1000 {
		five, err := redis.Int64s(c.Receive())
		if err != nil {
			fail("pipeline: %v", err)
		}
		limited += five[0]
	}
	want("limited of 1000", limited, nil, 400)
	s.ok("pipeline")

	c.Send("MULTI")
	c.Send("CL.THROTTLE", "{tx}:a", 4, 10, 60)
	c.Send("TB.TAKE", "{tx}:b", 10, 1)
	replies, err := redis.Values(c.Do("EXEC"))
	want("MULTI … EXEC", replies, err, "[[0 5 4 -1 6] [0 10 9 -1 1000]]")
	s.ok("transaction")

	_, err = c.Do("TB.TAKE", "user:42", 10, 1)
	var refused redis.Error
	if !errors.As(err, &refused) || !strings.HasPrefix(refused.Error(), wrong) {
		fail("TB.TAKE on a CL.THROTTLE key: %v", err)
	}
	s.ok("error")

	five, err = redis.Int64s(c.Do("CL.THROTTLE", []byte(binary), 4, 10, 60))
	want("CL.THROTTLE with a binary key", five, err, []int64{0, 5, 4, -1, 6})
	n, err := redis.Int(c.Do("EXISTS", []byte(binary)))
	want("EXISTS of a binary key", n, err, 1)
	s.ok("binary")
	c.Close() // back into the pool

	s.restart()
	c = pool.Get() // TestOnBorrow finds the old connection dead and dials anew
	defer c.Close()
	five, err = redis.Int64s(c.Do("CL.THROTTLE", "after:restart", 4, 10, 60))
	want("CL.THROTTLE after a restart", five, err, []int64{0, 5, 4, -1, 6})
	got, err = redis.String(c.Do("CLIENT", "GETNAME"))
	want("the connection's name after a restart", got, err, name)
	s.ok("restart")
}

// text shows the bulk strings in a reply as text.
func text(reply any) any {
	list, ok := reply.([]any)
	if !ok {
		return reply
	}
	for i, element := range list {
		if b, ok := element.([]byte); ok {
			list[i] = string(b)
		}
	}
	return fmt.Sprint(list)
}
