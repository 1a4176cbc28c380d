package opennebula

import "github.com/novacyborg/novacyborg/elasticpool"

// States of a VM (include/VirtualMachine.h: VmState) that have a meaning of their own here.
const (
	statePending = 1
	stateActive  = 3
	stateDone    = 6
)

// states are the meanings of STATE, but for stateActive.
var states = map[int]elasticpool.ServerStatus{
	0:  elasticpool.ServerBuilding, // INIT
	1:  elasticpool.ServerBuilding, // PENDING
	2:  elasticpool.ServerBuilding, // HOLD
	4:  elasticpool.ServerStopped,  // STOPPED
	5:  elasticpool.ServerStopped,  // SUSPENDED
	6:  elasticpool.ServerDeleting, // DONE
	7:  elasticpool.ServerError,    // FAILED, before 5.0
	8:  elasticpool.ServerStopped,  // POWEROFF
	9:  elasticpool.ServerStopped,  // UNDEPLOYED
	10: elasticpool.ServerBuilding, // CLONING
	11: elasticpool.ServerError,    // CLONING_FAILURE
}

// lifeCycle are the meanings of LCM_STATE (include/VirtualMachine.h: LcmState) in stateActive. On the way from running to asleep nothing is
// certain.
var lifeCycle = map[elasticpool.ServerStatus][]int{
	elasticpool.ServerBuilding: {
		0, 1, 2, // LCM_INIT, PROLOG, BOOT
		9,              // PROLOG_RESUME
		15,             // CLEANUP_RESUBMIT
		19, 20, 21, 22, // BOOT_UNKNOWN, BOOT_POWEROFF, BOOT_SUSPENDED, BOOT_STOPPED
		31, 32, // PROLOG_UNDEPLOY, BOOT_UNDEPLOY
	},
	elasticpool.ServerActive: {
		3,       // RUNNING
		4, 7, 8, // MIGRATE, SAVE_MIGRATE, PROLOG_MIGRATE
		17, 24, 25, 26, // HOTPLUG, _SNAPSHOT, _NIC, _SAVEAS
		35,         // BOOT_MIGRATE
		57, 58, 59, // DISK_SNAPSHOT, _REVERT, _DELETE
		62, 66, 69, // DISK_RESIZE, HOTPLUG_RESIZE, BACKUP
	},
	elasticpool.ServerStopped: {
		27, 28, // HOTPLUG_SAVEAS_POWEROFF, _SUSPENDED
		33, 34, // HOTPLUG_PROLOG_POWEROFF, HOTPLUG_EPILOG_POWEROFF
		43, 45, // PROLOG_MIGRATE_POWEROFF, _SUSPEND
		51, 52, 53, 54, 55, 56, // DISK_SNAPSHOT_POWEROFF to DISK_SNAPSHOT_DELETE_SUSPENDED
		63, 64, 65, // DISK_RESIZE_POWEROFF, _UNDEPLOYED, HOTPLUG_NIC_POWEROFF
		67, 68, // HOTPLUG_SAVEAS_UNDEPLOYED, _STOPPED
		70, 71, // BACKUP_POWEROFF, RESTORE
	},
	elasticpool.ServerDeleting: {
		11, 12, 13, 23, // EPILOG, SHUTDOWN, CANCEL, CLEANUP_DELETE
	},
	elasticpool.ServerError: {
		14,                     // FAILURE
		36, 37, 38, 39, 40, 41, // BOOT_FAILURE to EPILOG_STOP_FAILURE
		42, 44, 46, 47, 48, 49, // EPILOG_UNDEPLOY_FAILURE to PROLOG_RESUME_FAILURE
		50, 61, // PROLOG_UNDEPLOY_FAILURE, PROLOG_MIGRATE_UNKNOWN_FAILURE
	},
	elasticpool.ServerUnknown: {
		5, 6, 10, // SAVE_STOP, SAVE_SUSPEND, EPILOG_STOP
		16, 60, // UNKNOWN, PROLOG_MIGRATE_UNKNOWN
		18, 29, 30, // SHUTDOWN_POWEROFF, SHUTDOWN_UNDEPLOY, EPILOG_UNDEPLOY
	},
}

// lcmStates is lifeCycle by number.
var lcmStates = func() map[int]elasticpool.ServerStatus {
	by := map[int]elasticpool.ServerStatus{}
	for status, numbers := range lifeCycle {
		for _, number := range numbers {
			by[number] = status
		}
	}
	return by
}()

// statusOf returns the status of a VM; a state that is not known is ServerUnknown.
func statusOf(state, lcm int) elasticpool.ServerStatus {
	found, ok := states[state]
	if state == stateActive {
		found, ok = lcmStates[lcm]
	}
	if !ok {
		return elasticpool.ServerUnknown
	}
	return found
}
