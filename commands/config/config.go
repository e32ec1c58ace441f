// Package config owns the options of the server: one table feeds the flags, the
// environment, the config file, CONFIG GET and SET, and the reference. It reads
// redis.conf's syntax. It does not act on any option: whoever needs one reads it.
package config

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
)

// A Config is a value for every option in the table. Reading is safe while
// another goroutine sets.
type Config struct {
	byName map[Name]*setting
	mu     sync.Mutex // one Set at a time
	hooks  map[Name][]func() error
	saves  bool // a file has had a line of save
}

type setting struct {
	option *Option
	value  atomic.Pointer[value]
}

// A value is an option's text in its usual form, and as a number where it is one.
type value struct {
	text   string
	number int64
}

// New is a config with every option at its default.
func New() *Config {
	c := &Config{byName: map[Name]*setting{}, hooks: map[Name][]func() error{}}
	for i := range Options {
		o := &Options[i]
		v, err := o.Type.parse(o.Default)
		if err != nil {
			panic(fmt.Sprintf("config: the default of %s is wrong: %v", o.Name, err))
		}
		s := &setting{option: o}
		s.value.Store(&v)
		c.byName[o.Name] = s
	}
	return c
}

// String is the value of an option as CONFIG GET shows it.
func (c *Config) String(n Name) string { return c.load(n).text }

// Number is the value of a number, a size in bytes, or a yes (1) or no (0).
func (c *Config) Number(n Name) int64 { return c.load(n).number }

// Reader is Number of one option, for who asks with every call.
func (c *Config) Reader(n Name) func() int64 {
	s := c.setting(n)
	return func() int64 { return s.value.Load().number }
}

// Bool is the value of a yes or no.
func (c *Config) Bool(n Name) bool { return c.load(n).number == 1 }

func (c *Config) load(n Name) *value { return c.setting(n).value.Load() }

func (c *Config) setting(n Name) *setting {
	s := c.byName[n]
	if s == nil {
		panic(fmt.Sprintf("config: no option is named %q", n))
	}
	return s
}

// Start sets an option before the server runs. The name may be written as a flag
// or an environment variable would have it.
func (c *Config) Start(name, text string) error {
	s := c.byName[Name(strings.ToLower(name))]
	if s == nil {
		return fmt.Errorf("unknown option '%s'", name)
	}
	v, err := s.option.Type.parse(text)
	if err != nil {
		return fmt.Errorf("option '%s': %w", s.option.Name, err)
	}
	s.value.Store(&v)
	return nil
}

// A SetError says which option could not be set, and why.
type SetError struct {
	Name    string
	Reason  string
	Unknown bool // no option has the name
}

func (e SetError) Error() string { return e.Name + ": " + e.Reason }

// Set sets options while the server runs, all of them or none. pairs is names and
// values in turn.
func (c *Config) Set(pairs ...string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	parsed := map[*setting]value{}
	for i := 0; i+1 < len(pairs); i += 2 {
		name := strings.ToLower(pairs[i])
		s := c.byName[Name(name)]
		if s == nil {
			return SetError{Name: pairs[i], Reason: "unknown option", Unknown: true}
		}
		if !s.option.Live {
			return SetError{Name: name, Reason: "can't set immutable config"}
		}
		if _, twice := parsed[s]; twice {
			return SetError{Name: name, Reason: "duplicate parameter"}
		}
		v, err := s.option.Type.parse(pairs[i+1])
		if err != nil {
			return SetError{Name: name, Reason: err.Error()}
		}
		parsed[s] = v
	}
	before := map[*setting]value{}
	for s, v := range parsed {
		before[s] = *s.value.Swap(&v)
	}
	err := c.tell(parsed)
	if err != nil {
		for s, v := range before {
			s.value.Store(&v)
		}
		_ = c.tell(before) // they could live with that
	}
	return err
}

// tell calls the hooks of options that were set.
func (c *Config) tell(set map[*setting]value) error {
	for s := range set {
		for _, hook := range c.hooks[s.option.Name] {
			if err := hook(); err != nil {
				return SetError{Name: string(s.option.Name), Reason: err.Error()}
			}
		}
	}
	return nil
}

// OnSet has f called after Set has set an option. It must be asked for before the
// server runs.
func (c *Config) OnSet(n Name, f func()) {
	c.Try(n, func() error {
		f()
		return nil
	})
}

// Try is OnSet with an f that may fail: then nothing was set.
func (c *Config) Try(n Name, f func() error) { c.hooks[n] = append(c.hooks[n], f) }

// Each calls f with every option in the order of the table.
func (c *Config) Each(f func(o *Option, value string)) {
	for i := range Options {
		f(&Options[i], c.String(Options[i].Name))
	}
}
