package condor

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// captured returns the ads of a capture, each with a type.
func captured(t *testing.T, name, kind string) []ad {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	var ads []ad
	require.NoError(t, eachAd(strings.NewReader(string(text)), func(a ad) error {
		whole := ad{"MyType": kind}
		maps.Copy(whole, a)
		ads = append(ads, whole)
		return nil
	}))
	require.NotEmpty(t, ads)
	return ads
}

func rosterOf(t *testing.T, now time.Time, ads ...ad) *roster {
	t.Helper()
	p, err := New(Config{Schedds: []string{"central.realstack"}, Prefix: "group_"})
	require.NoError(t, err)
	r := newRoster(p, now)
	for _, a := range ads {
		r.add(a)
	}
	return r
}

// TestWorkersOfTheCapture: what is left stands in the partitionable slot, what there is in its totals; the slots that
// are cut from it are the jobs and are not summed (trap 9). A worker with several slots of which one is busy is busy:
// VCondor took the last one's word.
func TestWorkersOfTheCapture(t *testing.T) {
	t.Parallel()
	ads := append(captured(t, "condor_status_full.json", "Machine"), captured(t, "condor_status_master.json", "DaemonMaster")[1:]...)
	now := time.Unix(1796024270, 0)
	job := func(id, queue string, since int64) elasticpool.Job {
		return elasticpool.Job{ID: id, Queue: queue, Source: "central.realstack", Since: time.Unix(since, 0)}
	}
	want := []elasticpool.Worker{
		{
			VM: "vm1", Name: "vm1.realstack", Joined: true, Heard: time.Unix(1796024264, 0),
			Total: elasticpool.Resources{"cpus": 2, "memory_mb": 2048, "disk_mb": 76597}, Free: elasticpool.Resources{"memory_mb": 1024, "disk_mb": 76593},
			Jobs: []elasticpool.Job{job("1.1", "juno", 1796024183), job("1.2", "juno", 1796024183)},
		},
		{
			VM: "vm2", Name: "vm2.realstack", Joined: true, Heard: time.Unix(1796024263, 0),
			Total: elasticpool.Resources{"cpus": 2, "memory_mb": 4096, "disk_mb": 76597, "gpus": 2, "fpgas": 1},
			Free:  elasticpool.Resources{"memory_mb": 2048, "disk_mb": 76570, "gpus": 1},
			Jobs:  []elasticpool.Job{job("2.0", "lhaaso", 1796024228), job("2.1", "lhaaso", 1796024228)},
		},
	}
	got := rosterOf(t, now, ads...).list()
	for i := range min(len(got), len(want)) {
		want[i].Total["disk_mb"], want[i].Free["disk_mb"] = got[i].Total["disk_mb"], got[i].Free["disk_mb"] // of the machine
	}
	assert.Empty(t, cmp.Diff(want, got))
	assert.Positive(t, got[0].Free["disk_mb"])
	assert.Greater(t, got[0].Total["disk_mb"], got[0].Free["disk_mb"])
	for i, j := 0, len(ads)-1; i < j; i, j = i+1, j-1 {
		ads[i], ads[j] = ads[j], ads[i]
	}
	assert.Empty(t, cmp.Diff(want, rosterOf(t, now, ads...).list()), "the order of the ads does not matter")
}

// TestBugLogDrainingWorkerGivesNothing: a draining worker's room is not free (glideinwms 554).
func TestBugLogDrainingWorkerGivesNothing(t *testing.T) {
	t.Parallel()
	ads := captured(t, "condor_status_draining.json", "Machine")
	for _, a := range ads {
		a["ElasticVM"], a["LastHeardFrom"], a["Cpus"] = "vm1", json.Number("1796024703"), json.Number("4")
	}
	got := rosterOf(t, time.Unix(1796024704, 0), ads...).list()
	require.Len(t, got, 1)
	assert.True(t, got[0].Draining)
	assert.True(t, got[0].Joined)
	assert.Empty(t, got[0].Free)
	assert.Len(t, got[0].Jobs, 2)
}

// TestSlots are the kinds of slots that the captures do not have.
func TestSlots(t *testing.T) {
	t.Parallel()
	const now = 1796024270
	static := `{"MyType": "Machine", "SlotType": "Static", "ElasticVM": "a", "Name": "slot%d@a.x", "Cpus": 2, "Memory": 10, "GPUs": 1, "LastHeardFrom": 1796024260, "State": %q, "EnteredCurrentActivity": %d%s}`
	for _, test := range []struct {
		name string
		ads  []string
		want elasticpool.Worker
	}{
		{
			name: "static", ads: []string{fmt.Sprintf(static, 1, "Unclaimed", 1796024000, ""), fmt.Sprintf(static, 2, "Claimed", 1796024100, `, "JobId": "3.4"`)},
			want: elasticpool.Worker{
				Joined: true, Total: elasticpool.Resources{"cpus": 4, "memory_mb": 20, "gpus": 2}, Free: elasticpool.Resources{"cpus": 2, "memory_mb": 10, "gpus": 1},
				Jobs: []elasticpool.Job{{ID: "3.4", Since: time.Unix(1796024100, 0)}},
			},
		},
		{
			name: "static and idle", ads: []string{fmt.Sprintf(static, 1, "Unclaimed", 1796024000, ""), fmt.Sprintf(static, 2, "Owner", 1796024100, "")},
			want: elasticpool.Worker{
				Joined: true, Total: elasticpool.Resources{"cpus": 4, "memory_mb": 20, "gpus": 2}, Free: elasticpool.Resources{"cpus": 4, "memory_mb": 20, "gpus": 2},
				IdleSince: time.Unix(1796024100, 0),
			},
		},
		{
			name: "claimed without a job yet", ads: []string{fmt.Sprintf(static, 1, "Claimed", 1796024000, "")},
			want: elasticpool.Worker{Joined: true, Total: elasticpool.Resources{"cpus": 2, "memory_mb": 10, "gpus": 1}, Free: elasticpool.Resources{}},
		},
		{
			name: "idle since its last slot was cut", ads: []string{`{"MyType": "Machine", "SlotType": "Partitionable", "ElasticVM": "a", "Name": "slot1@a.x", "Cpus": 2, "LastHeardFrom": 1796024260,
				"State": "Unclaimed", "EnteredCurrentActivity": 1796000000, "NumDynamicSlotsTime": 1796024200, "DaemonStartTime": 1795000000, "ElasticQueue": "group_juno"}`},
			want: elasticpool.Worker{
				Queue: "juno", Joined: true, Total: elasticpool.Resources{"cpus": 2}, Free: elasticpool.Resources{"cpus": 2}, IdleSince: time.Unix(1796024200, 0),
			},
		},
		{
			name: "a GPU has failed", ads: []string{`{"MyType": "Machine", "SlotType": "Partitionable", "ElasticVM": "a", "Name": "slot1@a.x", "LastHeardFrom": 1796024260, "State": "Unclaimed",
				"GPUs": 2, "TotalSlotGPUs": 2, "AvailableGPUs": ["\/Expr(GPUs_GPU_01)\/"]}`},
			want: elasticpool.Worker{
				Joined: true, Total: elasticpool.Resources{"gpus": 2}, Free: elasticpool.Resources{"gpus": 1}, IdleSince: time.Unix(1796024260, 0),
			},
		},
		{
			name: "warm", ads: []string{`{"MyType": "DaemonMaster", "ElasticVM": "a", "Name": "a.x", "LastHeardFrom": 1796024260, "DaemonStartTime": 1795000000}`},
		},
		{
			name: "bound to no queue: warm", ads: []string{`{"MyType": "Machine", "SlotType": "Partitionable", "ElasticVM": "a", "Name": "slot1@a.x", "Cpus": 2, "LastHeardFrom": 1796024260, "State": "Unclaimed", "ElasticQueue": ""}`},
		},
		{
			name: "job's own attributes", ads: []string{`{"MyType": "Machine", "SlotType": "Dynamic", "ElasticVM": "a", "Name": "slot1_1@a.x", "LastHeardFrom": 1796024260, "State": "Claimed", "JobId": "7.0",
				"GlobalJobId": "s2.x#7.0#17960", "AcctGroup": "group_cepc", "AccountingGroup": "group_other.u@x", "JobStart": 1796024222}`},
			want: elasticpool.Worker{
				Joined: true, Total: elasticpool.Resources{}, Free: elasticpool.Resources{},
				Jobs: []elasticpool.Job{{ID: "7.0", Queue: "cepc", Source: "s2.x", Since: time.Unix(1796024222, 0)}},
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var ads []ad
			for _, text := range test.ads {
				ads = append(ads, adOf(t, text))
			}
			test.want.VM, test.want.Name, test.want.Heard = "a", "a.x", time.Unix(1796024260, 0)
			assert.Empty(t, cmp.Diff([]elasticpool.Worker{test.want}, rosterOf(t, time.Unix(now, 0), ads...).list()))
		})
	}
}

// TestStaleWorkers: the collector keeps old ads; a worker that has not reported for two intervals is no capacity
// (real-inputs/condor/03, aws-parallelcluster 334), one that has is, and is idle (02).
func TestStaleWorkers(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"02-status-idle-pslot.json", "03-status-stale.json"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var in struct {
				Ads      []json.RawMessage `json:"ads"`
				Now      int64             `json:"now"`
				Interval int64             `json:"update_interval_s"`
				Right    struct {
					Idle, Stale bool
				} `json:"right"`
			}
			readShared(t, name, &in)
			var ads []ad
			for _, text := range in.Ads {
				a := adOf(t, string(text))
				a["MyType"], a["ElasticVM"] = "Machine", "w"
				ads = append(ads, a)
			}
			now := time.Unix(in.Now, 0)
			got := rosterOf(t, now, ads...).list()
			require.Len(t, got, 1)
			stale := now.Sub(got[0].Heard) > 2*time.Duration(in.Interval)*time.Second
			assert.Equal(t, in.Right.Stale, stale)
			assert.Equal(t, in.Right.Stale, len(got[0].Free) == 0, "is it capacity")
			assert.Equal(t, int64(18), got[0].Total["cpus"])
			if in.Right.Idle {
				assert.False(t, got[0].IdleSince.IsZero())
			}
		})
	}
}

// TestCollectorAge: the collector's own ad tells since when it is up; the master's start time, which TARDIS used, does
// not change when only the collector restarts.
func TestCollectorAge(t *testing.T) {
	t.Parallel()
	collector := captured(t, "condor_status_collector.json", "Collector")
	now := time.Unix(1796024269, 0)
	r := rosterOf(t, now, collector...)
	assert.True(t, r.collector)
	assert.Equal(t, 152*time.Second, r.since)
	assert.Equal(t, 162*time.Second, rosterOf(t, now.Add(10*time.Second), collector...).since, "the ad is renewed seldom")
	assert.Equal(t, 152*time.Second, rosterOf(t, now.Add(-time.Hour), collector...).since, "its clock is ahead")

	young := adOf(t, `{"MyType": "Collector", "StatsLifetime": 0, "StatsLastUpdateTime": 1796024269}`)
	assert.Equal(t, time.Duration(1), rosterOf(t, now, young).since, "young is not unknown")
	assert.Zero(t, rosterOf(t, now, adOf(t, `{"MyType": "Collector"}`)).since)
}

// TestWorkersAsksForThisPool alone (jenkins openstack-cloud 60).
func TestWorkersAsksForThisPool(t *testing.T) {
	t.Parallel()
	f := newFake(t, rule{Tool: "condor_status", Out: `[{"MyType": "Collector", "StatsLifetime": 5000}, {"MyType": "DaemonMaster", "ElasticVM": "a", "Name": "a.x", "LastHeardFrom": 1}]`})
	p := f.pool(t, func(c *Config) { c.Pool = `phys"ics`; c.Interval = elasticpool.Duration(time.Minute) })
	workers, err := p.Workers(t.Context())
	require.NoError(t, err)
	assert.Equal(t, time.Minute, workers.Interval)
	assert.Equal(t, 5000*time.Second, workers.Since)
	require.Len(t, workers.List, 1)
	assert.Contains(t, strings.Join(f.calls(t)[0].Args, " "), `ElasticVM =!= undefined && ElasticPool =?= "phys\"ics"`)
}

// TestJobQueue finds the queue of a running job in what a slot has of it.
func TestJobQueue(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, attribute, ad, want string }{
		{name: "accounting group", attribute: "AcctGroup", ad: `{"AccountingGroup": "group_a.b.alice@x.org"}`, want: "a.b"},
		{name: "no group in it", attribute: "AcctGroup", ad: `{"AccountingGroup": "alice"}`},
		{name: "owner", attribute: "Owner", ad: `{"RemoteOwner": "alice@x.org"}`, want: "alice"},
		{name: "attribute", attribute: "Experiment", ad: `{"experiment": "group_juno"}`, want: "juno"},
		{name: "unknown", attribute: "Experiment", ad: `{"RemoteOwner": "alice@x.org"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p, err := New(Config{Schedds: []string{"s"}, Queue: test.attribute, Prefix: "group_"})
			require.NoError(t, err)
			assert.Equal(t, test.want, p.jobQueue(adOf(t, test.ad)))
		})
	}
}

// TestWorkersOfARealPool reads the answer to the very query of a real pool: vm1 drains with a job, vm2 runs a job with a
// GPU and an FPGA, vm3 is warm, vm4 has a startd that serves no queue.
func TestWorkersOfARealPool(t *testing.T) {
	t.Parallel()
	f := newFake(t, rule{Tool: "condor_status", OutFile: "workers.json"})
	p := f.pool(t, func(c *Config) {
		c.Pool, c.Runtime, c.RuntimeUnit = "rec", "MaxWallTimeMins", elasticpool.Duration(time.Minute)
		c.Interval = elasticpool.Duration(100 * 365 * 24 * time.Hour) // the capture is old
	})
	workers, err := p.Workers(t.Context())
	require.NoError(t, err)
	assert.GreaterOrEqual(t, workers.Since, 93*time.Second)
	require.Len(t, workers.List, 4)
	vm1, vm2, vm3, vm4 := workers.List[0], workers.List[1], workers.List[2], workers.List[3]

	assert.True(t, vm1.Joined)
	assert.True(t, vm1.Draining)
	assert.Empty(t, vm1.Free)
	assert.True(t, vm1.IdleSince.IsZero())
	assert.Empty(t, cmp.Diff([]elasticpool.Job{
		{ID: "1.0", Queue: "juno", Source: "central.rec", Since: time.Unix(1796070774, 0), Runtime: 30 * time.Minute},
	}, vm1.Jobs))

	assert.Equal(t, "lhaaso", vm2.Queue)
	assert.False(t, vm2.Draining)
	assert.Equal(t, []int64{2, 4096, 2, 1}, []int64{vm2.Total["cpus"], vm2.Total["memory_mb"], vm2.Total["gpus"], vm2.Total["fpgas"]})
	assert.Equal(t, []int64{1, 1, 0}, []int64{vm2.Free["cpus"], vm2.Free["gpus"], vm2.Free["fpgas"]})
	require.Len(t, vm2.Jobs, 1)
	assert.Equal(t, "lhaaso", vm2.Jobs[0].Queue)
	assert.Zero(t, vm2.Jobs[0].Runtime)

	for _, warm := range []elasticpool.Worker{vm3, vm4} {
		assert.Empty(t, cmp.Diff(elasticpool.Worker{VM: warm.VM, Name: warm.VM + ".rec", Heard: warm.Heard}, warm))
		assert.False(t, warm.Heard.IsZero())
	}
}
