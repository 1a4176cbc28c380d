package simulate

import (
	"fmt"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Faults are what goes wrong in a world. Shares are probabilities from 0 to 1, drawn for each VM.
type Faults struct {
	// CreateFails is the share of create calls that fail, with the error of class CreateError (quota, capacity,
	// transient, unknown_outcome …; the default is capacity). Of those with an unknown outcome half make a server.
	CreateFails float64   `json:"create_fails,omitempty"`
	CreateError string    `json:"create_error,omitempty"`
	ErrorServer float64   `json:"error_server,omitempty"` // servers that end in status error
	NeverJoins  float64   `json:"never_joins,omitempty"`  // servers that run and whose worker never reports
	Blind       []Blind   `json:"blind,omitempty"`
	Crashes     []Crash   `json:"crashes,omitempty"`
	Shortage    *Shortage `json:"shortage,omitempty"`
}

// Names of sensors.
const (
	SensorJobs    = "jobs"
	SensorWorkers = "workers"
	SensorClouds  = "clouds"
)

// Blind is a time in which a sensor tells nothing.
type Blind struct {
	Sensor string   `json:"sensor"`
	From   Duration `json:"from"` // after the start
	To     Duration `json:"to"`
	// Empty makes the sensor answer well, with nothing in it, as a collector that was restarted does and a truncated
	// list of servers; otherwise it fails.
	Empty bool `json:"empty,omitempty"`
}

// Crash is a time at which VMs die without a word.
type Crash struct {
	At         Duration `json:"at"`
	Share      float64  `json:"share"`
	KeepServer bool     `json:"keep_server,omitempty"` // only their workers die
}

// Shortage is a time in which a cloud has no room, though its limits say so: each create call fails for capacity.
type Shortage struct {
	From Duration `json:"from"`
	To   Duration `json:"to"`
}

func (f Faults) check() error {
	shares := map[string]float64{
		"create_fails": f.CreateFails, "error_server": f.ErrorServer, "never_joins": f.NeverJoins,
	}
	for i, c := range f.Crashes {
		shares[fmt.Sprintf("crashes[%d].share", i)] = c.Share
	}
	for name, share := range shares {
		if !(share >= 0 && share <= 1) {
			return fmt.Errorf("%w: faults.%s is %v, it must be from 0 to 1", ErrConfig, name, share)
		}
	}
	for i, b := range f.Blind {
		if b.Sensor != SensorJobs && b.Sensor != SensorWorkers && b.Sensor != SensorClouds {
			return fmt.Errorf("%w: faults.blind[%d].sensor is %q, it must be jobs, workers or clouds", ErrConfig, i, b.Sensor)
		}
	}
	if word := f.CreateError; word != "" && elasticpool.ErrorWord(elasticpool.ErrorOfWord(word)) != word {
		return fmt.Errorf("%w: faults.create_error is %q, which is no class of errors", ErrConfig, word)
	}
	return nil
}
