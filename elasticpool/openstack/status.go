package openstack

import (
	"github.com/novacyborg/novacyborg/elasticpool"
)

// statuses are Nova's words for a server's state (nova/api/openstack/common.py:_STATE_MAP) in those of all clouds. What
// is not here, such as a reboot or a resize, passes: nothing is concluded from it.
var statuses = map[string]elasticpool.ServerStatus{
	"BUILD":             elasticpool.ServerBuilding,
	"REBUILD":           elasticpool.ServerBuilding,
	"ACTIVE":            elasticpool.ServerActive,
	"MIGRATING":         elasticpool.ServerActive,
	"PASSWORD":          elasticpool.ServerActive,
	"VERIFY_RESIZE":     elasticpool.ServerActive,
	"SHUTOFF":           elasticpool.ServerStopped,
	"SUSPENDED":         elasticpool.ServerStopped,
	"PAUSED":            elasticpool.ServerStopped,
	"SHELVED":           elasticpool.ServerStopped,
	"SHELVED_OFFLOADED": elasticpool.ServerStopped,
	"ERROR":             elasticpool.ServerError,
	"DELETED":           elasticpool.ServerDeleting,
	"SOFT_DELETED":      elasticpool.ServerDeleting,
}

// passing are the task states (nova/compute/task_states.py) in which a status will not stay as it is.
var passing = map[string]bool{
	"powering-off": true, "powering-on": true, "pausing": true, "unpausing": true, "suspending": true, "resuming": true,
	"shelving": true, "shelving_image_pending_upload": true, "shelving_image_uploading": true, "shelving_offloading": true,
	"unshelving": true, "spawning": true, "rebooting": true, "rebooting_hard": true, "restoring": true,
}

// statusOf joins Nova's status and task state.
func statusOf(status, task string) elasticpool.ServerStatus {
	mapped, known := statuses[status]
	switch {
	case task == "deleting" || task == "soft-deleting":
		return elasticpool.ServerDeleting
	case !known:
		return elasticpool.ServerUnknown
	case passing[task] && (mapped == elasticpool.ServerActive || mapped == elasticpool.ServerStopped):
		return elasticpool.ServerUnknown
	}
	return mapped
}

// deletedStatus says that a server is no more, though Nova may still show it: to admins, or because it can be restored
// for a while. Neither counts against the quota.
func deletedStatus(status string) bool { return status == "DELETED" || status == "SOFT_DELETED" }
