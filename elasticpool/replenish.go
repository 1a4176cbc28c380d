package elasticpool

import (
	"fmt"
	"maps"
	"slices"
)

// supply are VMs that can be had without making one, by class.
type supply struct {
	draining map[string][]*VM
	coming   map[string][]*VM
	idle     map[string][]*VM
	warm     map[string][]*VM
	stopped  map[string][]*VM
	spare    map[string]Resources // by cloud: what VMs take that no queue needs, or that are above their queue's share
}

// replenish gives queues what they lack and may have, the cheapest way first, one VM at a time to the queue that has
// the smallest part of its target.
func (d *deciding) replenish() {
	d.joinWarm()
	d.supply = d.takeStock()
	d.room = d.rooms()
	d.noteDues()
	for {
		q, l, class := d.next()
		if q == nil {
			break
		}
		got, why := d.give(q, l, class)
		if got == nil {
			l.instead(class, d.off(class))
			q.view.Why = why
			continue
		}
		l.granted[class.Name]--
		q.got(l, class, got)
	}
	d.buffer()
}

// noteDues keeps what the shares allow, and what the queues take already of what their ceilings are about.
func (d *deciding) noteDues() {
	for _, q := range d.queues {
		for _, l := range q.lacks {
			l.due = maps.Clone(l.granted)
		}
		q.use, q.idle = take(d.held(q)), take(d.idle(q))
	}
}

// open says whether a queue may have more for a lack than it got in this decision.
func (l *lack) open() bool {
	n := 0
	for _, due := range l.due {
		n += due
	}
	return n > 0
}

// got notes that a queue has one more VM for a lack: one that its share allows of a class, which may be of another that
// will do.
func (q *queueNow) got(l *lack, due, class *Class) {
	l.want--
	l.due[due.Name]--
	q.given++
	q.use = q.use.Plus(class.Takes)
}

// closed says whether one more VM of a class would take a queue above its ceiling: also for a while, while a VM of another
// class is on its way out, or stands idle and will soon be.
func (q *queueNow) closed(class *Class) bool {
	return class.exceeds(ceiling(q.Queue), q.use.Plus(q.idle).Plus(class.Takes))
}

// off says whether a class cannot be had for more than a moment: it rests, or its cloud is full.
func (d *deciding) off(class *Class) bool {
	return d.resting(class) != "" || d.murky[class.Cloud] != "" || !covers(d.room[class.Cloud], class.Takes)
}

// instead gives up on a class in this decision. If it is off, the next class of the lack stands in for it.
func (l *lack) instead(class *Class, off bool) {
	n := l.granted[class.Name]
	l.granted[class.Name] = 0
	l.tried = append(l.tried, class)
	if !off {
		return
	}
	for _, other := range l.options {
		if !slices.Contains(l.tried, other) {
			l.granted[other.Name] += n
			return
		}
	}
}

// next returns the lack that is served next.
func (d *deciding) next() (*queueNow, *lack, *Class) {
	var best *queueNow
	for _, q := range d.queues {
		if q.open() && (best == nil || q.part() < best.part()) {
			best = q
		}
	}
	if best == nil {
		return nil, nil, nil
	}
	for _, l := range best.lacks {
		for _, class := range l.options {
			if l.granted[class.Name] > 0 {
				return best, l, class
			}
		}
	}
	return nil, nil, nil
}

func (q *queueNow) open() bool {
	return slices.ContainsFunc(q.lacks, func(l *lack) bool {
		return slices.ContainsFunc(l.options, func(class *Class) bool { return l.granted[class.Name] > 0 })
	})
}

// part is which part of its target a queue has.
func (q *queueNow) part() float64 {
	return float64(len(q.needed)+q.given) / float64(max(q.view.Target, 1))
}

// joinWarm lets warm VMs join the queues that wait for them, and gives those that nobody needs to the buffer.
func (d *deciding) joinWarm() {
	for _, q := range d.queues {
		for _, vm := range q.vms {
			switch {
			case vm.State != Warm:
			case !q.needed[vm.ID]:
				vm.Queue = ""
			case d.free(vm):
				d.join(vm, q, "jobs of "+q.Name+" wait for it")
			}
		}
	}
}

func (d *deciding) join(vm *VM, q *queueNow, reason string) {
	vm.Queue, vm.Bound = q.Name, d.now
	tries := vm.Tries
	d.move(vm, Joining, reason)
	vm.Tries = tries
	d.act(ActJoin, vm, reason)
}

// takeStock finds VMs that no queue needs.
func (d *deciding) takeStock() supply {
	s := supply{
		map[string][]*VM{}, map[string][]*VM{}, map[string][]*VM{}, map[string][]*VM{}, map[string][]*VM{}, map[string]Resources{},
	}
	needed := map[string]bool{}
	for _, q := range d.queues {
		maps.Copy(needed, q.needed)
		for _, over := range q.over {
			s.spares(over.class, over.n)
		}
	}
	for _, vm := range d.state.VMs {
		if needed[vm.ID] {
			continue
		}
		if class := d.classOf(vm); class != nil {
			s.spares(class, 1)
		}
		if d.evicted(vm) != "" {
			continue
		}
		if to := s.of(vm); to != nil && d.available(vm) {
			to[vm.Class] = append(to[vm.Class], vm)
		}
	}
	return s
}

// spares counts VMs that can be given up.
func (s supply) spares(class *Class, n int) {
	s.spare[class.Cloud] = s.spare[class.Cloud].Plus(class.Takes.Times(int64(n)))
}

// of returns the part of the supply that a VM belongs to, or nil.
func (s supply) of(vm *VM) map[string][]*VM {
	switch {
	case flies(vm):
		return s.coming
	case vm.State == Draining:
		return s.draining
	case vm.State == Joined:
		return s.idle
	case vm.State == Warm:
		return s.warm
	case vm.State == Stopped:
		return s.stopped
	}
	return nil
}

// available says whether a VM may be given to a queue now. One that is on its way changes hands in the books only.
func (d *deciding) available(vm *VM) bool {
	if flies(vm) {
		return !d.quarantined(vm)
	}
	idle := vm.State != Joined || len(d.workers[vm.ID].Jobs) == 0 // jobs of a queue that the policy does not know any more
	return idle && d.free(vm) && vm.Missing.IsZero()
}

// pop takes the first VM that may be taken out of a list.
func pop(of map[string][]*VM, class string, may func(*VM) bool) *VM {
	for i, vm := range of[class] {
		if may == nil || may(vm) {
			of[class] = slices.Delete(of[class], i, i+1)
			return vm
		}
	}
	return nil
}

// give lets a queue have one more VM of a class, or of another that will do and is ready, and returns the class of what it
// got, or says why it gets none now.
func (d *deciding) give(q *queueNow, l *lack, class *Class) (got *Class, why string) {
	reason := "jobs of " + q.Name + " wait"
	if len(q.needed) == 0 && q.view.Waiting == 0 {
		reason = q.Name + " keeps its lower threshold"
	}
	for _, other := range append([]*Class{class}, l.options...) {
		if !q.closed(other) && d.ready(q, other, class.takesAll(other), reason) {
			return other, ""
		}
	}
	if q.closed(class) {
		return nil, "its upper threshold is reached"
	}
	if why := d.bring(q, l, class, reason); why != "" {
		return nil, why
	}
	return class, ""
}

// bring lets a VM of a class be on its way to a queue, or says why it cannot now.
func (d *deciding) bring(q *queueNow, l *lack, class *Class, reason string) string {
	if vm := pop(d.supply.coming, class.Name, nil); vm != nil {
		vm.Queue = q.Name
		return ""
	}
	if l.young {
		return "its jobs wait for less than a cycle"
	}
	if vm := pop(d.supply.stopped, class.Name, nil); vm != nil {
		vm.Queue = q.Name
		d.move(vm, Starting, reason)
		d.act(ActStart, vm, reason)
		return ""
	}
	if coming, worth := q.coming(class), d.worth(q, class); coming >= worth {
		return fmt.Sprintf("its jobs are short: %d VMs on their way are enough", coming)
	}
	why := d.create(q.Name, class, reason)
	if why != "" {
		d.miss(l, class, why)
	}
	return why
}

// ready gives a queue a VM of a class that can serve within seconds: one that drains, that serves others who do not need
// it, or that waits in the buffer. One that drains is kept only if the share of the queue covers it: it may be draining
// because it does not.
func (d *deciding) ready(q *queueNow, class *Class, covered bool, reason string) bool {
	if vm := pop(d.supply.draining, class.Name, func(vm *VM) bool { return covered && vm.Queue == q.Name }); vm != nil {
		d.act(ActCancelDrain, vm, reason)
		vm.Keep = false
		d.move(vm, Joined, "its drain is cancelled: "+reason)
		return true
	}
	if vm := pop(d.supply.idle, class.Name, func(vm *VM) bool { return vm.Queue != q.Name }); vm != nil {
		d.bind(vm, q, reason)
		return true
	}
	if vm := pop(d.supply.warm, class.Name, nil); vm != nil {
		d.join(vm, q, reason)
		return true
	}
	return false
}

// shortage is a VM that a queue may have and that cannot be made, since others hold what it takes.
type shortage struct {
	lack *lack
	of   []string // resources
	why  string
}

// miss notes a shortage, if what others can spare ends it: what is given up for a VM that cannot be made all the same would
// only be made again.
func (d *deciding) miss(l *lack, class *Class, why string) {
	s := shortage{lack: l, why: why}
	for _, resource := range sortedKeys(class.Takes) {
		if has, limited := d.room[class.Cloud][resource]; limited && has < class.Takes[resource] {
			s.of = append(s.of, resource)
		}
	}
	if len(s.of) > 0 && covers(d.room[class.Cloud], class.Takes.Minus(d.supply.spare[class.Cloud])) {
		d.shortages[class.Cloud] = append(d.shortages[class.Cloud], s)
	}
}

// coming returns how many VMs of a class are on their way to a queue.
func (q *queueNow) coming(class *Class) int {
	n := q.made
	for _, vm := range q.vms {
		if vm.Class == class.Name && flies(vm) {
			n++
		}
	}
	return n
}

// bind gives a VM that serves to another queue. Jobs that run on it stay.
func (d *deciding) bind(vm *VM, q *queueNow, reason string) {
	d.leaves(vm)
	vm.Was, vm.Queue, vm.Bound = vm.Queue, q.Name, d.now
	d.act(ActBind, vm, reason)
	d.out.Events = append(d.out.Events, Event{VM: vm.ID, Class: vm.Class, Cloud: vm.Cloud, What: fmt.Sprintf("from queue %s to %s: %s", vm.Was, q.Name, reason)})
}

// create plans a VM, or says why it cannot be made now.
func (d *deciding) create(queue string, class *Class, reason string) string {
	if why := d.cannotCreate(class); why != "" {
		return why
	}
	takeFrom(d.room[class.Cloud], class.Takes)
	d.created++
	d.flying[class.Name]++
	vm := &VM{ID: d.newID(), Class: class.Name, Cloud: class.Cloud, Queue: queue, State: Planned, Since: d.now, Created: d.now, Why: reason, Made: d.versions[class.Name]}
	d.add(vm)
	if q := d.queue(queue); q != nil {
		q.made++
	}
	d.act(ActCreate, vm, reason)
	vm.State = Requested
	s := d.state.Classes[class.Name]
	s.Grew = d.now
	if n := len(s.Growth); n > 0 && s.Growth[n-1].At.Equal(d.now) {
		s.Growth[n-1].N++
	} else {
		s.Growth = append(s.Growth, Growth{At: d.now, N: 1})
	}
	return ""
}

func (d *deciding) cannotCreate(class *Class) string {
	if why := d.resting(class); why != "" {
		return class.Name + ": " + why
	}
	if len(d.out.Blind) > 0 {
		return "nothing is grown: " + d.out.Blind[0]
	}
	if why := d.murky[class.Cloud]; why != "" {
		return "cloud " + class.Cloud + ": " + why
	}
	if most := min(d.state.Classes[class.Name].Ramp, d.policy.Control.MaxInFlight); d.flying[class.Name] >= most {
		return fmt.Sprintf("%s: %d are on their way, which is as many as may be now", class.Name, d.flying[class.Name])
	}
	if d.created >= d.policy.Control.MaxCreates {
		return fmt.Sprintf("%d are made in one decision at most", d.policy.Control.MaxCreates)
	}
	if covers(d.room[class.Cloud], class.Takes) {
		return ""
	}
	for _, resource := range sortedKeys(class.Takes) {
		if has, limited := d.room[class.Cloud][resource]; limited && has < class.Takes[resource] {
			return fmt.Sprintf("cloud %s has %d %s left, %s takes %d", class.Cloud, max(has, 0), resource, class.Name, class.Takes[resource])
		}
	}
	return ""
}

// rooms returns what can be made in each cloud now: what the cloud says is free, less what has been asked for since it
// said so, and never above what the pool may take.
func (d *deciding) rooms() map[string]Resources {
	rooms := map[string]Resources{}
	for _, cloud := range d.policy.Clouds {
		free := Resources{}.Plus(d.in.Clouds[cloud.Name].Value.Limits.Free)
		for _, vm := range d.state.VMs {
			if class := d.classes[vm.Class]; class != nil && vm.Cloud == cloud.Name && !d.listed[vm.ID] {
				takeFrom(free, class.Takes)
			}
		}
		for _, q := range d.queues {
			for _, leased := range d.leased(q) {
				if leased.class.Cloud == cloud.Name {
					takeFrom(free, leased.class.Takes.Times(int64(leased.n)))
				}
			}
		}
		for resource, most := range d.capacity[cloud.Name] {
			free = lower(free, Resources{resource: most - d.own[cloud.Name][resource]})
		}
		rooms[cloud.Name] = free
	}
	return rooms
}

// covers says whether limits allow amounts; what is not limited is allowed.
func covers(limits, amounts Resources) bool {
	for resource, amount := range amounts {
		if has, limited := limits[resource]; limited && has < amount {
			return false
		}
	}
	return true
}

// takeFrom takes amounts from limits; what is not limited stays so.
func takeFrom(limits, amounts Resources) {
	for resource, amount := range amounts {
		if _, limited := limits[resource]; limited {
			limits[resource] -= amount
		}
	}
}
