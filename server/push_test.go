package server

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// message is what a RESP2 subscriber hears.
func message(channel, text string) string { return frame("message", channel, text) }

func subscribed(channel string, n int) string { return confirmed("subscribe", channel, n) }

func confirmed(what, channel string, n int) string {
	return fmt.Sprintf("*3\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n:%d\r\n", len(what), what, len(channel), channel, n)
}

// subscribe has a client hear a channel.
func (c *client) subscribe(channel string) *client {
	c.say(frame("SUBSCRIBE", channel))
	c.hear(subscribed(channel, 1))
	return c
}

func TestMessagesArriveWhileIdle(t *testing.T) {
	_, addr := onTCP(t, newService(t))
	a, b := dial(t, addr).subscribe("news"), dial(t, addr).subscribe("news")
	publisher := dial(t, addr)
	for i := range 100 {
		if got := publisher.ask("PUBLISH", "news", fmt.Sprint(i)); got != ":2" {
			t.Fatal(got)
		}
	}
	for i := range 100 {
		a.hear(message("news", fmt.Sprint(i)))
		b.hear(message("news", fmt.Sprint(i)))
	}
	a.say(frame("PING"))
	a.hear("*2\r\n$4\r\npong\r\n$0\r\n\r\n")
}

// A client hears messages behind the confirmation that it has subscribed, none
// behind the one that it has not any more, and all of them in their order, whatever
// it says meanwhile.
func TestMessagesKeepTheirPlace(t *testing.T) {
	_, addr := onTCP(t, newService(t))
	publisher, c := dial(t, addr), dial(t, addr)
	var over sync.WaitGroup
	stop := make(chan struct{})
	over.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				publisher.ask("PUBLISH", "news", fmt.Sprint(i))
			}
		}
	})
	for last, messages := -1, 0; messages < 200; {
		c.say(frame("SUBSCRIBE", "news") + frame("PING") + frame("UNSUBSCRIBE", "news") + ping)
		c.hear(subscribed("news", 1))
		for step := 0; step < 2; {
			words := c.words()
			switch {
			case words[0] == "message":
				n, _ := strconv.Atoi(words[2])
				if n <= last {
					t.Fatalf("hears %d after %d", n, last)
				}
				last = n
				messages++
			case words[0] == "pong" && step == 0, words[0] == "unsubscribe" && step == 1:
				step++
			default:
				t.Fatalf("step %d: hears %q", step, words)
			}
		}
		c.hear("+PONG\r\n")
	}
	close(stop)
	over.Wait()
}

// words reads an array of bulk strings; other replies in it are words as they are.
func (c *client) words() (words []string) {
	c.t.Helper()
	line := func() string {
		s, err := c.r.ReadString('\n')
		if err != nil {
			c.t.Fatal(err)
		}
		return strings.TrimSuffix(s, "\r\n")
	}
	head := line()
	n, err := strconv.Atoi(head[1:])
	if err != nil || head[0] != '*' && head[0] != '>' {
		c.t.Fatalf("hears %q", head)
	}
	for range n {
		word := line()
		if word[0] == '$' {
			word = line()
		}
		words = append(words, word)
	}
	return words
}

// What is published while a client's command runs arrives behind its reply, however
// much it is.
func TestPushesWaitForTheReply(t *testing.T) {
	service := newService(t)
	trap := setTrap(service)
	_, addr := onTCP(t, service)
	c, publisher := dial(t, addr), dial(t, addr)
	c.say(frame("HELLO", "3") + frame("SUBSCRIBE", "news") + take("wait"))
	<-trap.entered
	text := strings.Repeat("x", 1000)
	for range 300 {
		publisher.ask("PUBLISH", "news", text)
	}
	close(trap.release)
	if _, err := c.r.Discard(strings.Index(welcomeAndMore(c), ">3\r\n")); err != nil {
		t.Fatal(err)
	}
	c.hear(">3\r\n" + subscribed("news", 1)[4:] + granted)
	for range 3 {
		if _, err := c.r.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	for range 300 {
		c.hear(">3\r\n" + message("news", text)[4:])
	}
	if got := c.ask("PING"); got != "+PONG" {
		t.Error(got)
	}
}

func welcomeAndMore(c *client) string {
	b, err := c.r.Peek(250)
	if err != nil {
		c.t.Fatal(err)
	}
	return string(b)
}

// A publisher does not wait for anybody, and who does not read is closed.
func TestSlowSubscribersAreClosed(t *testing.T) {
	service := newService(t, "client-output-limit", "64kb")
	log := logTo(service)
	_, l := inMemory(t, service)
	deaf, good, publisher := l.dial(t).subscribe("news"), l.dial(t).subscribe("news"), l.dial(t)
	text := strings.Repeat("x", 1000)
	for range 200 {
		publisher.ask("PUBLISH", "news", text)
		good.hear(message("news", text))
	}
	if got := publisher.ask("PUBLISH", "news", "end"); got != ":1" {
		t.Errorf("%s hear the end", got)
	}
	good.hear(message("news", "end"))
	if isOpen(deaf) {
		t.Error("the deaf one is still open")
	}
	for i := 0; i < 1000 && log.String() == ""; i++ { // it is logged when the connection has been left
		time.Sleep(time.Millisecond)
	}
	if got := log.String(); strings.Count(got, "does not keep up") != 1 {
		t.Errorf("the log says\n%s", got)
	}
}

// The watch's times: a subscriber that does not read has the write timeout, one
// that says nothing no idle timeout.
func TestWatchOverSubscribers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := newService(t, "client-write-timeout", "5", "timeout", "10")
		_, l := inMemory(t, service)
		deaf, silent, other := l.dial(t).subscribe("a"), l.dial(t).subscribe("b"), l.dial(t)
		other.ask("PUBLISH", "a", "hello")
		time.Sleep(3 * time.Second)
		if service.Sessions.Len() != 3 {
			t.Error("a subscriber is closed at once")
		}
		time.Sleep(5 * time.Second)
		if isOpen(deaf) {
			t.Error("the deaf one is still open")
		}
		time.Sleep(time.Hour)
		if !isOpen(silent) || isOpen(other) {
			t.Errorf("open: the silent one %v, the idle one %v", isOpen(silent), isOpen(other))
		}
	})
}

// Connections end while they are pushed to, in every way there is.
func TestConnectionsEndWhilePushedTo(t *testing.T) {
	service := newService(t)
	s, addr := onTCP(t, service)
	publisher := dial(t, addr)
	ends := []func(c *client){
		func(c *client) { c.say(frame("QUIT")); c.ended() },
		func(c *client) { c.Close() },
		func(c *client) {
			killer := dial(t, addr)
			killer.ask("CLIENT", "KILL", "ADDR", c.LocalAddr().String())
			killer.Close()
			c.ended()
		},
		func(c *client) { c.say("*x\r\n"); c.ended() },
	}
	var all sync.WaitGroup
	for i := range 40 {
		c := dial(t, addr).subscribe("news")
		all.Go(func() { ends[i%len(ends)](c) })
		publisher.say(strings.Repeat(frame("PUBLISH", "news", "hello"), 20))
		for range 20 {
			if _, err := publisher.r.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
	}
	all.Wait()
	for service.Sessions.Len() > 1 {
		publisher.ask("PUBLISH", "news", "hello")
	}
	last := dial(t, addr).subscribe("news")
	go publisher.ask("PUBLISH", "news", "the end")
	last.hear(message("news", "the end"))
	if err := s.Stop(context.Background()); err != nil {
		t.Error(err)
	}
	last.ended()
}

// A client that is killed while it is let in is closed.
func TestKilledBeforeItsFirstCommand(t *testing.T) {
	s := newServer(newService(t), nil)
	c := s.newConn(&script{chunks: [][]byte{[]byte(take("key"))}})
	c.Kill()
	c.serve()
	if s.service.Sessions.Len() != 0 {
		t.Error("it is still there")
	}
}
