package lifecycle

import (
	"context"
	"fmt"
)

// readProfiles is step 1: the device profile of each set, by one GET /v2/device_profiles?name=
// (nova/accelerator/cyborg.py:get_device_profile_groups). What the image says about programming goes into the flavor's
// (the spec's wish). A profile that is not what it was when the instance got its accelerators stops the operation: Nova
// goes on with whatever it finds (B21).
func (r *run) readProfiles(ctx context.Context, p *plan) error {
	if p.wish != nil {
		sets, err := p.wish(ctx)
		if err != nil {
			return err
		}
		p.next.Sets = sets
	}
	for i := range p.next.Sets {
		if err := r.readSet(ctx, p, &p.next.Sets[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) readSet(ctx context.Context, p *plan, set *Set) error {
	profile, err := r.cyborg.DeviceProfileByName(ctx, set.Profile.Name)
	if err != nil {
		return err
	}
	if set.Source == SourceFlavor && set.Profile.Hash == "" && !r.lenient {
		if profile, err = r.cyborg.DeviceProfileForImage(ctx, profile, p.next.Spec.Image); err != nil {
			return err
		}
	}
	now, err := snapshot(profile)
	if err != nil {
		return err
	}
	if before := set.Profile; before.Hash != "" && before.Hash != now.Hash && !p.acceptChange {
		return fmt.Errorf("%w: %s was %s (uuid %s) and is %s (uuid %s)",
			ErrProfileChanged, now.Name, before.Hash, before.UUID, now.Hash, now.UUID)
	}
	set.Profile = now
	return nil
}
