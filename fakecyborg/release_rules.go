package fakecyborg

// MicroversionRule says which forms of the header OpenStack-API-Version a
// release understands.
type MicroversionRule int

// The forms of the header, see [Release.Microversions].
const (
	// NoMicroversions: the header is not looked at and answers have none (3.0.0).
	NoMicroversions MicroversionRule = iota
	// NamedMicroversions: only "accelerator 2.N"; what is no number means 2.0 (4.0.0).
	NamedMicroversions
	// BareMicroversions: only "2.N"; every other text means 2.0 (10.1.0, 12.0.0 to
	// 16.0.1; Launchpad cyborg 2049489).
	BareMicroversions
	// AllMicroversions: both forms; every other text is refused (17.0.0).
	AllMicroversions
)

// ProjectRule says who may name a project at a bind, by /project_id.
type ProjectRule int

// The rules about projects, see [Release.BindProject].
const (
	// ProjectUnknown: there is no such path (3.0.0, 4.0.0).
	ProjectUnknown ProjectRule = iota
	// ProjectRequired: every bind at 2.1 and above must have it; below, the
	// request's project becomes null (5.0.0).
	ProjectRequired
	// ProjectOfAdmins: admins may name one, the default is the caller's (security
	// fixes of 2026-04).
	ProjectOfAdmins
)

// DeletionRule says what a deletion of a list does when a request is missing.
type DeletionRule int

// The ways to delete a list, see [Release.Deletion].
const (
	// DeletionStops at the missing one; those before are gone (3.0.0).
	DeletionStops DeletionRule = iota
	// DeletionGoesOn past the missing ones and names them in the end (7.0.0).
	DeletionGoesOn
	// DeletionLooksFirst: nothing is deleted when one is missing (security fixes
	// of 2026-04).
	DeletionLooksFirst
)

// EventForm is how Nova is told of a bind.
type EventForm int

// The forms of events, see [Release.Events] and [WithEventForm].
const (
	// EventsPerProfile: one event accelerator-requests-bound for each PATCH; its
	// tag is the name of the device profile (3.0.0).
	EventsPerProfile EventForm = iota
	// EventsPerRequest: one event accelerator-request-bound for each request; its
	// tag is the request's UUID (4.0.0).
	EventsPerRequest
	// EventsOfSpec: one event arq_resolved for each request, with the status "ok"
	// or "failed", as Nova's specification for Train has it; no release sent it.
	EventsOfSpec
)
