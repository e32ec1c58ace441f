package main

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"sluice/engine"
	"sluice/httpdemo"
)

// A setter reads a variable's value into its place.
type setter = func(*settings, string) error

func text(place func(*settings) *string) setter {
	return func(s *settings, value string) error {
		*place(s) = value
		return nil
	}
}

func word(place func(*settings) *string, words ...string) setter {
	return func(s *settings, value string) error {
		if !slices.Contains(words, value) {
			return fmt.Errorf("must be one of %s", strings.Join(words, ", "))
		}
		*place(s) = value
		return nil
	}
}

func yes(place func(*settings) *bool) setter {
	return func(s *settings, value string) error {
		if value != "yes" && value != "no" {
			return errors.New("must be yes or no")
		}
		*place(s) = value == "yes"
		return nil
	}
}

func number(place func(*settings) *int64, low, high int64) setter {
	return func(s *settings, value string) error {
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < low || n > high {
			return fmt.Errorf("must be a whole number from %d to %d", low, high)
		}
		*place(s) = n
		return nil
	}
}

// span reads a duration as the wire contract writes one: 60, 0.5, 500ms, 90s, 1h, 1d.
func span(place func(*settings) *time.Duration, low, high time.Duration) setter {
	return func(s *settings, value string) error {
		ms, ok := engine.ParseWindow([]byte(value))
		d := time.Duration(min(ms, engine.Window(engine.MaxWindow.Milliseconds()+1))) * time.Millisecond
		if !ok || d < low || d > high {
			return fmt.Errorf("must be a time from %s to %s, like 500ms, 90s, 1m or 1h", written(low), written(high))
		}
		*place(s) = d
		return nil
	}
}

// written is a duration as span reads it.
func written(d time.Duration) string {
	if day := 24 * time.Hour; d >= day && d%day == 0 {
		return strconv.Itoa(int(d/day)) + "d"
	}
	return d.String()
}

func setRefill(s *settings, value string) error {
	rate, ok := engine.ParseMicros([]byte(value))
	if !ok || rate < 1 || rate > engine.MaxRate*1_000_000 {
		return errors.New("must be a number from 0.000001 to 1000000000 with at most six places")
	}
	s.refill = rate
	return nil
}

func setStoreAddr(s *settings, value string) error {
	s.storeAddrs = nil
	for addr := range strings.SplitSeq(value, ",") {
		addr = strings.TrimSpace(addr)
		if !strings.HasPrefix(addr, "/") && !isHostPort(addr) {
			return errors.New("must be host:port or a socket's path, several with commas between them")
		}
		if slices.Contains(s.storeAddrs, addr) {
			return errors.New("names a server twice")
		}
		s.storeAddrs = append(s.storeAddrs, addr)
	}
	return nil
}

func isHostPort(addr string) bool {
	host, port, err := net.SplitHostPort(addr)
	n, notNumber := strconv.ParseUint(port, 10, 16)
	return err == nil && host != "" && notNumber == nil && n > 0
}

func setPolicy(*settings, string) error {
	return errors.New("the server has no named policies yet (RL.TAKE): unset it and use ALGORITHM and its numbers")
}

func setKeyBy(s *settings, value string) error {
	if value == "ip" {
		return nil
	}
	name, ok := strings.CutPrefix(value, "header:")
	if !ok || name == "" || strings.ContainsFunc(name, func(c rune) bool { return !tokenRune(c) }) {
		return errors.New("must be ip or header:NAME")
	}
	if strings.EqualFold(name, "Host") {
		return errors.New("must name a header that tells who is calling, and Host does not")
	}
	s.keyHeader = name
	return nil
}

// tokenRune says whether HTTP allows a rune in a header's name.
func tokenRune(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", c)
}

func setProxies(s *settings, value string) (err error) {
	if s.proxies, err = httpdemo.ParseProxies(value); err != nil || strings.Trim(value, ", ") == "" {
		return errors.New("must be CIDRs like 10.0.0.0/8, addresses, or the word unix, with commas between them")
	}
	return nil
}

func setOnFailure(s *settings, value string) (err error) {
	if s.onFailure, err = httpdemo.ParseOnFailure(value); err != nil {
		return errors.New("must be open, closed or local")
	}
	return nil
}

func setHeaders(s *settings, value string) (err error) {
	if s.headers, err = httpdemo.ParseDialect(value); err != nil {
		return errors.New("must be draft, x-ratelimit, both or none, or draft-6, draft-7 or draft-8")
	}
	return nil
}
