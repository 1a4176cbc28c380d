package elasticpool

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// observe lets the states of VMs follow what clouds and workers show.
func (d *deciding) observe() {
	d.disown()
	for _, cloud := range d.policy.Clouds {
		seen := d.in.Clouds[cloud.Name]
		d.observeServers(cloud.Name, seen.Value, seen.At)
	}
	for _, vm := range slices.Clone(d.state.VMs) {
		d.observeWorker(vm)
		d.observeTime(vm)
	}
}

// disown strands VMs whose cloud the policy has no more, makes orphans of those whose class it has no more, and takes back
// those whose cloud or class it has again.
func (d *deciding) disown() {
	for _, vm := range d.state.VMs {
		switch known := d.configured(vm.Cloud); {
		case !known:
			d.move(vm, Stranded, fmt.Sprintf("cloud %s is not in the policy: put it back, or forget the VM", vm.Cloud))
		case vm.State == Stranded, vm.State == Orphaned:
			d.takeUp(vm)
		case vm.State == Draining, vm.State == Deleting, vm.State == Failed, vm.State == Lost:
		default:
			d.orphan(vm)
		}
	}
}

// configured says whether a cloud is in the policy.
func (d *deciding) configured(cloud string) bool {
	return slices.ContainsFunc(d.policy.Clouds, func(c Cloud) bool { return c.Name == cloud })
}

// takeUp goes on with a VM that was stranded or an orphan and whose class the policy has. Where it is in its life its
// server and its worker tell anew.
func (d *deciding) takeUp(vm *VM) {
	switch {
	case d.classOf(vm) == nil:
		d.orphan(vm)
		return
	case strings.Contains(vm.ID, "/"):
		d.move(vm, Failed, "a second server of a VM")
		return
	case d.queue(vm.Queue) == nil:
		vm.Queue = ""
	}
	state := Booted
	if vm.Server == "" {
		state = Requested // nobody knows whether it was made
	}
	vm.Keep, vm.Was, vm.Gone = false, "", time.Time{}
	d.move(vm, state, "its cloud and its class are in the policy again")
}

// classOf returns the class of a VM if the policy has it for the VM's cloud, or nil.
func (d *deciding) classOf(vm *VM) *Class {
	if class := d.classes[vm.Class]; class != nil && class.Cloud == vm.Cloud {
		return class
	}
	return nil
}

// orphan makes an orphan of a VM if its class is not in the policy for its cloud, and says whether it did.
func (d *deciding) orphan(vm *VM) bool {
	if d.classOf(vm) != nil {
		return false
	}
	d.move(vm, Orphaned, fmt.Sprintf("class %q is not in the policy for cloud %s", vm.Class, vm.Cloud))
	return true
}

// observeServers takes in a cloud's list of servers, as of the time at which the look began.
func (d *deciding) observeServers(cloud string, view CloudView, at time.Time) {
	for _, server := range view.Servers {
		if vm := d.whose(cloud, server); vm != nil {
			d.observeServer(vm, server, at)
		} else {
			d.adopt(cloud, server, at)
		}
	}
	if d.murky[cloud] != "" {
		return
	}
	for _, vm := range slices.Clone(d.state.VMs) {
		if vm.Cloud == cloud && !d.listed[vm.ID] && !d.acting[vm.ID] && vm.Since.Before(at) {
			d.serverMissing(vm)
		}
	}
}

// whose returns the VM whose server it is, or nil. A second server of a VM is a VM of its own. A stranded VM whose server
// another cloud shows is there: its cloud has another name now.
func (d *deciding) whose(cloud string, server Server) *VM {
	vm := d.vms[server.VM]
	switch {
	case vm != nil && vm.State == Stranded && (vm.Server == "" || vm.Server == server.ID):
		vm.Cloud, vm.Class = cloud, server.Class
		d.takeUp(vm)
	case vm == nil || vm.Cloud != cloud:
		return d.vms[twinID(server)]
	case vm.Server != "" && vm.Server != server.ID:
		return d.twin(cloud, server)
	}
	return vm
}

// observeServer takes in what a cloud shows of a VM.
func (d *deciding) observeServer(vm *VM, server Server, at time.Time) {
	d.listed[vm.ID] = true
	vm.Server, vm.Host, vm.Gone = server.ID, server.Host, time.Time{}
	if vm.Since.After(at) && vm.State != Requested && vm.State != Planned {
		return // older than what the VM has done since
	}
	switch server.Status {
	case ServerBuilding, ServerActive:
		d.serverComes(vm, server.Status)
	case ServerError:
		d.serverError(vm, server)
	case ServerStopped:
		d.serverStopped(vm)
	case ServerDeleting:
		d.losing(vm, "its server is being deleted by somebody else")
	}
}

// serverComes lets a VM follow its server to where it runs.
func (d *deciding) serverComes(vm *VM, status ServerStatus) {
	switch {
	case status == ServerActive && (flies(vm) && vm.State != Booted || vm.State == Stopped):
		d.move(vm, Booted, "its server runs")
	case status == ServerBuilding && (vm.State == Planned || vm.State == Requested):
		d.move(vm, Building, "the cloud makes it")
	}
}

func (d *deciding) serverError(vm *VM, server Server) {
	why := "its server is in error"
	if server.Fault != "" {
		why += ": " + server.Fault
	}
	switch vm.State {
	case Planned, Requested, Building, Booted, Starting:
		word := "capacity"
		if server.FaultClass != "" {
			word = server.FaultClass
		}
		d.failed(vm, word, why)
	case Warm, Joining, Joined, Draining, Stopping, Stopped, Degraded:
		d.losing(vm, why)
	}
}

func (d *deciding) serverStopped(vm *VM) {
	switch vm.State {
	case Stopping:
		d.move(vm, Stopped, "its server sleeps")
	case Planned, Requested, Building, Booted, Warm:
		d.move(vm, Stopped, "its server was stopped by somebody else")
	case Joining, Joined, Draining, Degraded:
		d.losing(vm, "its server was stopped by somebody else")
	}
}

// losing marks a VM as lost, unless there is doubt.
func (d *deciding) losing(vm *VM, why string) {
	if vm.State == Lost || vm.State == Failed || vm.State == Deleting || d.doubtful(vm.Cloud) {
		return
	}
	d.move(vm, Lost, why)
}

// serverMissing takes in that a complete list has no server of a VM. A worker that has reported since is believed more
// than the list: then both are asked again.
func (d *deciding) serverMissing(vm *VM) {
	switch vm.State {
	case Planned, Requested:
		return // observeTime gives up on it
	case Deleting:
		d.gone(vm, "deleted")
		return
	case Failed, Orphaned, Stopped, Stopping:
		d.gone(vm, "its server is gone")
		return
	case Building:
		d.failed(vm, "capacity", "its server is gone before it ran")
		d.gone(vm, "its server is gone before it ran")
		return
	}
	if vm.Gone.IsZero() {
		vm.Gone = d.now
		return
	}
	if w, reports := d.workers[vm.ID]; reports && w.Heard.After(vm.Gone) {
		return
	}
	vm.Server = ""
	d.losing(vm, "its server is gone")
}

// twinID is the id under which a second server with the same VM id is known.
func twinID(server Server) string { return server.VM + "/" + server.ID }

// twin takes in a second server of one VM: a create whose reply was lost and that was asked for again. It is deleted.
func (d *deciding) twin(cloud string, server Server) *VM {
	if vm := d.vms[twinID(server)]; vm != nil {
		return vm
	}
	vm := &VM{ID: twinID(server), Class: server.Class, Cloud: cloud, Server: server.ID, Host: server.Host, Created: server.Created, State: Requested, Since: d.now}
	d.add(vm)
	d.move(vm, Failed, "a second server of VM "+server.VM)
	return vm
}

// adopt takes a server into the books that bears our tag and is not in them: made by a controller that is no more.
func (d *deciding) adopt(cloud string, server Server, at time.Time) {
	if server.Status == ServerDeleting {
		return // nobody's business any more
	}
	vm := &VM{
		ID: server.VM, Class: server.Class, Cloud: cloud, Queue: server.Queue, Server: server.ID, Host: server.Host,
		Created: server.Created, State: Requested, Since: d.now,
	}
	if d.vms[vm.ID] != nil {
		vm.ID = twinID(server) // the same VM id in two clouds
	}
	if vm.Created.IsZero() {
		vm.Created = d.now
	}
	d.add(vm)
	if d.orphan(vm) {
		return
	}
	if d.queue(vm.Queue) == nil {
		vm.Queue = ""
	}
	d.out.Events = append(d.out.Events, Event{VM: vm.ID, Class: vm.Class, Cloud: cloud, To: vm.State, What: "adopted: its server bears the pool's tag"})
	d.observeServer(vm, server, at)
}

// observeTime ends states that last too long.
func (d *deciding) observeTime(vm *VM) {
	if d.acting[vm.ID] {
		return
	}
	limit := d.timeout(vm.Class, vm.State)
	if limit == 0 || d.now.Sub(vm.Since) <= limit {
		return
	}
	defer func(state VMState) {
		if vm.State != state {
			d.took(vm.Class, state, limit) // so that a time-out which is too short for all of them becomes longer
		}
	}(vm.State)
	switch vm.State {
	case Planned, Requested:
		d.neverShown(vm)
	case Booted:
		if len(d.shaken) == 0 { // otherwise it may have reported without being heard
			d.failed(vm, "capacity", fmt.Sprintf("its worker did not report within %s", limit))
		}
	case Joining:
		if len(d.shaken) == 0 {
			d.joinFailed(vm, "it did not join in time")
		}
	case Stopping:
		d.move(vm, Warm, fmt.Sprintf("still awake after %s", limit))
	default:
		d.failed(vm, "capacity", fmt.Sprintf("still %s after %s", vm.State, limit))
	}
}

// neverShown gives up on a VM whose server a complete list does not show.
func (d *deciding) neverShown(vm *VM) {
	if d.murky[vm.Cloud] == "" {
		d.rest(vm, "capacity", "the cloud never showed its server")
		d.gone(vm, "the cloud never showed its server")
	}
}

// joinFailed lets a VM that did not join try again, and gives it up after the third time.
func (d *deciding) joinFailed(vm *VM, why string) {
	if vm.Tries >= 2 {
		d.failed(vm, "capacity", "it did not join, three times: "+why)
		return
	}
	d.back(vm, Warm, why)
	d.retry(vm)
}
