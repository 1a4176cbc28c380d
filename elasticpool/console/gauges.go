package console

import (
	"maps"
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Gauges, each with its labels.
var (
	queueJobs      = gauge("queue_jobs", "Jobs of a queue by state: waiting, running, held.", "queue", "state")
	queueVMs       = gauge("queue_vms", "VMs of a queue: wanted by its jobs, target of its share, serving, busy, coming, leased and not there yet.", "queue", "kind")
	queueThreshold = gauge("queue_threshold_vms", "Lower and upper threshold of a queue; without an upper one it is absent.", "queue", "bound")
	queueShare     = gauge("queue_dominant_share", "Largest part that a queue has of any resource.", "queue")
	queueBorrowed  = gauge("queue_borrowed_share", "What of its dominant share is beyond the part that its weight gives a queue, because others do not use theirs.", "queue")
	queueOldest    = gauge("queue_oldest_job_seconds", "How long the oldest waiting job of a queue has waited.", "queue")
	unsatisfiable  = gauge("unsatisfiable_jobs", "Waiting jobs that no class can run, by reason.", "queue", "reason")

	vms         = gauge("vms", "VMs by cloud, class and state.", "cloud", "class", "state")
	classOff    = gauge("class_off", "1 while nothing is made of a class.", "cloud", "class")
	classRamp   = gauge("class_ramp_vms", "VMs of a class that may be on their way at once.", "cloud", "class")
	classFlight = gauge("class_in_flight_vms", "VMs of a class that are on their way.", "cloud", "class")
	classBuffer = gauge("class_buffer_target_vms", "VMs that the buffer of a class is to have.", "cloud", "class")

	sensorAge     = gauge("sensor_age_seconds", "Age of what a sensor last saw; -1: it never saw anything.", "sensor")
	sensorFailed  = gauge("sensor_failed", "1 if the last look of a sensor failed.", "sensor")
	cloudResource = gauge("cloud_resource", "What the pool may use of a cloud in all (total) and can have now (free).", "cloud", "resource", "kind")
	breakerState  = gauge("breaker_state", "1 for the state that a cloud's circuit breaker is in.", "cloud", "state")

	frozen     = gauge("frozen", "1 while nothing is shrunk because of doubt.")
	blind      = gauge("blind", "1 while nothing is grown.")
	underWay   = gauge("actions_under_way", "Actions that have begun and not ended.", "kind")
	orders     = gauge("orders", "Commands of operators that are in force, by kind.", "kind")
	cycleTime  = gauge("cycle_seconds", "How long the last cycle took, with waiting for sensors.")
	cycleEnd   = gauge("last_cycle_timestamp_seconds", "When the last cycle ended.")
	cycleFault = gauge("cycle_failed", "1 if the last cycle failed as a whole.")
)

func gauge(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, labels, nil)
}

// gauges collects what the pool is like when it is asked.
type gauges struct {
	shown func() (Pool, cycle)
}

// Describe tells nothing: which gauges there are hangs on the pool.
func (*gauges) Describe(chan<- *prometheus.Desc) {}

// Collect sends the gauges of the last cycle, and nothing before there is one.
func (g *gauges) Collect(to chan<- prometheus.Metric) {
	pool, last := g.shown()
	if pool == nil || last.at.IsZero() {
		return
	}
	s := pool.Status()
	c := collecting{to: to, last: last, status: s}
	c.pool()
	c.queues()
	c.unmet()
	c.classes()
	c.sensors()
}

// collecting is one collection.
type collecting struct {
	to     chan<- prometheus.Metric
	last   cycle
	status elasticpool.Status
}

func (c collecting) send(of *prometheus.Desc, value float64, labels ...string) {
	for i := range labels {
		labels[i] = label(labels[i])
	}
	c.to <- prometheus.MustNewConstMetric(of, prometheus.GaugeValue, value, labels...)
}

func (c collecting) pool() {
	c.send(frozen, truth(len(c.last.decision.Frozen) > 0))
	c.send(blind, truth(len(c.last.decision.Blind) > 0))
	c.send(cycleTime, c.status.CycleTime)
	c.send(cycleEnd, float64(c.last.at.UnixMilli())/1000)
	c.send(cycleFault, truth(c.status.Error != ""))
	running, ordered := map[string]int{}, map[string]int{}
	for _, action := range c.status.Running {
		running[string(action.Action.Kind)]++
	}
	for _, order := range c.status.Orders {
		ordered[string(order.Kind)]++
	}
	for kind, n := range running {
		c.send(underWay, float64(n), kind)
	}
	for kind, n := range ordered {
		c.send(orders, float64(n), kind)
	}
	for _, b := range c.status.Breakers {
		c.send(breakerState, 1, b.Cloud, b.State)
	}
}

func (c collecting) queues() {
	leased, weights := map[string]int{}, 0.0
	for _, lease := range c.status.Leases {
		leased[lease.Queue] += lease.Units
	}
	for _, q := range c.last.decision.Queues {
		weights += q.Weight
	}
	for _, q := range c.last.decision.Queues {
		for state, n := range map[string]int{"waiting": q.Waiting, "running": q.Running, "held": q.Held} {
			c.send(queueJobs, float64(n), q.Name, state)
		}
		for kind, n := range map[string]int{
			"wanted": q.Wanted, "target": q.Target, "serving": q.Serving, "busy": q.Busy, "coming": q.Coming, "leased": leased[q.Name],
		} {
			c.send(queueVMs, float64(n), q.Name, kind)
		}
		c.send(queueThreshold, float64(q.Lower), q.Name, "lower")
		if q.Upper >= 0 {
			c.send(queueThreshold, float64(q.Upper), q.Name, "upper")
		}
		c.send(queueShare, q.Share, q.Name)
		c.send(queueBorrowed, max(q.Share-q.Weight/max(weights, 1e-9), 0), q.Name)
		c.send(queueOldest, q.Oldest, q.Name)
	}
}

// maxReasons is how many reasons a queue's unsatisfiable jobs are told by: they bear numbers that users choose.
const maxReasons = 20

func (c collecting) unmet() {
	byReason := map[string]map[string]int{}
	for _, u := range c.last.decision.Unmet {
		if byReason[u.Queue] == nil {
			byReason[u.Queue] = map[string]int{}
		}
		reason := label(u.Reason)
		if _, told := byReason[u.Queue][reason]; !told && len(byReason[u.Queue]) >= maxReasons-1 {
			reason = "other"
		}
		byReason[u.Queue][reason] += u.Jobs
	}
	for _, queue := range slices.Sorted(maps.Keys(byReason)) {
		for reason, jobs := range byReason[queue] {
			c.send(unsatisfiable, float64(jobs), queue, reason)
		}
	}
}

func (c collecting) classes() {
	for _, class := range c.last.decision.Classes {
		for state, n := range class.States {
			c.send(vms, float64(n), class.Cloud, class.Name, string(state))
		}
		c.send(classOff, truth(class.Off != ""), class.Cloud, class.Name)
		c.send(classRamp, float64(class.Ramp), class.Cloud, class.Name)
		c.send(classFlight, float64(class.InFlight), class.Cloud, class.Name)
		c.send(classBuffer, float64(class.Buffer), class.Cloud, class.Name)
	}
}

func (c collecting) sensors() {
	for _, sensor := range c.status.Sensors {
		c.send(sensorAge, sensor.Age, sensor.Name)
		c.send(sensorFailed, truth(sensor.Err != ""), sensor.Name)
	}
	for cloud, seen := range c.last.in.Clouds {
		for kind, amounts := range map[string]elasticpool.Resources{"total": seen.Value.Limits.Total, "free": seen.Value.Limits.Free} {
			for resource, n := range amounts {
				c.send(cloudResource, float64(n), cloud, resource, kind)
			}
		}
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
