package quota_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool/quota"
)

// oneVM is a unit that takes nothing but its place.
var oneVM = quota.Resources{quota.VMs: 1}

// cloudOf is a capacity of n VMs in the one cloud "c".
func cloudOf(n int64) map[string]quota.Resources {
	return map[string]quota.Resources{"c": {quota.VMs: n}}
}

// wants is a demand for n plain VMs in cloud "c", of which the queue has some.
func wants(queue string, n, have int) quota.Demand {
	return quota.Demand{Queue: queue, Want: n, Options: []quota.Option{{Class: "plain", Cloud: "c", Unit: oneVM, Have: have}}}
}

func TestShare(t *testing.T) {
	t.Parallel()
	gpuVM := quota.Resources{quota.VMs: 1, quota.GPUs: 1}
	tests := []struct {
		name     string
		capacity map[string]quota.Resources
		queues   []quota.Queue
		demands  []quota.Demand
		want     [][]int
	}{
		{
			name: "nobody wants anything", capacity: cloudOf(10), queues: []quota.Queue{{Name: "a"}}, want: [][]int{},
		},
		{
			name: "equal weights halve the pool", capacity: cloudOf(10),
			queues:  []quota.Queue{{Name: "a"}, {Name: "b"}},
			demands: []quota.Demand{wants("a", 100, 0), wants("b", 100, 0)},
			want:    [][]int{{5}, {5}},
		},
		{
			name: "weights three to one", capacity: cloudOf(12),
			queues:  []quota.Queue{{Name: "a", Weight: 3}, {Name: "b", Weight: 1}},
			demands: []quota.Demand{wants("a", 100, 0), wants("b", 100, 0)},
			want:    [][]int{{9}, {3}},
		},
		{
			name: "what one leaves the others borrow", capacity: cloudOf(10),
			queues:  []quota.Queue{{Name: "a"}, {Name: "b"}},
			demands: []quota.Demand{wants("a", 2, 0), wants("b", 100, 0)},
			want:    [][]int{{2}, {8}},
		},
		{
			name: "a borrower gives back what the lender wants again", capacity: cloudOf(10),
			queues:  []quota.Queue{{Name: "a"}, {Name: "b"}},
			demands: []quota.Demand{wants("a", 100, 2), wants("b", 100, 8)},
			want:    [][]int{{5}, {5}},
		},
		{
			name: "the floor is served first", capacity: cloudOf(10),
			queues:  []quota.Queue{{Name: "a", Min: quota.Resources{quota.VMs: 8}}, {Name: "b"}},
			demands: []quota.Demand{wants("a", 100, 0), wants("b", 100, 0)},
			want:    [][]int{{8}, {2}},
		},
		{
			name: "a floor that nobody demands is lent", capacity: cloudOf(10),
			queues:  []quota.Queue{{Name: "a", Min: quota.Resources{quota.VMs: 8}}, {Name: "b"}},
			demands: []quota.Demand{wants("a", 1, 0), wants("b", 100, 0)},
			want:    [][]int{{1}, {9}},
		},
		{
			name: "a floor of GPUs does not carry plain VMs along", capacity: map[string]quota.Resources{"c": {quota.VMs: 10, quota.GPUs: 4}},
			queues: []quota.Queue{{Name: "a", Min: quota.Resources{quota.GPUs: 2}}, {Name: "b"}},
			demands: []quota.Demand{
				wants("a", 100, 0),
				{Queue: "a", Want: 4, Options: []quota.Option{{Cloud: "c", Unit: gpuVM}}},
				{Queue: "b", Want: 4, Options: []quota.Option{{Cloud: "c", Unit: gpuVM}}},
			},
			want: [][]int{{6}, {2}, {2}}, // b has its two GPUs before a gets the plain VMs that nobody else wants
		},
		{
			name: "the ceiling holds in an empty pool", capacity: cloudOf(10),
			queues:  []quota.Queue{{Name: "a", Max: quota.Resources{quota.VMs: 3}}},
			demands: []quota.Demand{wants("a", 100, 7)},
			want:    [][]int{{3}},
		},
		{
			name: "a ceiling of zero closes the queue", capacity: cloudOf(10),
			queues:  []quota.Queue{{Name: "a", Max: quota.Resources{quota.VMs: 0}}},
			demands: []quota.Demand{wants("a", 100, 0)},
			want:    [][]int{{0}},
		},
		{
			name: "the odd VM goes to the one with less credit", capacity: cloudOf(3),
			queues:  []quota.Queue{{Name: "a", Credit: 7}, {Name: "b", Credit: 5}},
			demands: []quota.Demand{wants("a", 9, 0), wants("b", 9, 0)},
			want:    [][]int{{1}, {2}},
		},
		{
			name: "dominant resources of the DRF paper", capacity: map[string]quota.Resources{"c": {quota.CPUs: 9, quota.Memory: 18}},
			queues: []quota.Queue{{Name: "a"}, {Name: "b"}},
			demands: []quota.Demand{
				{Queue: "a", Want: 99, Options: []quota.Option{{Cloud: "c", Unit: quota.Resources{quota.CPUs: 1, quota.Memory: 4}}}},
				{Queue: "b", Want: 99, Options: []quota.Option{{Cloud: "c", Unit: quota.Resources{quota.CPUs: 3, quota.Memory: 1}}}},
			},
			want: [][]int{{3}, {2}},
		},
		{
			name: "VMs that exist come before a better class and an earlier demand", capacity: cloudOf(4),
			queues: []quota.Queue{{Name: "a"}},
			demands: []quota.Demand{
				wants("a", 3, 0),
				{Queue: "a", Want: 3, Options: []quota.Option{{Cloud: "c", Unit: oneVM}, {Cloud: "c", Unit: oneVM, Have: 2}}},
			},
			want: [][]int{{2}, {0, 2}},
		},
		{
			name: "the second cloud takes what the first has no room for", capacity: map[string]quota.Resources{"c": {quota.VMs: 2}, "d": {quota.VMs: 2}},
			queues:  []quota.Queue{{Name: "a"}},
			demands: []quota.Demand{{Queue: "a", Want: 9, Options: []quota.Option{{Cloud: "c", Unit: oneVM}, {Cloud: "d", Unit: oneVM}}}},
			want:    [][]int{{2, 2}},
		},
		{
			name: "a resource that a cloud does not name is unlimited there", capacity: map[string]quota.Resources{"c": {quota.CPUs: 4}},
			queues:  []quota.Queue{{Name: "a"}},
			demands: []quota.Demand{{Queue: "a", Want: 9, Options: []quota.Option{{Cloud: "c", Unit: quota.Resources{quota.VMs: 1, quota.CPUs: 2}}}}},
			want:    [][]int{{2}},
		},
		{
			name: "an unknown cloud and an unknown queue get nothing", capacity: cloudOf(9),
			queues:  []quota.Queue{{Name: "a"}},
			demands: []quota.Demand{{Queue: "a", Want: 9, Options: []quota.Option{{Cloud: "x", Unit: oneVM}}}, wants("b", 9, 3)},
			want:    [][]int{{0}, {0}},
		},
		{
			name: "a unit that does not fit does not stop the others", capacity: map[string]quota.Resources{"c": {quota.CPUs: 7}},
			queues: []quota.Queue{{Name: "a"}, {Name: "b"}},
			demands: []quota.Demand{
				{Queue: "a", Want: 9, Options: []quota.Option{{Cloud: "c", Unit: quota.Resources{quota.CPUs: 4}}}},
				{Queue: "b", Want: 9, Options: []quota.Option{{Cloud: "c", Unit: quota.Resources{quota.CPUs: 1}}}},
			},
			want: [][]int{{1}, {3}},
		},
		{
			name: "senseless numbers count as none", capacity: map[string]quota.Resources{"c": {quota.VMs: -3}, "d": {quota.VMs: 1}},
			queues:  []quota.Queue{{Name: "a", Weight: math.NaN()}, {Name: "a", Max: quota.Resources{quota.VMs: 0}}},
			demands: []quota.Demand{{Queue: "a", Want: 2, Options: []quota.Option{{Cloud: "c", Unit: oneVM}, {Cloud: "d", Unit: quota.Resources{quota.VMs: 1, quota.CPUs: -5}, Have: -1}}}, wants("a", -1, 4)},
			want:    [][]int{{0, 1}, {0}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			grants := quota.Share(tt.capacity, tt.queues, tt.demands)
			got := make([][]int, len(grants))
			for i, g := range grants {
				assert.Equal(t, tt.demands[i].Queue, g.Queue)
				got[i] = g.PerOption
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

// Three VMs of a queue of weight 3 are the same share as one VM of weight 1, whatever a float makes of the division.
func TestShareTiesAreExact(t *testing.T) {
	t.Parallel()
	queues := []quota.Queue{{Name: "a", Weight: 1, Credit: 1}, {Name: "b", Weight: 3}}
	for n := range 200 {
		grants := quota.Share(cloudOf(int64(4*n+1)), queues, []quota.Demand{wants("a", 999, 0), wants("b", 999, 0)})
		require.Equal(t, []int{n, 3*n + 1}, []int{grants[0].VMs(), grants[1].VMs()}, "the odd VM is for the one with less credit")
	}
}

// The slides' first come, first served: whoever asked first kept the others out.
func TestVCondorFirstComeKeepsOthersOut(t *testing.T) {
	t.Parallel()
	queues := []quota.Queue{{Name: "LHAASO", Weight: 1}, {Name: "JUNO", Weight: 1}}
	alone := quota.Share(cloudOf(400), queues, []quota.Demand{wants("LHAASO", 400, 0)})
	require.Equal(t, 400, alone[0].VMs())
	both := quota.Share(cloudOf(400), queues, []quota.Demand{wants("LHAASO", 400, 400), wants("JUNO", 300, 0)})
	assert.Equal(t, 200, both[0].VMs(), "the first to come gives back down to its share")
	assert.Equal(t, 200, both[1].VMs())
}

// VCondor's branch that shrinks a queue above its upper threshold can never be reached (MAX = AVAILABLE + N >= N).
func TestVCondorUpperThresholdNeverEnforced(t *testing.T) {
	t.Parallel()
	lowered := []quota.Queue{{Name: "JUNO", Max: quota.Resources{quota.VMs: 100}}}
	grants := quota.Share(cloudOf(1000), lowered, []quota.Demand{wants("JUNO", 400, 400)})
	assert.Equal(t, []int{100}, grants[0].PerOption)
}
