package elasticpool

import (
	"fmt"
	"time"
)

// few is how many things may be missing before that is taken for a doubt: small pools lose one of two by chance.
const few = 3

// doubt finds reasons not to believe the sensors. While there is one nothing is shrunk, reaped or taken for lost: peers
// have destroyed whole pools on the answer of a directory that had just been restarted.
func (d *deciding) doubt() {
	for source, seen := range d.in.Jobs {
		d.stale("jobs of "+source, seen.Err, seen.Age(d.now))
	}
	if len(d.in.Jobs) == 0 {
		d.shaken = append(d.shaken, "there is no source of jobs")
	}
	d.stale("workers", d.in.Workers.Err, d.in.Workers.Age(d.now))
	d.hear()
	d.showServers()
	d.doubtJobs()
	d.doubtWorkers()
	for _, cloud := range d.policy.Clouds {
		d.doubtCloud(cloud.Name)
	}
	d.state.Trusted = d.state.Trusted && d.vanishing
}

func (d *deciding) limit() time.Duration {
	return time.Duration(d.policy.Control.StaleAfter) * d.policy.Control.Cycle.D()
}

func (d *deciding) stale(what, failure string, age time.Duration) {
	switch {
	case failure != "":
		d.shaken = append(d.shaken, fmt.Sprintf("%s: %s", what, failure))
	case age > d.limit():
		d.shaken = append(d.shaken, fmt.Sprintf("%s: %s", what, ageText(age)))
	}
}

func ageText(age time.Duration) string {
	if age > 100*365*24*time.Hour {
		return "never seen"
	}
	return fmt.Sprintf("seen %s ago", age.Round(time.Second))
}

// doubtJobs compares the queues with the workers: a schedd that shows nothing while workers run jobs does not show all.
func (d *deciding) doubtJobs() {
	total, running := 0, 0
	for _, seen := range d.in.Jobs {
		for _, g := range seen.Value {
			total += g.Waiting() + g.Running + g.Held
		}
	}
	for _, w := range d.in.Workers.Value.List {
		running += len(w.Jobs)
	}
	if total == 0 && running > few {
		d.shaken = append(d.shaken, fmt.Sprintf("jobs: the queues are said to be empty while %d jobs run on workers", running))
	}
}

// hear keeps by VM what has reported lately. An old report says nothing: HTCondor's collector keeps the ads of dead
// workers for a while.
func (d *deciding) hear() {
	d.heard = d.latest()
	d.workers = make(map[string]Worker, len(d.in.Workers.Value.List))
	for _, w := range d.in.Workers.Value.List {
		if w.VM != "" && !d.deaf(w) {
			d.workers[w.VM] = w
		}
	}
}

// deaf says whether a worker's report was too old when it was seen.
func (d *deciding) deaf(w Worker) bool {
	interval := d.in.Workers.Value.Interval
	return interval > 0 && !w.Heard.IsZero() && d.heard.Sub(w.Heard) > 2*interval
}

// latest returns when the workers were last heard, by the clock of whoever heard them. With several workers that is the
// time of the latest report: if all of them are old, clocks differ or the directory hears nobody, and that is a doubt.
func (d *deciding) latest() time.Time {
	seen := d.in.Workers
	var latest time.Time
	for _, w := range seen.Value.List {
		if w.Heard.After(latest) {
			latest = w.Heard
		}
	}
	if len(seen.Value.List) < 2 || seen.Value.Interval == 0 {
		return seen.At
	}
	if old := seen.At.Sub(latest); old > 2*seen.Value.Interval {
		d.shaken = append(d.shaken, fmt.Sprintf("workers: all reports are older than %s: do the clocks agree?", (2*seen.Value.Interval).String()))
	}
	return latest
}

// lostAfter is how long a worker must be missing to be lost: three of its reports.
func (d *deciding) lostAfter() time.Duration {
	if own := d.policy.Control.Timeouts.Lost; own > 0 {
		return own.D()
	}
	return max(3*d.in.Workers.Value.Interval, d.limit())
}

// doubtWorkers finds a directory of workers that is young, or that has lost too many of them at once.
func (d *deciding) doubtWorkers() {
	seen := d.in.Workers.Value
	if d.in.Workers.At.IsZero() {
		return // nothing was ever there to be missing
	}
	if seen.Since > 0 && seen.Interval > 0 && seen.Since < 3*seen.Interval {
		d.shaken = append(d.shaken, fmt.Sprintf("workers: the directory is up for %s only, and workers report every %s", seen.Since.Round(time.Second), seen.Interval))
	}
	served, missing := 0, 0
	for _, vm := range d.state.VMs {
		if reporting(vm) {
			served++
			if _, there := d.workers[vm.ID]; !there && !d.serverGone(vm) {
				missing++
			}
		}
	}
	if why := d.vanished("workers", missing, served); why != "" {
		d.shaken = append(d.shaken, why)
	}
}

// unlisted returns why a cloud has not told all its servers lately, or nothing.
func (d *deciding) unlisted(name string) string {
	seen, asked := d.in.Clouds[name]
	switch {
	case !asked:
		return "it is not asked"
	case seen.Err != "":
		return seen.Err
	case seen.Age(d.now) > d.limit():
		return "servers: " + ageText(seen.Age(d.now))
	case !seen.Value.Complete:
		return "its list of servers is not complete"
	}
	return ""
}

// serverGone says whether the cloud, too, says that a VM is gone. What both say is believed, however many they are.
func (d *deciding) serverGone(vm *VM) bool {
	return d.unlisted(vm.Cloud) == "" && !d.shown[vm.Cloud][vm.ID]
}

// workerGone says whether the batch system, too, says that a VM is gone that has served.
func (d *deciding) workerGone(vm *VM) bool {
	_, reports := d.workers[vm.ID]
	return reporting(vm) && !reports && d.in.Workers.Err == "" && d.in.Workers.Age(d.now) <= d.limit()
}

// reporting says whether the worker of a VM has reported and should go on doing so.
func reporting(vm *VM) bool { return vm.State == Joined || vm.State == Draining || vm.State == Warm }

// showServers keeps which VMs each cloud shows a server of.
func (d *deciding) showServers() {
	d.shown = make(map[string]map[string]bool, len(d.in.Clouds))
	for cloud, seen := range d.in.Clouds {
		d.shown[cloud] = make(map[string]bool, len(seen.Value.Servers))
		for _, server := range seen.Value.Servers {
			d.shown[cloud][server.VM] = true
		}
	}
}

// vanished says what is to be doubted when so many things are missing at once, or nothing. An operator who says thaw
// ends this doubt until it would be over by itself.
func (d *deciding) vanished(what string, missing, of int) string {
	if missing <= few || float64(missing) <= d.policy.Control.VanishShare*float64(of) {
		return ""
	}
	d.vanishing = true
	if d.state.Trusted {
		return ""
	}
	return fmt.Sprintf("%d of %d %s are missing at once; say thaw if they are really gone", missing, of, what)
}

// doubtCloud finds a cloud that does not answer, or whose list of servers is short.
func (d *deciding) doubtCloud(name string) {
	seen := d.in.Clouds[name]
	if why := d.unlisted(name); why != "" {
		d.murky[name] = why
		return
	}
	for _, server := range seen.Value.Servers {
		if server.Generation > d.state.Generation {
			d.halt(fmt.Sprintf("server %s in cloud %s belongs to a newer controller (generation %d, this is %d): two controllers run", server.ID, name, server.Generation, d.state.Generation))
			return
		}
	}
	known, missing := 0, 0
	for _, vm := range d.state.VMs {
		if vm.Cloud == name && vm.Server != "" && vm.State != Deleting {
			known++
			if !d.shown[name][vm.ID] && !d.workerGone(vm) {
				missing++
			}
		}
	}
	if why := d.vanished("servers", missing, known); why != "" {
		d.murky[name] = why
	}
}
