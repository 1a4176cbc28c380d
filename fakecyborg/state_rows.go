package fakecyborg

import (
	"time"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// stateVersion is the version of the form of state files. A change after which
// older files would be misread makes it one more.
const stateVersion = 1

// savedState is a state file: all rows of the database with their ids, the seed
// that a reset goes back to, and what the clock is set to.
type savedState struct {
	Version int `json:"version"`
	// Seed is YAML.
	Seed        string            `json:"seed"`
	ClockFixed  time.Time         `json:"clock_fixed,omitzero"`
	ClockOffset time.Duration     `json:"clock_offset_ns,omitzero"`
	LastIDs     savedIDs          `json:"last_ids"`
	Profiles    []savedProfile    `json:"device_profiles"`
	Devices     []savedDevice     `json:"devices"`
	Deployables []savedDeployable `json:"deployables"`
	Attributes  []savedAttribute  `json:"attributes"`
	ARQs        []savedARQ        `json:"accelerator_requests"`
	// Cards are those that no report has found yet.
	Cards []savedCard `json:"cards,omitempty"`
}

type savedCard struct {
	Hostname string `json:"hostname"`
	Card     Device `json:"card"`
}

// savedIDs are the ids that were given last, so that none is given twice.
type savedIDs struct {
	Profiles    int `json:"device_profiles"`
	Devices     int `json:"devices"`
	Deployables int `json:"deployables"`
	Attributes  int `json:"attributes"`
	ARQs        int `json:"accelerator_requests"`
}

type savedProfile struct {
	ID          int               `json:"id"`
	UUID        string            `json:"uuid"`
	Name        string            `json:"name"`
	Description *string           `json:"description"`
	Groups      [][]savedProperty `json:"groups"`
	Created     time.Time         `json:"created_at"`
	Updated     time.Time         `json:"updated_at,omitzero"`
}

// savedProperty is a key of a group; its value can be null.
type savedProperty struct {
	Key   string  `json:"key"`
	Value *string `json:"value"`
}

type savedDevice struct {
	ID       int       `json:"id"`
	UUID     string    `json:"uuid"`
	Hostname string    `json:"hostname"`
	Disabled bool      `json:"disabled"`
	Created  time.Time `json:"created_at"`
	Updated  time.Time `json:"updated_at,omitzero"`
	// Found is what the driver told.
	Found driver.Device `json:"found"`
	// Card is what the seed said.
	Card Device `json:"card"`
}

type savedDeployable struct {
	ID        int               `json:"id"`
	UUID      string            `json:"uuid"`
	DeviceID  int               `json:"device_id"`
	Provider  string            `json:"rp_uuid"`
	Bitstream *string           `json:"bitstream_id"`
	Handles   []savedHandle     `json:"attach_handles"`
	Created   time.Time         `json:"created_at"`
	Updated   time.Time         `json:"updated_at,omitzero"`
	Found     driver.Deployable `json:"found"`
	// Provided is what its provider holds, null when it has none.
	Provided *provided `json:"provided"`
}

type savedHandle struct {
	UUID  string        `json:"uuid"`
	InUse bool          `json:"in_use"`
	Found driver.Handle `json:"found"`
}

type savedAttribute struct {
	UUID         string    `json:"uuid"`
	DeployableID int       `json:"deployable_id"`
	Key          string    `json:"key"`
	Value        string    `json:"value"`
	Created      time.Time `json:"created_at"`
	Updated      time.Time `json:"updated_at,omitzero"`
	Made         bool      `json:"made,omitempty"`
}

type savedARQ struct {
	ID       int      `json:"id"`
	UUID     string   `json:"uuid"`
	State    arqState `json:"state"`
	Profile  string   `json:"device_profile_uuid"`
	Group    int      `json:"device_profile_group"`
	Hostname *string  `json:"hostname"`
	DeviceRP *string  `json:"device_rp_uuid"`
	Instance *string  `json:"instance_uuid"`
	Project  *string  `json:"project_id"`
	// Handle is the uuid of its attach handle, "" for none.
	Handle  string    `json:"attach_handle,omitempty"`
	Created time.Time `json:"created_at"`
	Updated time.Time `json:"updated_at,omitzero"`
	Scope   string    `json:"scope,omitempty"`
	// Poison is the key of its group that is null.
	Poison string `json:"poison,omitempty"`
}
