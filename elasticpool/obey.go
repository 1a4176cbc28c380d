package elasticpool

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// obey takes in the commands of operators, and lines up the queues as these leave them. Freezes, drains and quotas stay in
// force until they are taken back.
func (d *deciding) obey() {
	for _, command := range d.in.Commands {
		d.obeyOne(command)
	}
	for _, order := range d.state.Orders {
		if order.Kind == CmdFreeze {
			d.halt("frozen by " + order.by())
		}
	}
	for _, q := range d.policy.Queues {
		d.queues = append(d.queues, &queueNow{Queue: d.ordered(q), needed: map[string]bool{}, busy: map[string]bool{}})
	}
}

func (d *deciding) obeyOne(command Command) {
	switch command.Kind {
	case CmdFreeze, CmdDrain:
		d.order(command)
	case CmdThaw:
		d.withdraw(command.withdraws)
		d.state.Trusted = true
	case CmdUndrain, CmdResetQuota:
		d.withdraw(command.withdraws)
	case CmdSetQuota:
		d.order(d.amended(command))
	case CmdForget:
		d.forgetStranded(command)
		return
	default:
		d.out.Events = append(d.out.Events, Event{What: fmt.Sprintf("command %q is not known", command.Kind)})
		return
	}
	d.out.Events = append(d.out.Events, Event{VM: command.VM, Class: command.Class, Cloud: command.Cloud, What: command.String()})
}

// forgetStranded takes VMs out of the books that are of a cloud which the policy does not have. Others are never forgotten.
func (d *deciding) forgetStranded(command Command) {
	for _, vm := range slices.Clone(d.state.VMs) {
		if command.names(vm) && !d.configured(vm.Cloud) {
			d.gone(vm, "forgotten by "+command.by())
		}
	}
}

// amended returns a quota order with what earlier ones have set and it does not.
func (d *deciding) amended(command Command) Command {
	for _, order := range d.state.Orders {
		if order.Kind == CmdSetQuota && order.Queue == command.Queue {
			command.Lower = cmp.Or(command.Lower, order.Lower)
			command.Upper = cmp.Or(command.Upper, order.Upper)
			command.Weight = cmp.Or(command.Weight, order.Weight)
		}
	}
	return command
}

// halt lets nothing be done in this decision.
func (d *deciding) halt(why string) {
	d.halted = why
	d.shaken = append(d.shaken, why)
	d.out.Blind = append(d.out.Blind, why)
}

func (d *deciding) order(command Command) {
	d.withdraw(func(c Command) bool { return c.Kind == command.Kind && c.sameTarget(command) })
	d.state.Orders = append(d.state.Orders, command)
}

func (d *deciding) withdraw(which func(Command) bool) {
	d.state.Orders = slices.DeleteFunc(d.state.Orders, which)
}

// withdraws says whether the command takes an order back.
func (c Command) withdraws(order Command) bool {
	switch c.Kind {
	case CmdThaw:
		return order.Kind == CmdFreeze
	case CmdUndrain:
		return order.Kind == CmdDrain && order.sameTarget(c)
	case CmdResetQuota:
		return order.Kind == CmdSetQuota && order.Queue == c.Queue
	}
	return false
}

func (c Command) sameTarget(other Command) bool {
	return c.VM == other.VM && c.Class == other.Class && c.Queue == other.Queue && c.Cloud == other.Cloud
}

// touches says whether a drain is meant for a VM.
func (c Command) touches(vm *VM) bool { return c.Kind == CmdDrain && c.names(vm) }

// names says whether a VM is one of those that a command names.
func (c Command) names(vm *VM) bool {
	named := func(want, is string) bool { return want == "" || want == is }
	return named(c.VM, vm.ID) && named(c.Class, vm.Class) && named(c.Queue, vm.Queue) && named(c.Cloud, vm.Cloud)
}

func (c Command) by() string {
	who := "an operator"
	if c.By != "" {
		who = c.By
	}
	if c.Why != "" {
		who += ": " + c.Why
	}
	return who
}

func (c Command) String() string {
	words := []string{string(c.Kind)}
	for name, value := range map[string]string{"vm": c.VM, "class": c.Class, "queue": c.Queue, "cloud": c.Cloud} {
		if value != "" {
			words = append(words, name+" "+value)
		}
	}
	for name, value := range map[string]*int64{"lower": c.Lower, "upper": c.Upper} {
		if value != nil {
			words = append(words, fmt.Sprintf("%s %d", name, *value))
		}
	}
	if c.Weight != nil {
		words = append(words, fmt.Sprintf("weight %g", *c.Weight))
	}
	slices.Sort(words[1:])
	return strings.Join(words, " ") + ", by " + c.by()
}

// evicted returns why a VM has to leave whatever the demand, or nothing.
func (d *deciding) evicted(vm *VM) string {
	for _, order := range d.state.Orders {
		if order.touches(vm) {
			return "drained by " + order.by()
		}
	}
	class := d.classes[vm.Class]
	switch {
	case class == nil:
		return ""
	case d.cloud(vm.Cloud).Drain:
		return "its cloud is drained"
	case class.Lifetime > 0 && d.now.Sub(vm.Created) >= class.Lifetime.D():
		return "its lifetime is over"
	}
	return ""
}

// barred returns why nothing new may be made of a class by the order of an operator, or nothing.
func (d *deciding) barred(class *Class) string {
	for _, order := range d.state.Orders {
		if order.Kind == CmdDrain && order.VM == "" && order.Queue == "" &&
			(order.Class == "" || order.Class == class.Name) && (order.Cloud == "" || order.Cloud == class.Cloud) {
			return "drained by " + order.by()
		}
	}
	if d.cloud(class.Cloud).Drain {
		return "its cloud is drained"
	}
	return ""
}

func (d *deciding) cloud(name string) Cloud {
	for _, cloud := range d.policy.Clouds {
		if cloud.Name == name {
			return cloud
		}
	}
	return Cloud{Name: name}
}

// ordered returns a queue with what operators have set.
func (d *deciding) ordered(q Queue) Queue {
	for _, order := range d.state.Orders {
		if order.Kind != CmdSetQuota || order.Queue != q.Name {
			continue
		}
		if order.Lower != nil {
			q.Lower = *order.Lower
		}
		if order.Upper != nil {
			q.Upper = *order.Upper
		}
		if order.Weight != nil {
			q.Weight = *order.Weight
		}
	}
	return q
}
