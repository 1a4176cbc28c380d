package driver_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

const (
	fpgaAt   = "0000:3b:00.0"
	fpgaName = "h_" + fpgaAt
	loading  = 20 * time.Second
)

// newMachine has an FPGA and a GPU.
func newMachine(t testing.TB) *driver.Machine {
	t.Helper()
	machine, err := driver.NewMachine("h", driver.WithProgrammingTime(loading))
	require.NoError(t, err)
	_, err = machine.Insert("fpga", driver.Card{Address: fpgaAt, FunctionID: "aa01", RegionID: "69b2"})
	require.NoError(t, err)
	_, err = machine.Insert("pgpu", driver.Card{Address: "0000:af:00.0"})
	require.NoError(t, err)
	return machine
}

func found(t testing.TB, machine *driver.Machine) []driver.Device {
	t.Helper()
	devices, err := machine.Discover(t.Context())
	require.NoError(t, err)
	return devices
}

func TestDevicesComeAndGo(t *testing.T) {
	t.Parallel()
	machine := newMachine(t)
	before := found(t, machine)
	require.Len(t, before, 2)
	require.NoError(t, machine.Remove(fpgaAt))
	assert.Equal(t, before[1:], found(t, machine))
	require.ErrorIs(t, machine.Remove(fpgaAt), driver.ErrNoDevice)
	_, err := machine.Insert("fpga", driver.Card{Address: fpgaAt, FunctionID: "aa01", RegionID: "69b2"})
	require.NoError(t, err)
	assert.ElementsMatch(t, before, found(t, machine))

	require.NoError(t, machine.Break(fpgaAt))
	broken := found(t, machine)[1]
	assert.True(t, broken.Stub)
	require.NoError(t, machine.Repair(fpgaAt))
	assert.ElementsMatch(t, before, found(t, machine))
	require.ErrorIs(t, machine.Break("0000:00:00.0"), driver.ErrNoDevice)
	require.ErrorIs(t, machine.Repair("0000:00:00.0"), driver.ErrNoDevice)
	require.ErrorIs(t, machine.FailProgramming("0000:00:00.0", nil), driver.ErrNoDevice)
}

func TestInsertRefuses(t *testing.T) {
	t.Parallel()
	machine := newMachine(t)
	_, err := machine.Insert("gpgpu", driver.Card{})
	require.ErrorIs(t, err, driver.ErrUnknownDriver)
	_, err = machine.Insert("pgpu", driver.Card{})
	require.ErrorIs(t, err, driver.ErrMissing)
	_, err = machine.Insert("pci", driver.Card{Address: fpgaAt})
	require.ErrorIs(t, err, driver.ErrTaken)
	require.ErrorContains(t, err, "control path "+fpgaAt)
	_, err = machine.Insert("qat", driver.Card{Address: "0000:3a:00.0", VFAddresses: []string{fpgaAt}})
	require.ErrorIs(t, err, driver.ErrTaken)
	require.ErrorContains(t, err, "function "+fpgaAt+" of "+fpgaAt)
	assert.Len(t, found(t, machine), 2)
	for want, option := range map[string]driver.MachineOption{
		"programming time": driver.WithProgrammingTime(-1), "with kinds": driver.WithKinds(nil), "with changes": driver.WithChanges(nil), "machine: option 0 is nil": nil,
	} {
		_, err = driver.NewMachine("h", option)
		require.ErrorContains(t, err, want)
	}
}

// No two cards have a PCI function in common, whichever of them it is the first of;
// the handles of Cyborg's own fake device are none.
func TestFunctionsAreThereOnce(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name          string
		first, second driver.Card
		kinds         [2]string
		want          string
	}{
		{"behind a card", driver.Card{Address: "0000:10:00.0", VFs: 4}, driver.Card{Address: "0000:10:00.2"}, [2]string{"fpga", "pgpu"}, "function 0000:10:00.2 of 0000:10:00.0"},
		{"before a card", driver.Card{Address: "0000:10:00.2"}, driver.Card{Address: "10:00.0", VFs: 4}, [2]string{"pgpu", "qat"}, "function 0000:10:00.2 of 0000:10:00.2"},
		{"both behind", driver.Card{Address: "0000:10:00.0", VFAddresses: []string{"0000:11:00.0"}}, driver.Card{Address: "0000:10:00.1", VFAddresses: []string{"0000:11:00.0"}}, [2]string{"qat", "nic"}, "function 0000:11:00.0 of 0000:10:00.0"},
		{"user function", driver.Card{Address: "0000:10:00.0"}, driver.Card{Address: "0000:10:00.1"}, [2]string{"xilinx_fpga", "ssd"}, "function 0000:10:00.1 of 0000:10:00.0"},
		{"beside each other", driver.Card{Address: "0000:10:00.0", VFs: 1}, driver.Card{Address: "0000:10:00.2"}, [2]string{"fpga", "pgpu"}, ""},
		{"no functions", driver.Card{}, driver.Card{Address: "0000:0c:00.1"}, [2]string{"fake", "pgpu"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			machine, err := driver.NewMachine("h")
			require.NoError(t, err)
			_, err = machine.Insert(test.kinds[0], test.first)
			require.NoError(t, err)
			_, err = machine.Insert(test.kinds[1], test.second)
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, driver.ErrTaken)
			require.ErrorContains(t, err, test.want)
		})
	}
}

// A card is found by its address in any form.
func TestAddressesInAnyForm(t *testing.T) {
	t.Parallel()
	machine := newMachine(t)
	for _, form := range []string{fpgaAt, "3b:00.0", "0000:3B:00.0", "0000:3b:0.0"} {
		require.NoError(t, machine.Break(form), form)
		slot, err := machine.Slot(form)
		require.NoError(t, err)
		assert.True(t, slot.Broken)
		require.NoError(t, machine.Repair(form))
	}
	require.ErrorIs(t, machine.Remove("3b"), driver.ErrNoDevice)
	require.NoError(t, machine.Remove("3B:00.0"))
	assert.Equal(t, "0000:af:00.0", machine.Slots()[0].ControlPath)
}

// Whoever wants it is told of each change, and may look at the machine.
func TestChangesAreTold(t *testing.T) {
	t.Parallel()
	var machine *driver.Machine
	var told []int
	machine, err := driver.NewMachine("h", driver.WithChanges(func() { told = append(told, len(machine.Slots())) }))
	require.NoError(t, err)
	_, err = machine.Insert("fpga", driver.Card{Address: fpgaAt})
	require.NoError(t, err)
	_, err = machine.Insert("fpga", driver.Card{Address: fpgaAt})
	require.Error(t, err)
	require.NoError(t, machine.Break(fpgaAt))
	require.NoError(t, machine.Repair(fpgaAt))
	_, err = machine.Program(t.Context(), fpgaName, driver.Image{ID: "i"})
	require.NoError(t, err)
	require.NoError(t, machine.Remove(fpgaAt))
	require.Error(t, machine.Remove(fpgaAt))
	assert.Equal(t, []int{1, 1, 1, 1, 0}, told)
}

// What Discover returns belongs to the caller.
func TestDiscoverReturnsCopies(t *testing.T) {
	t.Parallel()
	machine := newMachine(t)
	mine := found(t, machine)
	mine[0].Deployables[0].Attributes[0].Value = "CUSTOM_MINE"
	mine[0].Deployables[0].Handles[0].Info[0].Value = "ff"
	mine[0].Deployables[0].Name = "mine"
	assert.Equal(t, fpgaName, found(t, machine)[0].Deployables[0].Name)
	assert.Equal(t, pairs("bus=3b")[0], found(t, machine)[0].Deployables[0].Handles[0].Info[0])
	assert.Equal(t, "CUSTOM_FPGA_INTEL", found(t, machine)[0].Deployables[0].Attributes[0].Value)
}

func TestProgram(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		machine := newMachine(t)
		start := time.Now()
		loaded, err := machine.Program(t.Context(), fpgaName, driver.Image{ID: "i", FunctionID: "BB-02", RegionID: "69B2"})
		require.NoError(t, err)
		assert.Equal(t, loading, time.Since(start))
		assert.Equal(t, []string{"CUSTOM_FPGA_INTEL", "CUSTOM_FPGA_INTEL_PAC_ARRIA10", "CUSTOM_FPGA_FUNCTION_ID_INTEL_BB02", "CUSTOM_FPGA_REGION_INTEL_69B2"}, loaded.Traits())
		assert.Equal(t, loaded, found(t, machine)[0].Deployables[0])

		loaded, err = machine.Program(t.Context(), fpgaName, driver.Image{ID: "i"})
		require.NoError(t, err)
		assert.NotContains(t, loaded.Traits(), "CUSTOM_FPGA_FUNCTION_ID_INTEL_BB02", "an image without function id leaves none")
	})
}

// A Xilinx card can be programmed, but shows no function.
func TestProgramXilinx(t *testing.T) {
	t.Parallel()
	machine, err := driver.NewMachine("h")
	require.NoError(t, err)
	card, err := machine.Insert("xilinx_fpga", driver.Card{Address: fpgaAt})
	require.NoError(t, err)
	loaded, err := machine.Program(t.Context(), fpgaName, driver.Image{ID: "i", FunctionID: "bb02"})
	require.NoError(t, err)
	assert.Equal(t, card.Deployables[0], loaded)
}

func TestProgramRefuses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		machine := newMachine(t)
		before := found(t, machine)
		for name, test := range map[string]struct {
			deployable string
			image      driver.Image
			want       error
		}{
			"unknown deployable": {"x", driver.Image{ID: "i"}, driver.ErrNoDevice},
			"gpu":                {"h_0000:af:00.0", driver.Image{ID: "i"}, driver.ErrNotProgrammable},
			"other region":       {fpgaName, driver.Image{ID: "i", RegionID: "ffff"}, driver.ErrRegion},
			"function id":        {fpgaName, driver.Image{ID: "i", FunctionID: "a b"}, driver.ErrFormat},
		} {
			start := time.Now()
			_, err := machine.Program(t.Context(), test.deployable, test.image)
			require.ErrorIs(t, err, test.want, name)
			require.ErrorContains(t, err, "program image i: ", name)
			assert.Zero(t, time.Since(start), name)
		}
		assert.Equal(t, before, found(t, machine))
	})
}

// Whatever goes wrong while an image is loaded, the card stays as it was.
func TestProgramFails(t *testing.T) {
	t.Parallel()
	errBurnt := errors.New("burnt")
	for _, test := range []struct {
		name    string
		disturb func(*driver.Machine) error
		want    error
	}{
		{name: "fault", disturb: func(m *driver.Machine) error { return m.FailProgramming(fpgaAt, errBurnt) }, want: errBurnt},
		{name: "breaks", disturb: func(m *driver.Machine) error { return m.Break(fpgaAt) }, want: driver.ErrBroken},
		{name: "vanishes", disturb: func(m *driver.Machine) error { return m.Remove(fpgaAt) }, want: driver.ErrNoDevice},
		{name: "is another card", disturb: func(m *driver.Machine) error {
			_, err := m.Insert("fpga", driver.Card{Address: fpgaAt, FunctionID: "aa01", RegionID: "69b2"})
			return err
		}, want: driver.ErrNoDevice},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				machine := newMachine(t)
				go func() {
					time.Sleep(loading / 2)
					if test.name == "is another card" {
						assert.NoError(t, machine.Remove(fpgaAt))
					}
					assert.NoError(t, test.disturb(machine))
				}()
				_, err := machine.Program(t.Context(), fpgaName, driver.Image{ID: "i", FunctionID: "bb02"})
				require.ErrorIs(t, err, test.want)
				for _, device := range found(t, machine) {
					assert.NotContains(t, device.Deployables[0].Traits(), "CUSTOM_FPGA_FUNCTION_ID_INTEL_BB02")
				}
			})
		})
	}
}

// The fault stays until it is taken away; a broken card takes nothing at all.
func TestProgramAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		machine := newMachine(t)
		image := driver.Image{ID: "i", FunctionID: "bb02"}
		errBurnt := errors.New("burnt")
		require.NoError(t, machine.FailProgramming(fpgaAt, errBurnt))
		for range 2 {
			_, err := machine.Program(t.Context(), fpgaName, image)
			require.ErrorIs(t, err, errBurnt)
		}
		require.NoError(t, machine.FailProgramming(fpgaAt, nil))
		require.NoError(t, machine.Break(fpgaAt))
		_, err := machine.Program(t.Context(), fpgaName, image)
		require.ErrorIs(t, err, driver.ErrBroken)
		require.NoError(t, machine.Repair(fpgaAt))
		_, err = machine.Program(t.Context(), fpgaName, image)
		require.NoError(t, err)
	})
}

// Images are loaded one after the other, and nobody waits longer than wanted.
func TestProgramOneAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		machine := newMachine(t)
		start := time.Now()
		var group sync.WaitGroup
		for _, function := range []string{"bb01", "bb02", "bb03"} {
			group.Go(func() {
				_, err := machine.Program(t.Context(), fpgaName, driver.Image{ID: "i", FunctionID: function})
				assert.NoError(t, err)
			})
		}
		synctest.Wait()
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := machine.Program(short, fpgaName, driver.Image{ID: "late"})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "is being programmed")
		assert.Equal(t, time.Second, time.Since(start))
		group.Wait()
		assert.Equal(t, 3*loading, time.Since(start))

		short, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		before := found(t, machine)
		_, err = machine.Program(short, fpgaName, driver.Image{ID: "late", FunctionID: "bb04"})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, before, found(t, machine))
	})
}

func TestAttachMediatedDevices(t *testing.T) {
	t.Parallel()
	machine := newMachine(t)
	card, err := machine.Insert("vgpu", driver.Card{Address: "0000:d8:00.0", VGPUs: 2})
	require.NoError(t, err)
	part := card.Deployables[0]
	first, second := part.Handles[0], part.Handles[1]
	info, err := machine.Attach(t.Context(), part.Name, first, "one")
	require.NoError(t, err)
	assert.Equal(t, first.Info, info)
	_, err = machine.Attach(t.Context(), part.Name, first, "two")
	require.ErrorIs(t, err, driver.ErrTaken, "the place is in use")
	_, err = machine.Attach(t.Context(), part.Name, second, "one")
	require.ErrorIs(t, err, driver.ErrTaken, "the uuid is in use")
	_, err = machine.Attach(t.Context(), part.Name, second, "")
	require.ErrorContains(t, err, "needs the handle's uuid")
	require.NoError(t, machine.Detach(t.Context(), part.Name, first, "one"))
	require.NoError(t, machine.Detach(t.Context(), part.Name, first, "one"), "twice is no error")
	_, err = machine.Attach(t.Context(), part.Name, second, "one")
	require.NoError(t, err)
	assert.Equal(t, card, found(t, machine)[2], "mediated devices do not change the report")
}

func TestAttach(t *testing.T) {
	t.Parallel()
	machine := newMachine(t)
	handle := found(t, machine)[0].Deployables[0].Handles[0]
	for range 2 {
		info, err := machine.Attach(t.Context(), fpgaName, handle, "")
		require.NoError(t, err, "there is nothing to make of a PCI function")
		assert.Equal(t, handle.Info, info)
	}
	_, err := machine.Attach(t.Context(), fpgaName, pciHandle("ff", "00", "0"), "")
	require.ErrorIs(t, err, driver.ErrNoDevice)
	_, err = machine.Attach(t.Context(), "x", handle, "")
	require.ErrorIs(t, err, driver.ErrNoDevice)
	require.NoError(t, machine.Detach(t.Context(), "x", handle, ""))
	require.NoError(t, machine.Break(fpgaAt))
	_, err = machine.Attach(t.Context(), fpgaName, handle, "")
	require.ErrorIs(t, err, driver.ErrBroken)
	require.ErrorIs(t, machine.Detach(t.Context(), fpgaName, handle, ""), driver.ErrBroken)

	done, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = machine.Attach(done, fpgaName, handle, "")
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, machine.Detach(done, fpgaName, handle, ""), context.Canceled)
	_, err = machine.Discover(done)
	require.ErrorIs(t, err, context.Canceled)
}

// A machine is used by many at once.
func TestMachineIsSafe(t *testing.T) {
	t.Parallel()
	machine, err := driver.NewMachine("h")
	require.NoError(t, err)
	_, err = machine.Insert("fpga", driver.Card{Address: fpgaAt})
	require.NoError(t, err)
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			if err := busy(t.Context(), machine, i); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

// busy does something to the machine, by number.
func busy(ctx context.Context, machine *driver.Machine, number int) error {
	var err error
	switch number % 4 {
	case 0:
		_, err = machine.Program(ctx, fpgaName, driver.Image{ID: "i", FunctionID: "bb02"})
	case 1:
		_, err = machine.Discover(ctx)
	case 2:
		err = machine.FailProgramming(fpgaAt, nil)
	default:
		_, err = machine.Attach(ctx, fpgaName, pciHandle("3b", "00", "0"), "")
	}
	return err
}

func TestImages(t *testing.T) {
	t.Parallel()
	images := driver.Images{{ID: "a", FunctionID: "f"}, {ID: "b", FunctionID: "g"}, {ID: "c", FunctionID: "g"}}
	image, err := images.ByID("b")
	require.NoError(t, err)
	assert.Equal(t, images[1], image)
	image, err = images.ByFunction("f")
	require.NoError(t, err)
	assert.Equal(t, images[0], image)
	for _, find := range []func() (driver.Image, error){
		func() (driver.Image, error) { return images.ByFunction("g") },
		func() (driver.Image, error) { return images.ByFunction("h") },
		func() (driver.Image, error) { return images.ByID("h") },
	} {
		_, err := find()
		assert.ErrorIs(t, err, driver.ErrImage)
	}
}

func TestFunctionTrait(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "CUSTOM_FPGA_FUNCTION_ID_INTEL_3AFB", driver.FunctionTrait("intel", "3afb"))
	assert.Equal(t, "CUSTOM_FPGA_FUNCTION_ID_INTEL_3A_-FB", driver.FunctionTrait("intel", "3a-fb"))
	assert.Equal(t, "CUSTOM_FPGA_FUNCTION_ID_INTEL_3A_FB", driver.PlainFunctionTrait("intel", "3a-fb"))
}
