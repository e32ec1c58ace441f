package bench

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// patience is how long a server may take for what comes before and after the load.
const patience = 5 * time.Second

// A ServerError is an error reply.
type ServerError string

func (e ServerError) Error() string { return string(e) }

// A client asks one thing at a time: what has to be known before the load.
type client struct {
	net.Conn
	in     *bufio.Reader
	plain  net.Conn // the same, or what is beneath TLS
	secure *secure  // nil without TLS
}

// dial connects to host:port, or to the path of a unix socket, and gives the password.
func dial(addr, password string, safe *tls.Config) (*client, error) {
	c, err := connect(addr, safe)
	if err != nil || password == "" {
		return c, err
	}
	if _, err := c.ask("AUTH", password); err != nil {
		c.Close()
		return nil, fmt.Errorf("AUTH: %w", err)
	}
	return c, nil
}

func connect(addr string, safe *tls.Config) (*client, error) {
	network := "tcp"
	if strings.Contains(addr, "/") {
		network = "unix"
	}
	conn, err := net.DialTimeout(network, addr, patience)
	if err != nil {
		return nil, err
	}
	c := &client{Conn: conn, plain: conn}
	if safe != nil {
		_ = conn.SetDeadline(time.Now().Add(patience))
		if c.secure, err = secured(conn, addr, safe); err != nil {
			conn.Close()
			return nil, err
		}
		c.Conn = c.secure
	}
	c.in = bufio.NewReader(c.Conn)
	return c, nil
}

// ask sends a command and waits for its reply.
func (c *client) ask(words ...string) (any, error) {
	command := fmt.Appendf(nil, "*%d\r\n", len(words))
	for _, word := range words {
		command = fmt.Appendf(command, "$%d\r\n%s\r\n", len(word), word)
	}
	return c.send(command)
}

func (c *client) send(command []byte) (any, error) {
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		return nil, err
	}
	if _, err := c.Write(command); err != nil {
		return nil, err
	}
	reply, err := c.reply()
	if err != nil {
		return nil, err
	}
	if e, ok := reply.(ServerError); ok {
		return nil, e
	}
	return reply, nil
}

// reply is an int64, string, []any, nil or ServerError.
func (c *client) reply() (any, error) {
	line, err := c.in.ReadString('\n')
	if err != nil {
		return nil, err
	}
	line = strings.TrimSuffix(line, "\r\n")
	if line == "" {
		return nil, errors.New("an empty line is no reply")
	}
	kind, text := line[0], line[1:]
	switch kind {
	case '+':
		return text, nil
	case '-':
		return ServerError(text), nil
	case ':':
		return strconv.ParseInt(text, 10, 64)
	case '$':
		return c.bulk(text)
	case '*':
		return c.array(text)
	}
	return nil, fmt.Errorf("%.40q is no reply of RESP2", line)
}

func (c *client) bulk(text string) (any, error) {
	n, err := length([]byte(text), maxBulk)
	if err != nil || n < 0 {
		return nil, err
	}
	b := make([]byte, n+len("\r\n"))
	_, err = io.ReadFull(c.in, b)
	return string(b[:n]), err
}

func (c *client) array(text string) (any, error) {
	n, err := length([]byte(text), maxElements)
	if err != nil || n < 0 {
		return nil, err
	}
	var elements []any
	for range n {
		e, err := c.reply()
		if err != nil {
			return nil, err
		}
		elements = append(elements, e)
	}
	return elements, nil
}
