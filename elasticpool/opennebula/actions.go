package opennebula

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Delete ends a VM at once and frees all that it has. A VM that is gone, ends already, or bears another pool's tag is left alone.
func (c *Cloud) Delete(ctx context.Context, server elasticpool.Server) error {
	return c.act(ctx, "delete", "terminate-hard", server)
}

// Stop switches a VM off; it keeps its disks and its part of quotas.
func (c *Cloud) Stop(ctx context.Context, server elasticpool.Server) error {
	return c.act(ctx, "stop", "poweroff", server)
}

// Start switches a VM on again.
func (c *Cloud) Start(ctx context.Context, server elasticpool.Server) error {
	return c.act(ctx, "start", "resume", server)
}

// done are the states that an action leads to.
var done = map[string]elasticpool.ServerStatus{
	"terminate-hard": elasticpool.ServerDeleting, "poweroff": elasticpool.ServerStopped, "resume": elasticpool.ServerActive,
}

// act looks whether the VM is still ours, and does something to it that has not been done.
func (c *Cloud) act(ctx context.Context, what, action string, server elasticpool.Server) error {
	op := what + " VM " + server.ID
	id, err := strconv.Atoi(server.ID)
	if err != nil || id < 0 {
		return &elasticpool.CloudError{Op: op, Class: elasticpool.ErrInvalid, Err: errors.New("ids of VMs are numbers")}
	}
	now, err := c.look(ctx, id, server)
	deletes := action == "terminate-hard"
	switch {
	case errors.Is(err, errGone) && deletes:
		return nil
	case errors.Is(err, errGone):
		return &elasticpool.CloudError{Op: op, Class: elasticpool.ErrInvalid, Err: err}
	case err != nil:
		return fault(op, false, err)
	case now == done[action]:
		return nil
	}
	_, err = c.client.number(ctx, "one.vm.action", action, id)
	if err == nil || deletes && isCode(err, codeNoExists) {
		return nil
	}
	return fault(op, false, err)
}

// errGone says that a VM is no more, or is none of ours.
var errGone = errors.New("there is no such VM of the pool")

// look returns the status of a server's VM.
func (c *Cloud) look(ctx context.Context, id int, server elasticpool.Server) (elasticpool.ServerStatus, error) {
	text, err := c.client.text(ctx, "one.vm.info", id)
	if isCode(err, codeNoExists) {
		return "", errGone
	}
	if err != nil {
		return "", err
	}
	var found vm
	if err := parseXML("VM", text, &found); err != nil {
		return "", err
	}
	now, ours := found.server(server.Pool, time.Time{})
	switch {
	case found.ID != id:
		return "", fmt.Errorf("VM %d was asked for, not %d", id, found.ID)
	case !ours || now.VM != server.VM || found.State == stateDone:
		return "", errGone
	}
	return now.Status, nil
}
