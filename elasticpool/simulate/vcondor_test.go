package simulate

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestVCondorRules has one line for each branch of VCondor's decision.
func TestVCondorRules(t *testing.T) {
	t.Parallel()
	limits := threshold{least: 20, most: 140}
	for _, tt := range []struct {
		name                           string
		waiting, busy, idle, available int
		launch, destroy                int
	}{
		{"empty queue fills up to the lower threshold", 0, 0, 0, 140, 20, 0},
		{"… as far as the quota service lets it", 0, 0, 0, 3, 3, 0},
		{"few jobs below the lower threshold", 5, 3, 2, 100, 15, 0},
		{"jobs reach the lower threshold", 30, 10, 0, 100, 30, 0},
		{"jobs beyond what is available", 300, 10, 0, 100, 100, 0},
		{"one VM for each job that no idle VM takes", 60, 30, 10, 100, 50, 0},
		{"no more than is available", 60, 30, 10, 15, 15, 0},
		{"idle VMs go", 0, 30, 10, 100, 0, 10},
		{"… but not below the lower threshold", 0, 5, 30, 100, 0, 15},
		{"jobs keep idle VMs", 6, 30, 10, 100, 0, 4},
		{"above the upper threshold idle VMs go", 0, 130, 20, 0, 0, 10},
		{"busy ones stay", 50, 150, 0, 0, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			launch, destroy := vcondorRules(tt.waiting, tt.busy, tt.idle, limits, tt.available)
			assert.Equal(t, []int{tt.launch, tt.destroy}, []int{launch, destroy})
		})
	}
}

// TestVMQuotaReservesWithoutNeed: who asks first gets all, for as long as a reservation lasts, and what he has started
// of it counts twice.
func TestVMQuotaReservesWithoutNeed(t *testing.T) {
	t.Parallel()
	v := vmquota{
		total: 200, limit: 10 * time.Minute,
		limits: map[string]threshold{"a": {20, 140}, "b": {20, 140}, "c": {20, 140}},
		state:  map[string]*account{"a": {}, "b": {}, "c": {}},
	}
	running := map[string]int{}
	at := epoch
	assert.Equal(t, 140, v.ask("a", running, at), "the upper threshold")
	assert.Equal(t, 60, v.ask("b", running, at), "the rest")
	assert.Equal(t, 0, v.ask("c", running, at))
	running["a"] = 100
	at = at.Add(9 * time.Minute)
	assert.Equal(t, 0, v.ask("b", running, at), "a's 100 count as reserved and as running")
	assert.Equal(t, 40, v.ask("a", running, at))
	at = at.Add(10 * time.Minute)
	assert.Equal(t, 100, v.ask("c", running, at), "reservations have lapsed")
}
