package lifecycle_test

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/lifecycle"
)

// hypervisor runs the guests of all hosts. It keeps what its interface asks for, refuses what libvirt would refuse, and
// complains of what must never be asked of it.
type hypervisor struct {
	// holds tells which devices of a host an instance has by its bound ARQs.
	holds func(instance, host string) []string

	mu         sync.Mutex
	guests     map[place]*guest
	down       map[string]bool
	complaints []string
}

// place is an instance on a host.
type place struct{ instance, host string }

// guest is a guest that is defined on a host: it runs, is suspended, or is what a failure of the host has left of it.
type guest struct {
	title          string
	devices        []string // PCI addresses
	suspended, off bool
}

func (g *guest) runs() bool { return g != nil && !g.suspended && !g.off }

var errNotRunning = errors.New("the guest does not run")

func newHypervisor() *hypervisor {
	return &hypervisor{guests: map[place]*guest{}, down: map[string]bool{}}
}

func placeOf(g lifecycle.Guest) place { return place{g.Instance, g.Host} }

// enter begins a call for a host.
func (h *hypervisor) enter(ctx context.Context, host string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	h.mu.Lock()
	if h.down[host] {
		h.mu.Unlock()
		return fmt.Errorf("host %s is down", host)
	}
	return nil
}

// setDown lets a host fail, with its guests, or come back without them running.
func (h *hypervisor) setDown(host string, down bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.down[host] = down
	for at, g := range h.guests {
		if at.host == host {
			g.off = !g.suspended // what is saved on disk stays
		}
	}
}

// failed are the hosts that are down.
func (h *hypervisor) failed() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var hosts []string
	for host, down := range h.down {
		if down {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// wipe puts a new host in the place of one.
func (h *hypervisor) wipe(host string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.down[host] = false
	maps.DeleteFunc(h.guests, func(at place, _ *guest) bool { return at.host == host })
}

// Spawn replaces the guest.
func (h *hypervisor) Spawn(ctx context.Context, asked lifecycle.Guest) error {
	made, err := parseGuest(asked.Domain)
	if err != nil {
		return err
	}
	if err := h.enter(ctx, asked.Host); err != nil {
		return err
	}
	defer h.mu.Unlock()
	if err := h.take(placeOf(asked), made.devices); err != nil {
		return err
	}
	h.guests[placeOf(asked)] = made
	return nil
}

// take checks that a guest may have devices.
func (h *hypervisor) take(at place, devices []string) error {
	bound := h.holds(at.instance, at.host)
	for _, device := range devices {
		if !slices.Contains(bound, device) {
			h.complaints = append(h.complaints, fmt.Sprintf("guest %s on %s is given device %s, which is not bound to it", at.instance, at.host, device))
		}
	}
	for other, g := range h.guests {
		for _, device := range devices {
			if other.host == at.host && other != at && !g.off && slices.Contains(g.devices, device) {
				return fmt.Errorf("device %s is in use by guest %s", device, other.instance)
			}
		}
	}
	return nil
}

// Destroy ends the guest.
func (h *hypervisor) Destroy(ctx context.Context, asked lifecycle.Guest) error {
	if err := h.enter(ctx, asked.Host); err != nil {
		return err
	}
	defer h.mu.Unlock()
	delete(h.guests, placeOf(asked))
	return nil
}

// Power changes whether the guest runs.
func (h *hypervisor) Power(ctx context.Context, asked lifecycle.Guest, action lifecycle.PowerAction) error {
	if err := h.enter(ctx, asked.Host); err != nil {
		return err
	}
	defer h.mu.Unlock()
	g := h.guests[placeOf(asked)]
	switch {
	case g == nil || g.off, action == lifecycle.PowerReboot && g.suspended:
		return errNotRunning
	case action == lifecycle.PowerSuspend && len(g.devices) > 0:
		return fmt.Errorf("a guest with host devices cannot be saved: %q", g.devices)
	case action == lifecycle.PowerSuspend:
		g.suspended = true
	case action == lifecycle.PowerResume:
		g.suspended = false
	}
	return nil
}

// Attach adds devices.
func (h *hypervisor) Attach(ctx context.Context, asked lifecycle.Guest, devices lifecycle.Devices) error {
	if err := h.enter(ctx, asked.Host); err != nil {
		return err
	}
	defer h.mu.Unlock()
	g := h.guests[placeOf(asked)]
	if !g.runs() {
		return errNotRunning
	}
	added := addressesOf(devices)
	if err := h.take(placeOf(asked), added); err != nil {
		return err
	}
	for _, device := range added {
		if !slices.Contains(g.devices, device) {
			g.devices = append(g.devices, device)
		}
	}
	return nil
}

// Detach removes devices.
func (h *hypervisor) Detach(ctx context.Context, asked lifecycle.Guest, devices lifecycle.Devices) error {
	if err := h.enter(ctx, asked.Host); err != nil {
		return err
	}
	defer h.mu.Unlock()
	if g := h.guests[placeOf(asked)]; g != nil {
		removed := addressesOf(devices)
		g.devices = slices.DeleteFunc(g.devices, func(device string) bool { return slices.Contains(removed, device) })
	}
	return nil
}

// Migrate moves a guest that has no devices.
func (h *hypervisor) Migrate(ctx context.Context, asked lifecycle.Guest, to string) error {
	if err := h.enter(ctx, asked.Host); err != nil {
		return err
	}
	defer h.mu.Unlock()
	from, target := placeOf(asked), place{asked.Instance, to}
	g := h.guests[from]
	switch {
	case g == nil && h.guests[target] != nil:
		return nil
	case !g.runs():
		return errNotRunning
	case h.down[to]:
		return fmt.Errorf("host %s is down", to)
	case len(g.devices) > 0:
		return fmt.Errorf("a guest with host devices cannot be migrated: %q", g.devices)
	}
	delete(h.guests, from)
	h.guests[target] = g
	return nil
}

// snapshot is what runs where, without the hosts that are down.
func (h *hypervisor) snapshot() (guests map[place]guest, complaints []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	guests = map[place]guest{}
	for at, g := range h.guests {
		if !h.down[at.host] {
			guests[at] = guest{g.title, slices.Sorted(slices.Values(g.devices)), g.suspended, g.off}
		}
	}
	return guests, slices.Clone(h.complaints)
}

func (h *hypervisor) complain(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.complaints = append(h.complaints, fmt.Sprintf(format, args...))
}

// parseGuest reads the host devices of a domain, those of interfaces included.
func parseGuest(domain []byte) (*guest, error) {
	type device struct {
		Address struct {
			Domain   string `xml:"domain,attr"`
			Bus      string `xml:"bus,attr"`
			Slot     string `xml:"slot,attr"`
			Function string `xml:"function,attr"`
		} `xml:"source>address"`
	}
	var parsed struct {
		Title      string   `xml:"title"`
		Hostdevs   []device `xml:"devices>hostdev"`
		Interfaces []device `xml:"devices>interface"`
	}
	if err := xml.Unmarshal(domain, &parsed); err != nil {
		return nil, fmt.Errorf("domain of a guest: %w", err)
	}
	g := &guest{title: parsed.Title}
	for _, d := range append(parsed.Hostdevs, parsed.Interfaces...) {
		a := d.Address
		g.devices = append(g.devices, address(a.Domain, a.Bus, a.Slot, a.Function))
	}
	return g, nil
}

// address writes the parts of a PCI address in one way.
func address(parts ...string) string {
	numbers := make([]any, len(parts))
	for i, part := range parts {
		if len(part) < 2 || part[:2] != "0x" {
			part = "0x" + part
		}
		number, err := strconv.ParseUint(part, 0, 32)
		if err != nil {
			panic(err) // Cyborg's or ours
		}
		numbers[i] = number
	}
	return fmt.Sprintf("%04x:%02x:%02x.%x", numbers...)
}

// addressesOf are the PCI addresses of devices.
func addressesOf(devices lifecycle.Devices) []string {
	var found []string
	for _, arq := range devices.ARQs {
		found = append(found, addressOf(arq))
	}
	for _, port := range devices.Ports {
		found = append(found, addressOf(port.ARQ))
	}
	return found
}

func addressOf(arq cyborgclient.ARQ) string {
	part := func(key string) string { return fmt.Sprint(arq.AttachHandle.Info[key]) }
	return address(part("domain"), part("bus"), part("device"), part("function"))
}
