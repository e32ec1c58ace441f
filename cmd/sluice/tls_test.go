package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"sluice/cmd/internal/program"
	"sluice/server/pki"
)

// A safe is a server that speaks TLS as well.
type safe struct {
	*instance
	tlsAddr, tlsPort string
	pki.Files
	config *tls.Config // of a client with a certificate that the server trusts
}

func startSafe(t testing.TB, args ...string) *safe {
	t.Helper()
	s := &safe{}
	authority, files, err := pki.Local(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := tls.LoadX509KeyPair(files.Cert, files.Key)
	if err != nil {
		t.Fatal(err)
	}
	s.Files, s.config = files, &tls.Config{RootCAs: authority.Pool(), Certificates: []tls.Certificate{certificate}}
	s.instance = start(t, append([]string{"--port", program.FreePort(t), "--tls-port", program.FreePort(t), "--tls-cert-file", files.Cert,
		"--tls-key-file", files.Key, "--tls-ca-cert-file", files.CA}, args...)...)
	s.tlsAddr = s.Log.Wait(t, `msg=ready network=tls address=(\S+)`)[1]
	if _, s.tlsPort, err = net.SplitHostPort(s.tlsAddr); err != nil {
		t.Fatal(err)
	}
	return s
}

// flags are what redis-cli and redis-benchmark are told.
func (s *safe) flags() []string {
	return []string{"-p", s.tlsPort, "--tls", "--cacert", s.CA, "--cert", s.Cert, "--key", s.Key}
}

func TestTLSRedisCLI(t *testing.T) {
	s := startSafe(t)
	if got := tool(t, "", "redis-cli", append(s.flags(), "CL.THROTTLE", "k", "4", "10", "60")...); got != "0\n5\n4\n-1\n6\n" {
		t.Errorf("redis-cli printed %q", got)
	}
	if got := s.cli(t, "CL.THROTTLE", "k", "4", "10", "60", "0"); !strings.HasPrefix(got, "0\n5\n4\n") {
		t.Errorf("the other port knows another state: %q", got)
	}
	for what, flags := range map[string][]string{
		"without a certificate": {"-p", s.tlsPort, "--tls", "--cacert", s.CA},
		"without trust":         {"-p", s.tlsPort, "--tls", "--cert", s.Cert, "--key", s.Key},
		"without TLS":           {"-p", s.tlsPort},
		"on the other port":     {"-p", s.port, "--tls", "--insecure"},
	} {
		if out, _ := exec.Command("redis-cli", append(flags, "PING")...).CombinedOutput(); strings.Contains(string(out), "PONG") {
			t.Errorf("%s redis-cli printed %q", what, out)
		}
	}
	if got := tool(t, "", "redis-cli", append(s.flags(), "CONFIG", "SET", "tls-auth-clients", "no")...); got != "OK\n" {
		t.Error(got)
	}
	if got := tool(t, "", "redis-cli", "-p", s.tlsPort, "--tls", "--cacert", s.CA, "PING"); got != "PONG\n" {
		t.Error(got)
	}
}

func TestTLSRedisBenchmark(t *testing.T) {
	s := startSafe(t)
	out := tool(t, "", "redis-benchmark", append(s.flags(), "-n", "10000", "-P", "16", "-r", "100", "--csv",
		"TB.TAKE", "bench:__rand_int__", "1000000", "1000")...)
	if !strings.Contains(out, "TB.TAKE") || strings.Contains(out, "rror") {
		t.Errorf("it printed %q", out)
	}
}

func TestTLSLibraries(t *testing.T) {
	s := startSafe(t)
	who := []string{"127.0.0.1", s.tlsPort, s.CA, s.Cert, s.Key}
	for name, run := range map[string][]string{
		"node-redis": node("tls.js", "redis6"), "ioredis": node("tls.js", "ioredis6"),
		"redis-py": {"/usr/bin/python3", "clients/python/redis_py_tls.py"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tool(t, "", run[0], append(run[1:], who...)...); got != "ok tls\n" {
				t.Errorf("it printed %q", got)
			}
		})
	}
}

func TestTLSGoRedis(t *testing.T) {
	s := startSafe(t, "--requirepass", "secret")
	for _, protocol := range []int{2, 3} {
		options, err := redis.ParseURL(fmt.Sprintf("rediss://:secret@%s/3?protocol=%d", s.tlsAddr, protocol))
		if err != nil {
			t.Fatal(err)
		}
		options.TLSConfig.RootCAs, options.TLSConfig.Certificates = s.config.RootCAs, s.config.Certificates
		c := redis.NewClient(options)
		defer c.Close()
		replies, err := c.Pipelined(t.Context(), func(p redis.Pipeliner) error {
			for i := range 1000 {
				p.Do(t.Context(), "TB.TAKE", fmt.Sprint(protocol, "-", i), 10, 1)
			}
			return nil
		})
		if err != nil || len(replies) != 1000 {
			t.Errorf("%d replies, %v", len(replies), err)
		}
	}
}

// A cluster client is led to the port for TLS if it speaks TLS, and to the other one
// if not.
func TestTLSCluster(t *testing.T) {
	s := startSafe(t, "--cluster-enabled", "yes")
	for addr, config := range map[string]*tls.Config{s.addr: nil, s.tlsAddr: s.config} {
		c := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{addr}, TLSConfig: config})
		defer c.Close()
		for i := range 50 {
			if err := c.Do(t.Context(), "TB.TAKE", fmt.Sprint("key:", i), 10, 1).Err(); err != nil {
				t.Fatal(err)
			}
		}
		nodes := 0
		err := c.ForEachMaster(t.Context(), func(_ context.Context, node *redis.Client) error {
			if nodes++; node.Options().Addr != addr {
				t.Errorf("who came to %s is led to %s", addr, node.Options().Addr)
			}
			return nil
		})
		if err != nil || nodes != 1 {
			t.Errorf("%d nodes, %v", nodes, err)
		}
	}
	shards := tool(t, "", "redis-cli", append(s.flags(), "CLUSTER", "SHARDS")...)
	if !strings.Contains(shards, "\nport\n"+s.port+"\ntls-port\n"+s.tlsPort+"\n") {
		t.Error(shards)
	}
}

// A server with no port but that for TLS, which stops with clients; and the words of
// one that can't start.
func TestTLSAlone(t *testing.T) {
	_, files, err := pki.Local(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	port := program.FreePort(t)
	args := []string{"--port", "0", "--tls-port", port, "--tls-cert-file", files.Cert, "--tls-key-file", files.Key}
	p := program.Launch(t, exec.Command(binary, append(args, "--tls-auth-clients", "no")...))
	p.Log.Wait(t, `msg=ready network=tls address=127.0.0.1:`+port)
	if p.Log.Find("network=tcp") != "" {
		t.Errorf("it listens without TLS:\n%s", p.Log)
	}
	info := tool(t, "", "redis-cli", "-p", port, "--tls", "--cacert", files.CA, "INFO", "server")
	if !strings.Contains(info, "\ntcp_port:"+port) {
		t.Error(info)
	}
	c, err := tls.Dial("tcp", "127.0.0.1:"+port, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	p.Stop(t)

	var stderr bytes.Buffer
	cmd := exec.Command(binary, append(args, "--dir", "")...)
	cmd.Stderr = &stderr
	if err := cmd.Run(); err == nil || !strings.Contains(stderr.String(), "tls-ca-cert-file must name the authorities") {
		t.Errorf("%v\n%s", err, &stderr)
	}
}
