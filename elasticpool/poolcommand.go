package elasticpool

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Do takes a command of an operator and lets a cycle come early that obeys it. When it returns without an error, the
// command is in the journal: it is obeyed even if the process dies now.
func (p *Pool) Do(command Command) error {
	if err := p.checkCommand(command); err != nil {
		return fmt.Errorf("command %q: %w", command.Kind, err)
	}
	if p.options.dryRun {
		return fmt.Errorf("command %q: a dry run takes no commands", command.Kind)
	}
	if err := p.over(); err != nil {
		return fmt.Errorf("command %q: %w", command.Kind, err)
	}
	p.mu.Lock()
	number := p.next
	p.next++
	p.mu.Unlock()
	if err := p.store.append(entryCommand, commandEntry{Number: number, Command: command}); err != nil {
		return fmt.Errorf("command %q: %w", command.Kind, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.commands[number] = command
	p.options.logger.Warn("command", "command", command.String())
	p.rouse()
	return nil
}

// checkCommand says what is wrong with a command.
func (p *Pool) checkCommand(c Command) error {
	switch c.Kind {
	case CmdFreeze, CmdThaw:
	case CmdDrain, CmdUndrain:
		if c.VM == "" && c.Class == "" && c.Queue == "" && c.Cloud == "" {
			return errors.New("say which vm, class, queue or cloud")
		}
	case CmdForget:
		return p.checkForget(c)
	case CmdSetQuota, CmdResetQuota:
		if err := cmp.Or(c.checkQuota(), p.checkThresholds(c)); err != nil {
			return err
		}
	default:
		return errors.New("there is no such command")
	}
	return p.checkTarget(c)
}

// checkQuota says what is wrong with the values of a quota, or with taking it back.
func (c Command) checkQuota() error {
	if c.Kind == CmdResetQuota {
		if c.Queue == "" {
			return errors.New("say of which queue")
		}
		return nil
	}
	return c.checkValues()
}

// checkValues says what is wrong with the values of a quota.
func (c Command) checkValues() error {
	switch {
	case c.Queue == "" || c.Lower == nil && c.Upper == nil && c.Weight == nil:
		return errors.New("say of which queue, and which of lower, upper and weight")
	case c.Lower != nil && *c.Lower < 0, c.Upper != nil && *c.Upper < 0:
		return errors.New("lower and upper must not be negative")
	case c.Weight != nil && !(*c.Weight > 0):
		return errors.New("weight must be above zero")
	}
	return nil
}

// checkThresholds says whether a quota would put the lower threshold above the upper one, with what holds now.
func (p *Pool) checkThresholds(c Command) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, queue := range p.config.Policy.Queues {
		if queue.Name != c.Queue {
			continue
		}
		for _, order := range append(slices.Clone(p.last.orders), c) {
			if order.Kind == CmdSetQuota && order.Queue == c.Queue {
				queue.Lower, queue.Upper = *cmp.Or(order.Lower, &queue.Lower), *cmp.Or(order.Upper, &queue.Upper)
			}
		}
		if queue.Upper > 0 && queue.Lower > queue.Upper {
			return fmt.Errorf("the lower threshold %d would be above the upper %d", queue.Lower, queue.Upper)
		}
	}
	return nil
}

// checkTarget says what a command names that there is not. An order may be taken back although what it was for is gone.
func (p *Pool) checkTarget(c Command) error {
	policy := p.config.Policy
	switch {
	case p.withdraws(c):
		return nil
	case c.Class != "" && !slices.ContainsFunc(policy.Classes, func(class Class) bool { return class.Name == c.Class }):
		return fmt.Errorf("there is no class %q", c.Class)
	case c.Queue != "" && !slices.ContainsFunc(policy.Queues, func(queue Queue) bool { return queue.Name == c.Queue }):
		return fmt.Errorf("there is no queue %q", c.Queue)
	case c.Cloud != "" && p.clouds[c.Cloud] == nil:
		return fmt.Errorf("there is no cloud %q", c.Cloud)
	case c.VM != "" && c.Kind == CmdDrain && !p.has(c.VM):
		return fmt.Errorf("there is no VM %q", c.VM)
	}
	return nil
}

// checkForget says what a command would forget that it must not: a VM of a cloud that can be reached is drained instead.
func (p *Pool) checkForget(c Command) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := slices.IndexFunc(p.last.vms, func(vm VM) bool { return c.names(&vm) })
	switch {
	case (c.VM == "") == (c.Cloud == ""), c.Class != "", c.Queue != "":
		return errors.New("say which vm, or which cloud")
	case c.Cloud != "" && p.clouds[c.Cloud] != nil:
		return fmt.Errorf("cloud %s is configured: drain it instead", c.Cloud)
	case at < 0 && c.VM == "":
		return fmt.Errorf("there is no VM of cloud %q", c.Cloud)
	case at < 0:
		return fmt.Errorf("there is no VM %q", c.VM)
	case p.clouds[p.last.vms[at].Cloud] != nil:
		return fmt.Errorf("VM %s is of cloud %s, which is configured: drain it instead", c.VM, p.last.vms[at].Cloud)
	}
	return nil
}

// withdraws says whether a command takes back an order that is in force.
func (p *Pool) withdraws(c Command) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.last.orders, c.withdraws)
}

// has says whether there is a VM.
func (p *Pool) has(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.last.vms, func(vm VM) bool { return vm.ID == id })
}
