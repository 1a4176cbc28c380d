package fakecyborg

import (
	"context"
	"errors"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// mediated tells whether a handle has to be made before a guest can have it.
func (h *handle) mediated() bool { return h.Type == driver.HandleMDEV }

// attach makes the mediated device of a handle on the host that the request names,
// which need not be that of the handle. Other handles need nothing. The caller
// holds the lock.
// It mirrors cyborg/agent/manager.py:AgentManager.create_vgpu_mdev.
func (s *Server) attach(host, deployable string, h *handle) error {
	attacher, err := s.attacher(host, deployable)
	if attacher == nil || err != nil {
		return err
	}
	_, err = attacher.Attach(context.Background(), deployable, h.Handle, h.uuid)
	return err
}

// detach removes it again. What is not there is gone.
// It mirrors cyborg/agent/manager.py:AgentManager.remove_vgpu_mdev.
func (s *Server) detach(host, deployable string, h *handle) error {
	attacher, err := s.attacher(host, deployable)
	if errors.Is(err, driver.ErrNoDevice) || errors.Is(err, ErrNoHost) {
		return nil
	}
	if attacher == nil || err != nil {
		return err
	}
	return attacher.Detach(context.Background(), deployable, h.Handle, h.uuid)
}

// attacher is nil when the driver has nothing to do.
func (s *Server) attacher(host, deployable string) (driver.Attacher, error) {
	drivers, err := s.fleetOf(host)
	if err != nil {
		return nil, err
	}
	holder, err := drivers.holder(context.Background(), deployable)
	if err != nil {
		return nil, err
	}
	attacher, _ := holder.(driver.Attacher)
	return attacher, nil
}

// agents are what the database layer asks of the hosts.
type agents interface {
	attach(host, deployable string, h *handle) error
	detach(host, deployable string, h *handle) error
}
