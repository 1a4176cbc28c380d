package driver

import "context"

// Driver finds the devices of one host. It is the only thing that a device of
// one's own needs; see the example of this type. [Machine] is the driver of the
// cards that this package knows.
// It mirrors cyborg/accelerator/drivers/driver.py:GenericDriver.
type Driver interface {
	// Discover describes the devices that are there now, the same ones in the
	// same order as long as nothing changes. A device that is left out has
	// vanished. After an error the host counts as not heard of: nothing changes.
	Discover(ctx context.Context) ([]Device, error)
}

// Programmer is a driver whose devices take images.
// It mirrors cyborg/accelerator/drivers/fpga/base.py:FPGADriver.
type Programmer interface {
	Driver
	// Program loads an image into the region of the deployable of that name. It
	// returns when the device has it, with the deployable as the next Discover
	// shows it, or with an error, after which the device is as before. It gives
	// up when ctx ends. A device that takes no images answers [ErrNotProgrammable].
	Program(ctx context.Context, deployable string, image Image) (Deployable, error)
}

// Attacher is a driver that has work to do on the host before a handle can be
// given to a guest, or after it was taken back. For other drivers there is nothing to
// do. The server calls these methods for handles of type [HandleMDEV] and lets
// all else wait meanwhile: they must be quick and must not call the server.
// It mirrors cyborg/agent/manager.py:AgentManager.create_vgpu_mdev and
// remove_vgpu_mdev.
type Attacher interface {
	Driver
	// Attach makes a handle of the deployable of that name ready and returns
	// the attach handle info; id is the handle's UUID, which a mediated device
	// gets as its own.
	Attach(ctx context.Context, deployable string, handle Handle, id string) ([]Pair, error)
	// Detach undoes Attach; what is not attached is no error.
	Detach(ctx context.Context, deployable string, handle Handle, id string) error
}
