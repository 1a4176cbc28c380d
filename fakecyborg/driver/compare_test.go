package driver_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// oneDevice has a deployable with these attributes and as many handles.
func oneDevice(handles int, attributes ...string) []driver.Device {
	part := driver.Deployable{Name: "d", Driver: "x", Attributes: pairs(attributes...)}
	for i := range handles {
		part.Handles = append(part.Handles, pciHandle("3b", "00", string(rune('0'+i))))
	}
	return []driver.Device{{Type: "GPU", ControlPath: "c", Deployables: []driver.Deployable{part}}}
}

func steps(d driver.Difference) []driver.Step {
	var all []driver.Step
	for _, device := range d.Changed {
		for _, part := range device.Changed {
			all = append(all, part.Steps...)
		}
	}
	return all
}

func TestCompareSteps(t *testing.T) {
	t.Parallel()
	const (
		add, remove, inventory, class = driver.StepAddTrait, driver.StepRemoveTrait, driver.StepInventory, driver.StepDeleteClass
	)
	for _, test := range []struct {
		name          string
		known, found  []driver.Device
		want, careful []driver.Step
	}{
		{name: "nothing", known: oneDevice(1, "rc=A", "trait0=B"), found: oneDevice(1, "rc=A", "trait0=B")},
		{
			name:  "trait of another value",
			known: oneDevice(1, "rc=A", "trait0=B"), found: oneDevice(1, "rc=A", "trait0=C"),
			want: []driver.Step{{Kind: remove, Name: "B"}, {Kind: add, Name: "C"}}, careful: []driver.Step{{Kind: remove, Name: "B"}, {Kind: add, Name: "C"}},
		},
		{
			name:  "trait goes before another, which is taken away and put back",
			known: oneDevice(1, "rc=A", "trait0=B", "trait1=C"), found: oneDevice(1, "rc=A", "trait0=C"),
			want: []driver.Step{{Kind: remove, Name: "C"}, {Kind: remove, Name: "B"}, {Kind: add, Name: "C"}}, careful: []driver.Step{{Kind: remove, Name: "B"}},
		},
		{
			name:  "trait comes before another, which is lost",
			known: oneDevice(1, "rc=A", "trait0=C"), found: oneDevice(1, "rc=A", "trait0=B", "trait1=C"),
			want: []driver.Step{{Kind: add, Name: "C"}, {Kind: remove, Name: "C"}, {Kind: add, Name: "B"}}, careful: []driver.Step{{Kind: add, Name: "B"}},
		},
		{
			name:  "attribute made through the API is deleted and its value taken for a trait",
			known: oneDevice(1, "rc=A", "color=red"), found: oneDevice(1, "rc=A"),
			want: []driver.Step{{Kind: remove, Name: "red"}},
		},
		{
			name:  "new attribute is taken for a trait",
			known: oneDevice(1, "rc=A"), found: oneDevice(1, "rc=A", "color=red"),
			want: []driver.Step{{Kind: add, Name: "red"}},
		},
		{
			name:  "more accelerators",
			known: oneDevice(1, "rc=A"), found: oneDevice(3, "rc=A"),
			want: []driver.Step{{Kind: inventory, Name: "A", Total: 3}}, careful: []driver.Step{{Kind: inventory, Name: "A", Total: 3}},
		},
		{
			name:  "other class, the old one is deleted for everybody",
			known: oneDevice(2, "rc=A"), found: oneDevice(2, "rc=B"),
			want: []driver.Step{{Kind: inventory, Name: "B", Total: 2}, {Kind: class, Name: "A"}}, careful: []driver.Step{{Kind: inventory, Name: "B", Total: 2}},
		},
		{
			name:  "function id of a second attribute with the same key goes unseen",
			known: oneDevice(1, "rc=A", "trait0=R", "trait0=F"), found: oneDevice(1, "rc=A", "trait0=R", "trait0=G"),
			careful: []driver.Step{{Kind: remove, Name: "F"}, {Kind: add, Name: "G"}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, steps(driver.Compare(test.known, test.found)))
			assert.Equal(t, test.careful, steps(driver.CompareCarefully(test.known, test.found)))
		})
	}
}

func TestCompareDevices(t *testing.T) {
	t.Parallel()
	machine := newMachine(t)
	known := found(t, machine)
	require.NoError(t, machine.Break(fpgaAt))
	require.NoError(t, machine.Remove("0000:af:00.0"))
	card, err := machine.Insert("qat", driver.Card{Address: "0000:3d:00.0", VFs: 2})
	require.NoError(t, err)
	for name, compare := range map[string]func(known, found []driver.Device) driver.Difference{"Compare": driver.Compare, "CompareCarefully": driver.CompareCarefully} {
		report := compare(known, found(t, machine))
		assert.Equal(t, known[1:], report.Deleted, name)
		assert.Equal(t, []driver.Device{card}, report.Added, name)
		assert.Empty(t, report.Changed, name)
		assert.Equal(t, []driver.Device{known[0], card}, report.Apply(known), "%s: a stub stays as it was", name)
		assert.Empty(t, compare(nil, found(t, machine)[:1]).Added, "%s: a stub is not added", name)
	}
}

func TestCompareFields(t *testing.T) {
	t.Parallel()
	known := oneDevice(1, "rc=A")
	other := oneDevice(1, "rc=A")
	other[0].Model, other[0].VendorBoardInfo, other[0].Deployables[0].Driver = "m", "v", "y"
	report := driver.Compare(known, other)
	require.Len(t, report.Changed, 1)
	assert.Equal(t, []string{"model", "vendor_board_info"}, report.Changed[0].Fields)
	assert.Equal(t, "x", report.Apply(known)[0].Deployables[0].Driver, "the driver's name is never changed")
	assert.Equal(t, other, driver.CompareCarefully(known, other).Apply(known))
	other[0].Deployables[0].Handles[0].Type = driver.HandleTestPCI
	report = driver.Compare(known, other)
	assert.Equal(t, other[0].Deployables[0].Handles, report.Changed[0].Changed[0].Retyped)
	assert.Equal(t, "TEST_PCI", report.Apply(known)[0].Deployables[0].Handles[0].Type)
	assert.Equal(t, oneDevice(1, "rc=A"), known, "the lists are not changed")
}

func TestCompareRefuses(t *testing.T) {
	t.Parallel()
	refused := []driver.Refusal{{Device: "c", Deployable: "d", Err: driver.ErrNoClass}}
	assert.Equal(t, driver.Difference{Refused: refused}, driver.Compare(nil, oneDevice(1)), "a new device")
	assert.Equal(t, refused, driver.Compare(oneDevice(1, "rc=A"), oneDevice(2)).Refused, "a known deployable with another number")
	assert.Empty(t, driver.Compare(oneDevice(1, "rc=A"), oneDevice(1)).Refused, "the class just goes")
	assert.Equal(t, refused, driver.CompareCarefully(oneDevice(1, "rc=A"), oneDevice(1)).Refused)
	empty := []driver.Device{{Type: "GPU", ControlPath: "c"}}
	assert.Equal(t, driver.Difference{Refused: refused}, driver.Compare(empty, oneDevice(1)), "a new deployable")
}

// All attributes of a key that goes are deleted, but only the first one's trait
// is taken from the provider.
func TestCompareDeletesWholeKeys(t *testing.T) {
	t.Parallel()
	known, fleet := oneDevice(1, "rc=A", "trait1=B", "trait1=C"), oneDevice(1, "rc=A")
	report := driver.Compare(known, fleet)
	assert.Equal(t, []driver.Step{{Kind: driver.StepRemoveTrait, Name: "B"}}, steps(report))
	assert.Equal(t, fleet, report.Apply(known))
}

// Two handles that were one accelerator can become two accelerators.
func TestApplyCountsAccelerators(t *testing.T) {
	t.Parallel()
	together, apart := oneDevice(2, "rc=A"), oneDevice(2, "rc=A")
	together[0].Deployables[0].Accelerators = 1
	assert.Equal(t, apart, driver.Compare(together, apart).Apply(together))
	assert.Equal(t, together, driver.Compare(apart, together).Apply(apart))
}

// The difference of an AI chip is the same at each report: it never stays.
func TestAIChipIsRefusedEachTime(t *testing.T) {
	t.Parallel()
	chip := []driver.Device{describe(t, "aichip", "h", driver.Card{Address: "0000:0c:00.0"})}
	var known []driver.Device
	for range 3 {
		report := driver.Compare(known, chip)
		assert.Len(t, report.Refused, 1)
		assert.True(t, report.Empty())
		known = report.Apply(known)
		assert.Empty(t, known)
	}
}

// anyFleet draws devices of different control paths.
func anyFleet(t *rapid.T) []driver.Device {
	fleet := []driver.Device{}
	taken := make(map[string]bool)
	for range rapid.IntRange(0, 5).Draw(t, "devices") {
		name, card := anyCard(t)
		device := describe(t, name, "h", card)
		if taken[device.ControlPath] {
			continue
		}
		taken[device.ControlPath] = true
		device.Model = rapid.SampledFrom([]string{"m", "n"}).Draw(t, "model")
		fleet = append(fleet, device)
	}
	return fleet
}

// lines are all there is of a fleet, in order; the conductor never changes the
// driver's name, so it can be left out.
func lines(fleet []driver.Device, withDriver bool) []string {
	var all []string
	for _, d := range fleet {
		all = append(all, fmt.Sprintln(d.ControlPath, d.Type, d.Vendor, d.Model, d.StdBoardInfo, d.VendorBoardInfo, d.Stub))
		for _, part := range d.Deployables {
			name := d.ControlPath + " " + part.Name
			all = append(all, fmt.Sprintln(name, part.NumAccelerators()))
			if withDriver {
				all = append(all, fmt.Sprintln(name, part.Driver))
			}
			for _, pair := range part.Attributes {
				all = append(all, fmt.Sprintln(name, "attribute", pair))
			}
			for _, handle := range part.Handles {
				all = append(all, fmt.Sprintln(name, "handle", handle))
			}
		}
	}
	slices.Sort(all)
	return all
}

// To apply what a careful comparison found gives what was found, and then there
// is nothing more to do. The conductor's comparison gives the same but for the
// driver's name and attributes whose keys come twice.
func TestApplyGivesWhatWasFound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		known, fleet := anyFleet(t), anyFleet(t)
		careful := driver.CompareCarefully(known, fleet).Apply(known)
		require.Equal(t, lines(fleet, true), lines(careful, true))
		require.True(t, driver.CompareCarefully(careful, fleet).Empty())
		require.True(t, driver.Compare(fleet, fleet).Empty(), "a report of the same changes nothing")

		after := driver.Compare(known, fleet).Apply(known)
		assert.True(t, driver.Compare(after, fleet).Empty(), "reports settle at once")
		assert.Equal(t, lines(singleKeys(fleet), false), lines(singleKeys(after), false))
	})
}

// singleKeys is a fleet with the first attribute of each key.
func singleKeys(fleet []driver.Device) []driver.Device {
	single := driver.Difference{}.Apply(fleet)
	for i := range single {
		for j := range single[i].Deployables {
			part := &single[i].Deployables[j]
			seen := make(map[string]bool)
			part.Attributes = slices.DeleteFunc(part.Attributes, func(pair driver.Pair) bool {
				before := seen[pair.Key]
				seen[pair.Key] = true
				return before
			})
		}
	}
	return single
}

// What the steps leave on a provider: carefully, just the traits found.
func TestStepsOfCarefulComparison(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		traits := rapid.SliceOfN(rapid.SampledFrom([]string{"trait0=A", "trait0=B", "trait1=A", "trait1=C", "trait2=B"}), 0, 4)
		known := oneDevice(1, append([]string{"rc=R"}, traits.Draw(t, "known")...)...)
		fleet := oneDevice(1, append([]string{"rc=R"}, traits.Draw(t, "found")...)...)
		provider := make(map[string]bool)
		for _, trait := range known[0].Deployables[0].Traits() {
			provider[trait] = true
		}
		for _, step := range steps(driver.CompareCarefully(known, fleet)) {
			switch step.Kind {
			case driver.StepAddTrait:
				provider[step.Name] = true
			case driver.StepRemoveTrait:
				delete(provider, step.Name)
			default:
				t.Fatalf("unexpected step %v", step)
			}
		}
		want := make(map[string]bool)
		for _, trait := range fleet[0].Deployables[0].Traits() {
			want[trait] = true
		}
		assert.Equal(t, want, provider)
	})
}
