package pool_test

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// TestMain lets all stories run at the same time, however few processors there are: they wait more than they compute.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "5"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(m.Run())
}

// TestElasticPool runs elastic pools against one real HTCondor: each story has a pool with a cloud and queues of its own.
func TestElasticPool(t *testing.T) {
	h := startHTCondor(t)
	t.Run("together", func(t *testing.T) {
		t.Run("grow and shrink", func(t *testing.T) { t.Parallel(); growsAndShrinks(t, h) })
		t.Run("reclaim", func(t *testing.T) { t.Parallel(); reclaims(t, h) })
		t.Run("lose a VM", func(t *testing.T) { t.Parallel(); losesVM(t, h) })
		t.Run("die at each state", func(t *testing.T) { t.Parallel(); diesAtEachState(t, h) })
	})
	t.Run("doubt", func(t *testing.T) { freezesOnDoubt(t, h) }) //nolint:paralleltest // nobody else may need collector and schedd
}
