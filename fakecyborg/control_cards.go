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
	host, device, place, err := parseInsertion(data)
	if err != nil {
		return refuseInput(err)
	}
	return c.changeCards(host, place("host"), func(machine *driver.Machine) *controlAnswer {
		_, err := machine.Insert(device.Driver, device.Card)
		if wrong, ok := errors.AsType[*driver.Error](err); ok {
			return new(refuseControl(http.StatusBadRequest, place(wrong.Field), err))
		}
		return refuseCard(place("address"), err)
	})
}

// parseInsertion reads the body of insertDevice; place names places in it.
func parseInsertion(data []byte) (host string, device Device, place func(path string) string, err error) {
	r := newSeedReader("body", len(data))
	root, err := readDocument("body", data)
	if err != nil {
		return "", Device{}, nil, err
	}
	if root == nil {
		return "", Device{}, nil, &SeedError{Place: "body", Err: errors.New("it is empty")}
	}
	fields := r.cardFields(&device)
	fields["host"] = r.text(&host)
	err = r.mapping(root, "", fields)
	if err == nil && host == "" {
		err = &SeedError{Place: r.place("host"), Err: errors.New("a card needs the host that it is put into")}
	}
	return host, device, r.place, err
}

// removeDevice takes a card out.
func (c *controlCall) removeDevice() controlAnswer { return c.changeCard((*driver.Machine).Remove) }

func (c *controlCall) breakDevice() controlAnswer { return c.changeCard((*driver.Machine).Break) }

func (c *controlCall) repairDevice() controlAnswer { return c.changeCard((*driver.Machine).Repair) }

// changeCard changes the card that the query names.
func (c *controlCall) changeCard(change func(machine *driver.Machine, address string) error) controlAnswer {
	for _, name := range []string{"host", "address"} {
		if c.query.Get(name) == "" {
			return refuseControl(http.StatusBadRequest, "query: "+name, errors.New("is missing"))
		}
	}
	return c.changeCards(c.query.Get("host"), "query: host", func(machine *driver.Machine) *controlAnswer {
		return refuseCard("query: address", change(machine, c.query.Get("address")))
	})
}

// refuseCard is the answer to what a machine refuses, nil for nothing.
func refuseCard(place string, err error) *controlAnswer {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, driver.ErrTaken):
		return new(refuseControl(http.StatusConflict, place, err))
	}
	return new(refuseControl(http.StatusNotFound, place, err))
}

// changeCards changes the cards of a host, which is named at that place, and reports
// them unless that is not wanted.
func (c *controlCall) changeCards(host, place string, change func(*driver.Machine) *controlAnswer) controlAnswer {
	report := c.query.Get("report")
	if report != "" && report != "true" && report != "false" {
		return refuseControl(http.StatusBadRequest, "query: report", fmt.Errorf("want true or false, got %q", report))
	}
	machine, err := c.server.Machine(host)
	if err != nil {
		return refuseControl(http.StatusNotFound, place, err)
	}
	if refusal := change(machine); refusal != nil {
		return *refusal
	}
	if report == "false" {
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
