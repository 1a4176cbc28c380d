package execcloud

import (
	"errors"
	"fmt"
)

// createdResult is the answer to a create, with what it must speak of.
type createdResult struct {
	serverResult
	vm, pool string
}

func (r *createdResult) check() error {
	switch {
	case r.Server == nil || r.Server.ID == "":
		return errors.New("unclear result: a server with an id is missing")
	case r.Server.VM != r.vm || r.Server.Pool != r.pool:
		return fmt.Errorf("unclear result: VM %q of pool %q was asked for, not %q of %q", r.vm, r.pool, r.Server.VM, r.Server.Pool)
	}
	return nil
}

func (r *serversResult) check() error {
	if r.Servers == nil || r.Complete == nil {
		return errors.New("unclear result: servers and complete must both be there")
	}
	for i, server := range *r.Servers {
		if server.ID == "" {
			return fmt.Errorf("unclear result: server %d has no id", i)
		}
	}
	return nil
}

func (r *limitsResult) check() error {
	if r.Total == nil || r.Free == nil {
		return errors.New("unclear result: total and free must both be there")
	}
	return nil
}
