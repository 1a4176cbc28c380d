package lifecycle_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/lifecycle"
)

const (
	storyInstances = 20
	storyHosts     = 6
)

// event is one step of a random story: an operation on one of the instances, and what goes wrong meanwhile.
type event struct {
	instance int
	deed     string
	profile  string
	odd      bool // takes the operation's other form, where it has two
	trouble  string
	at       int // the number of the call that the trouble meets
}

func (e event) String() string {
	return fmt.Sprintf("%s of instance %d (profile %q, %t), %q at call %d", e.deed, e.instance, e.profile, e.odd, e.trouble, e.at)
}

// deed is an operation of a story.
type deed func(context.Context, *process, lifecycle.Record, event) error

// plain is a deed that needs nothing but the record.
func plain(operation func(*lifecycle.Manager, context.Context, lifecycle.Record) (*lifecycle.Result, error)) deed {
	return func(ctx context.Context, p *process, r lifecycle.Record, _ event) error {
		return failureOf(operation(p.Manager, ctx, r))
	}
}

// moving is one that may go anywhere.
func moving(operation func(*lifecycle.Manager, context.Context, lifecycle.Record, lifecycle.MoveRequest) (*lifecycle.Result, error)) deed {
	return func(ctx context.Context, p *process, r lifecycle.Record, _ event) error {
		return failureOf(operation(p.Manager, ctx, r, lifecycle.MoveRequest{}))
	}
}

func failureOf(_ *lifecycle.Result, err error) error { return err }

// deeds are the operations of a story; those that the instance's state does not allow must change nothing.
var deeds = map[string]deed{
	"delete":  func(ctx context.Context, p *process, r lifecycle.Record, _ event) error { return p.Delete(ctx, r) },
	"rebuild": withDomain((*lifecycle.Manager).Rebuild),
	"rescue":  withDomain((*lifecycle.Manager).Rescue),
	"attach": func(ctx context.Context, p *process, r lifecycle.Record, e event) error {
		return failureOf(p.Attach(ctx, r, lifecycle.AttachRequest{Profile: oneGPU, Interrupt: e.odd}))
	},
	"detach": func(ctx context.Context, p *process, r lifecycle.Record, e event) error {
		owner := ""
		if n := len(r.Now.Sets); n > 0 && e.odd {
			owner = r.Now.Sets[n-1].Owner
		}
		return failureOf(p.Detach(ctx, r, owner))
	},
	"resize": func(ctx context.Context, p *process, r lifecycle.Record, e event) error {
		return failureOf(p.Resize(ctx, r, lifecycle.ResizeRequest{Flavor: worldFlavor(3, e.profile), SameHost: e.odd}))
	},
	"evacuate": func(ctx context.Context, p *process, r lifecycle.Record, _ event) error {
		p.world.hypervisor.setDown(r.Now.Host, true)
		return failureOf(p.Evacuate(ctx, r, lifecycle.MoveRequest{}))
	},
	"migrate":      moving((*lifecycle.Manager).Migrate),
	"live migrate": moving((*lifecycle.Manager).LiveMigrate), "unshelve": moving((*lifecycle.Manager).Unshelve),
	"shelve": plain((*lifecycle.Manager).Shelve), "offload": plain((*lifecycle.Manager).Offload),
	"stop": plain((*lifecycle.Manager).Stop), "start": plain((*lifecycle.Manager).Start),
	"soft reboot": plain((*lifecycle.Manager).SoftReboot), "hard reboot": plain((*lifecycle.Manager).HardReboot),
	"unrescue": plain((*lifecycle.Manager).Unrescue), "suspend": plain((*lifecycle.Manager).Suspend),
	"unsuspend": plain((*lifecycle.Manager).Unsuspend), "confirm": plain((*lifecycle.Manager).Confirm),
	"revert": plain((*lifecycle.Manager).Revert),
}

func withDomain(operation func(*lifecycle.Manager, context.Context, lifecycle.Record, []byte) (*lifecycle.Result, error)) deed {
	return func(ctx context.Context, p *process, r lifecycle.Record, e event) error {
		return failureOf(operation(p.Manager, ctx, r, []byte(domainOf(e.profile))))
	}
}

var errTrouble = errors.New("trouble")

// troubles are what may happen to one call of a process.
var troubles = map[string]func(cancel context.CancelFunc) meddling{
	"none": func(context.CancelFunc) meddling { return meddling{} },
	"500": func(context.CancelFunc) meddling {
		return meddling{request: func(r *http.Request, _ func() (*http.Response, error)) (*http.Response, error) {
			return &http.Response{
				StatusCode: http.StatusInternalServerError, Body: io.NopCloser(strings.NewReader("trouble")), Request: r,
				Header: http.Header{"Content-Type": {"text/plain"}}, ProtoMajor: 1, ProtoMinor: 1,
			}, nil
		}, act: func(func() error) error { return errTrouble }}
	},
	"dropped": func(context.CancelFunc) meddling {
		return meddling{
			request: func(*http.Request, func() (*http.Response, error)) (*http.Response, error) { return nil, errTrouble },
			act:     func(func() error) error { return fmt.Errorf("%w: %w", lifecycle.ErrAbort, errTrouble) },
		}
	},
	"answer lost": func(context.CancelFunc) meddling {
		return meddling{request: func(_ *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
			if response, err := send(); err == nil {
				_ = response.Body.Close()
			}
			return nil, errTrouble
		}, act: func(do func() error) error { return errors.Join(do(), errTrouble) }}
	},
	"cancelled":   func(cancel context.CancelFunc) meddling { return meddling{before: cancel} },
	"killed":      func(context.CancelFunc) meddling { return meddling{kill: true} },
	"killed late": func(context.CancelFunc) meddling { return meddling{killAfter: true} },
}

func keys[V any](m map[string]V) []string {
	var found []string
	for key := range m {
		found = append(found, key)
	}
	slices.Sort(found)
	return found
}

// TestRandomStories: whatever is done to twenty instances on six hosts, and whatever goes wrong, after each step every
// instance has all its accelerators or none, and nothing is left behind. rapid shrinks a story that breaks this.
func TestRandomStories(t *testing.T) {
	t.Parallel()
	draw := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) event {
		return event{
			instance: rapid.IntRange(0, storyInstances-1).Draw(t, "instance"),
			deed:     rapid.SampledFrom(keys(deeds)).Draw(t, "deed"),
			profile:  rapid.SampledFrom([]string{"", oneGPU, bothKinds, programmed}).Draw(t, "profile"),
			odd:      rapid.Bool().Draw(t, "odd"),
			trouble:  rapid.SampledFrom(append(keys(troubles), "none", "none", "none")).Draw(t, "trouble"),
			at:       rapid.IntRange(0, 40).Draw(t, "at"),
		}
	}), 10, 80)
	rapid.Check(t, func(rt *rapid.T) {
		story := draw.Draw(rt, "story")
		var broken string
		synctest.Test(t, func(t *testing.T) { broken = play(t, story) })
		if broken != "" {
			rt.Fatal(broken)
		}
	})
}

// play tells a story, and what is wrong after the first step after which anything is.
func play(t *testing.T, story []event) string {
	t.Helper()
	w := newWorld(t, storyHosts, fakecyborg.Newest())
	p := w.start()
	for i, e := range story {
		err, killed := p.meet(t.Context(), e)
		if killed {
			p = w.start()
		}
		p.gate.meddle = nil
		p.resumeAll(t.Context())
		for _, host := range w.hosts {
			if w.hypervisor.fails(host) {
				w.hypervisor.setDown(host, false)
				p.HostBoot(t.Context(), host, w.disk.all())
			}
		}
		if err := w.deleteStrays(); err != nil {
			return err.Error()
		}
		if faults := w.violations(); len(faults) > 0 {
			return fmt.Sprintf("step %d: %s (error %v, killed %t):\n%s", i, e, err, killed, strings.Join(faults, "\n"))
		}
	}
	return ""
}

// meet does the deed of an event, with its trouble. An instance that is not there is created.
func (p *process) meet(ctx context.Context, e event) (err error, killed bool) { //nolint:revive // as process.run
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	begun := len(p.gate.log())
	p.gate.meddle = func(index int, _ call) meddling {
		if index != begun+e.at {
			return meddling{}
		}
		return troubles[e.trouble](cancel)
	}
	id := uuid.NewSHA1(uuid.NameSpaceOID, []byte{byte(e.instance)}).String()
	record := p.world.record(id)
	return p.run(func() error {
		if record.Version == 0 {
			request := worldRequest(e.profile)
			request.Consumer.UUID = id
			return failureOf(p.Create(ctx, request))
		}
		return deeds[e.deed](ctx, p, record, e)
	})
}

// resumeAll goes on from the records of a killed process, or of one that could not write the last of them. What it cannot
// do, such as deleting strays, is still pending then, and seen by the audit.
func (p *process) resumeAll(ctx context.Context) {
	for _, record := range p.world.disk.all() {
		if record.Operation != nil || len(record.Pending) > 0 {
			_, _ = p.Resume(ctx, record)
		}
	}
}

func (h *hypervisor) fails(host string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.down[host]
}
