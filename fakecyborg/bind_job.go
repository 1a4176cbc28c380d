package fakecyborg

import (
	"cmp"
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

// WithImages gives the server an image service with those bitstreams. Profiles
// with accel:bitstream_id or accel:function_id are then programmed at bind, after
// the answer, and Nova is told when all requests of the PATCH are done. Without
// it, and without images in the seed, such a bind stays in BindStarted and nobody is
// told, as with a Cyborg that
// cannot log in to its image service.
func WithImages(images ...driver.Image) Option {
	return func(c *config) error {
		c.images = append(driver.Images{}, images...)
		return nil
	}
}

// startJobs runs the jobs of one PATCH and tells Nova when all have ended.
// It mirrors cyborg/objects/extarq/ext_arq_job.py:ExtARQJobMixin.master.
func (s *Server) startJobs(course *bindCourse, bound []*arq, list []job) {
	what := background{kind: "accelerators are being programmed"}
	for _, j := range list {
		what.of = append(what.of, j.arq.uuid)
	}
	s.jobs.start(course.jobs, what, func(ctx context.Context) {
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
		kept := s.keeper.keep()
		if kept != nil || ctx.Err() != nil || time.Since(began) > bindTimeout {
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
	images := s.imageService()
	if images == nil {
		return errNoImages
	}
	image, function, err := images.wanted(j.arq.profile.groups[j.arq.group])
	if err != nil && function != "" {
		return err // nobody writes a state
	}
	if err == nil {
		err = s.loadImage(ctx, j.place, image)
	}
	if err != nil {
		return s.store.endJob(j, err)
	}
	if err := s.noteImage(ctx, j.place, image, function); errors.Is(err, errNoFunction) {
		return err
	} else if err != nil {
		return s.store.endJob(j, err)
	}
	return s.store.endJob(j, nil)
}

// noteImage tells Placement and the tables what was loaded.
func (s *Server) noteImage(ctx context.Context, place *deployable, image driver.Image, function string) error {
	if function = cmp.Or(function, image.FunctionID); function == "" {
		return errNoFunction
	}
	if err := s.tellFunction(ctx, place, function); err != nil {
		return err
	}
	s.store.setBitstream(place, image.ID)
	return nil
}

// setBitstream notes what a deployable was programmed with at a bind; programming
// through the API leaves it.
func (s *store) setBitstream(place *deployable, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	place.bitstream, place.updated = &id, s.now()
}

// imageService are the images of the options and of the seed, nil when there is
// no image service.
func (s *Server) imageService() imageService {
	s.store.mu.RLock()
	defer s.store.mu.RUnlock()
	if s.images == nil && s.store.seed.Images == nil {
		return nil
	}
	return append(append(imageService{}, s.images...), s.store.seed.Images...)
}

// imageService is where bitstreams come from.
type imageService driver.Images

// wanted returns the image that a group asks for, and the function if it asks for
// that.
func (i imageService) wanted(group *object) (image driver.Image, function string, err error) {
	if bitstream := group.values["accel:bitstream_id"]; truth(bitstream) {
		image, err = driver.Images(i).ByID(pythonStr(bitstream))
		return image, "", err
	}
	function = pythonStr(group.values["accel:function_id"])
	image, err = driver.Images(i).ByFunction(function)
	return image, function, err
}

// endJob writes what became of a job. A request that was unbound or deleted in
// the meantime is left alone.
func (s *store) endJob(j job, failure error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !s.has(j.arq):
		return errUnresolved
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

// has tells whether a request is there still, and not only one of its uuid; the caller
// holds the lock.
func (s *store) has(a *arq) bool {
	found, known := s.arqs.get(a.uuid)
	return known && found == a
}
