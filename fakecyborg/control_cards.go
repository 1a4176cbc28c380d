package fakecyborg

import (
	"errors"
	"fmt"
	"net/http"

	"go.yaml.in/yaml/v3"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// Parameters of the routes that change cards.
var (
	reportParameters = []string{"report"}
	cardParameters   = []string{"host", "address", "report"}
)

// insertDevice puts a card into a host's machine; the body is a device as seeds
// have it, with its host.
func (c *controlCall) insertDevice() controlAnswer {
	data, refusal := c.read()
	if refusal != nil {
		return *refusal
	}
	host, device, err := parseInsertion(data)
	if err != nil {
		return refuseInput(err)
	}
	return c.changeCards(host, http.StatusBadRequest, func(machine *driver.Machine) error {
		if _, err := c.server.release.kind(device.Driver); err != nil {
			return err
		}
		_, err := machine.Insert(device.Driver, device.Card)
		return err
	})
}

// parseInsertion reads the body of insertDevice.
func parseInsertion(data []byte) (string, Device, error) {
	r := newSeedReader("body", len(data))
	root, err := readDocument("body", data)
	if err != nil {
		return "", Device{}, err
	}
	if root == nil {
		return "", Device{}, &SeedError{Place: "body", Err: errors.New("it is empty")}
	}
	var host string
	var device Device
	fields := r.cardFields(&device)
	fields["host"] = r.text(&host)
	return host, device, r.mapping(root, "", fields)
}

// removeDevice takes a card out.
func (c *controlCall) removeDevice() controlAnswer {
	return c.changeCards(c.query.Get("host"), http.StatusNotFound, func(machine *driver.Machine) error {
		return machine.Remove(c.query.Get("address"))
	})
}

func (c *controlCall) breakDevice() controlAnswer {
	return c.changeCards(c.query.Get("host"), http.StatusNotFound, func(machine *driver.Machine) error {
		return machine.Break(c.query.Get("address"))
	})
}

func (c *controlCall) repairDevice() controlAnswer {
	return c.changeCards(c.query.Get("host"), http.StatusNotFound, func(machine *driver.Machine) error {
		return machine.Repair(c.query.Get("address"))
	})
}

// changeCards changes the cards of a host, and reports them unless that is not
// wanted. What the machine refuses has the status refused, or is a conflict.
func (c *controlCall) changeCards(host string, refused int, change func(*driver.Machine) error) controlAnswer {
	report := c.query.Get("report")
	if report != "" && report != "true" && report != "false" {
		return refuseControl(http.StatusBadRequest, "query: report", fmt.Errorf("want true or false, got %q", report))
	}
	machine, err := c.server.Machine(host)
	if err != nil {
		return refuseControl(http.StatusNotFound, "host", err)
	}
	err = change(machine)
	switch {
	case errors.Is(err, driver.ErrTaken):
		return refuseControl(http.StatusConflict, "", err)
	case err != nil:
		return refuseControl(refused, "", err)
	case report == "false":
		return noContent()
	}
	return reported(c.server.Discover(c.Context(), host))
}

// reportDevices is a report of one host, or of all.
func (c *controlCall) reportDevices() controlAnswer {
	if host := c.query.Get("host"); host != "" {
		return reported(c.server.Discover(c.Context(), host))
	}
	return reported(c.server.Report(c.Context()))
}

// reported tells what could not be reported: the cards are as they were asked for.
func reported(err error) controlAnswer {
	switch {
	case err == nil:
		return noContent()
	case errors.Is(err, ErrNoHost):
		return refuseControl(http.StatusNotFound, "query: host", err)
	case errors.Is(err, ErrHandleInUse):
		return refuseControl(http.StatusConflict, "", err)
	}
	return refuseControl(http.StatusBadGateway, "", err)
}

// cardFields are the keys of a card and its driver.
func (r *seedReader) cardFields(device *Device) map[string]field {
	fields := map[string]field{"driver": r.text(&device.Driver)}
	for _, key := range device.keys() {
		switch into := key.value.(type) {
		case *string:
			fields[key.name] = r.text(into)
		case *int:
			fields[key.name] = r.number(into)
		case *[]string:
			fields[key.name] = r.list(func(n *yaml.Node, at string) error {
				return grow(into, n, at, func(n *yaml.Node, at string, text *string) error { return r.text(text)(n, at) })
			})
		}
	}
	return fields
}
