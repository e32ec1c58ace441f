package memstore

import (
	"testing"

	"go.uber.org/goleak"

	"sluice/engine"
	"sluice/engine/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open is an empty store that ends with its test.
func open(t testing.TB) *Store {
	s := New()
	t.Cleanup(s.Close)
	return s
}

func TestRules(t *testing.T) {
	storetest.Run(t, func(t *testing.T) engine.Store { return open(t) })
}
