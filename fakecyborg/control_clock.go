package fakecyborg

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// clockWire is the clock in the control API.
type clockWire struct {
	// Now is what it shows.
	Now string `json:"now,omitempty"`
	// Fixed is the time at which it stands.
	Fixed string `json:"fixed,omitempty"`
	// Offset is by how much it goes before the true time: "24h", "-90m".
	Offset string `json:"offset,omitempty"`
}

func (c *controlCall) showClock() controlAnswer {
	clock := c.server.store.clock
	fixed, offset := clock.setting()
	shown := clockWire{Now: clock.now().UTC().Format(time.RFC3339Nano)}
	if !fixed.IsZero() {
		shown.Fixed = fixed.UTC().Format(time.RFC3339Nano)
	}
	if offset != 0 {
		shown.Offset = offset.String()
	}
	return jsonAnswer(http.StatusOK, shown)
}

func (c *controlCall) setClock() controlAnswer {
	data, refusal := c.read()
	if refusal != nil {
		return *refusal
	}
	var wanted clockWire
	if err := decodeStrictly(data, &wanted); err != nil {
		return refuseInput(err)
	}
	fixed, offset, err := wanted.parse()
	if err != nil {
		return refuseInput(err)
	}
	c.server.store.clock.set(fixed, offset)
	return c.showClock()
}

func (w clockWire) parse() (fixed time.Time, offset time.Duration, err error) {
	switch {
	case w.Now != "" || (w.Fixed == "") == (w.Offset == ""):
		return fixed, 0, errors.New(`want either "fixed" or "offset"`)
	case w.Fixed != "":
		if fixed, err = time.Parse(time.RFC3339, w.Fixed); err == nil && !storable(fixed) {
			err = fmt.Errorf("fixed: %s is not in the years 1 to 9999", w.Fixed)
		} else if err != nil {
			err = fmt.Errorf("fixed: want a time such as %q, got %q", "2026-01-02T03:04:05Z", w.Fixed)
		}
	default:
		if offset, err = time.ParseDuration(w.Offset); err != nil {
			err = fmt.Errorf("offset: want a duration such as %q, got %q", "-90m", w.Offset)
		}
	}
	return fixed, offset, err
}

func (c *controlCall) resetClock() controlAnswer {
	c.server.store.clock.set(time.Time{}, 0)
	return c.showClock()
}
