package fakecyborg

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// job is a bind that waits for its device to be programmed.
type job struct {
	arq   *arq
	place *deployable
	// held is why it waits, nil for programming alone.
	held *held
}

// bindTimeout is how long all programmings of one PATCH may take until nobody is
// told of their end any more.
// It mirrors cyborg/conf/api.py:bind_timeout.
const bindTimeout = 60 * time.Second

// errNoImages is what ends a job, and leaves its request in BindStarted, when
// there is no image service.
var errNoImages = errors.New("cloud devstack-admin was not found")

// imageService is where bitstreams come from and how they get into devices.
type imageService struct {
	images      driver.Images
	programmers map[string]driver.Programmer
}

// WithImages gives the server an image service with those bitstreams. Profiles
// with accel:bitstream_id or accel:function_id are then programmed at bind, after
// the answer, and Nova is told when all requests of the PATCH are done. Without
// it such a bind stays in BindStarted and nobody is told, as with a Cyborg that
// cannot log in to its image service.
func WithImages(images ...driver.Image) Option {
	return func(c *config) error {
		c.images.images = append(driver.Images{}, images...)
		return nil
	}
}

// WithProgrammer loads the images of [WithImages] into the devices of that host.
// Without one the server only keeps count of what is loaded.
func WithProgrammer(host string, programmer driver.Programmer) Option {
	return func(c *config) error {
		if programmer == nil {
			return fmt.Errorf("with programmer: host %s has none", host)
		}
		c.images.programmers[host] = programmer
		return nil
	}
}

// startJobs runs the jobs of one PATCH and tells Nova when all have ended.
// It mirrors cyborg/objects/extarq/ext_arq_job.py:ExtARQJobMixin.master.
func (s *Server) startJobs(course *bindCourse, bound []*arq, list []job) {
	s.jobs.start(fmt.Sprintf("%d accelerators are being programmed", len(list)), func(ctx context.Context) {
		var running sync.WaitGroup
		for _, j := range list {
			running.Go(func() {
				if err := s.runJob(ctx, j); err != nil {
					s.logger.WarnContext(ctx, "bind job", "arq", j.arq.uuid, "error", err)
				}
			})
		}
		began := time.Now()
		running.Wait()
		if ctx.Err() != nil || time.Since(began) > bindTimeout {
			return
		}
		if err := s.announce(ctx, course, bound); err != nil {
			s.logger.WarnContext(ctx, "bind jobs", "error", err)
		}
	})
}

func (s *Server) runJob(ctx context.Context, j job) error {
	if j.held != nil {
		return s.endHeld(ctx, j)
	}
	return s.program(ctx, j)
}

// programNow is the job of a release that has none: the answer waits.
func (s *Server) programNow(ctx context.Context, j job) error {
	err := s.program(ctx, j)
	if err == nil || errors.Is(err, errHandle) {
		return nil
	}
	return broken("%v", err)
}

// errHandle says that a programmed device has no handle left.
var errHandle = errors.New("no handle left")

// program loads the image that the request's group asks for and gives it a
// handle. Without image service the request stays in BindStarted, other failures
// end in BindFailed.
// It mirrors cyborg/objects/extarq/fpga_ext_arq.py:FPGAExtARQ.bind.
func (s *Server) program(ctx context.Context, j job) error {
	if s.images.images == nil {
		return errNoImages
	}
	image, err := s.images.find(j.arq.profile.groups[j.arq.group])
	if err == nil {
		err = s.loadImage(ctx, j.place, image)
	}
	if err == nil {
		s.store.setBitstream(j.place, image.ID)
	}
	return s.store.endJob(j, err)
}

// setBitstream notes what a deployable was programmed with at a bind; programming
// through the API leaves it.
func (s *store) setBitstream(place *deployable, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	place.bitstream, place.updated = &id, s.now()
}

// find returns the image that a group asks for.
func (i imageService) find(group *object) (driver.Image, error) {
	if bitstream := group.values["accel:bitstream_id"]; truth(bitstream) {
		return i.images.ByID(pythonStr(bitstream))
	}
	return i.images.ByFunction(pythonStr(group.values["accel:function_id"]))
}

// endJob writes what became of a job. A request that was unbound or deleted in
// the meantime is left alone.
func (s *store) endJob(j job, failure error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case j.arq.state != stateBindStarted:
		return fmt.Errorf("the request is %s meanwhile", j.arq.state)
	case failure != nil:
		s.enter(j.arq, stateBindFailed)
		return failure
	}
	if s.allocate(j.arq, j.place) != nil {
		return errHandle
	}
	return nil
}
