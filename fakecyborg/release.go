package fakecyborg

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Release is how Cyborg of one release behaves where releases differ. The
// server reads only these fields, never the release's name. The zero value is
// not useful; take a value from [FindRelease], [Releases] or [Newest] and change it.
// Files that the fields name are Cyborg's; the numbers are those of the first
// release with the field's value.
type Release struct {
	// Series is the name of the OpenStack release: "train", "2026.2".
	Series string
	// Version is Cyborg's own version: "17.0.0".
	Version string

	// Microversions says which forms of the header OpenStack-API-Version are
	// understood, api/controllers/base.py:Version.parse_headers.
	Microversions MicroversionRule
	// NamedVersionInAnswer makes the answer's header "accelerator 2.N", not "2.N"
	// (17.0.0), api/controllers/v2/__init__.py:Controller._route.
	NamedVersionInAnswer bool
	// MaxMicroversion is the highest minor number of API 2 that is served,
	// api/controllers/v2/versions.py.
	MaxMicroversion int
	// RootListsVersions makes the document at / list the versions (4.0.0),
	// api/controllers/root.py:Root.
	RootListsVersions bool
	// VersionOne serves the document of API version 1 at /v1; its resources are
	// not played (until 3.0.1), api/controllers/v1/__init__.py.
	VersionOne bool
	// ProxyHeaders makes links follow X-Forwarded-Proto and X-Forwarded-Host where
	// the server was told to trust them with [WithProxyHeaders] (17.0.0),
	// etc/cyborg/api-paste.ini:http_proxy_to_wsgi.
	ProxyHeaders bool

	// Inventory serves devices and deployables (4.0.0), api/controllers/v2/devices.py.
	Inventory bool
	// Programming serves PATCH of a deployable's program (5.0.0),
	// api/controllers/v2/deployables.py:DeployablesController.program.
	Programming bool
	// Attributes serves attributes (10.0.0), api/controllers/v2/attributes.py.
	Attributes bool
	// AttributeDeletion lets the deletion of an attribute work; before, it is a
	// 500 (12.0.0), api/controllers/v2/attributes.py:AttributesController.delete.
	AttributeDeletion bool
	// DeviceSwitch serves enable and disable of devices (11.0.0),
	// api/controllers/v2/devices.py:DevicesController.
	DeviceSwitch bool

	// ProfileDescription gives profiles a description and times (4.0.0),
	// api/controllers/v2/device_profiles.py:DeviceProfile.
	ProfileDescription bool
	// TypedProfiles makes lists and creation of profiles show ISO times and null
	// instead of Python's text (6.0.0), the same.
	TypedProfiles bool
	// ProfileByName lets a profile be shown by name from microversion 2.2 on;
	// before, any id is looked up as a uuid (8.0.0), the same,
	// DeviceProfilesController.get_one.
	ProfileByName bool
	// GroupChecks refuses resource classes that are not in ResourceClasses,
	// amounts that are no numbers and traits other than CUSTOM_ (6.0.0), the same,
	// _validate_post_request.
	GroupChecks bool
	// TraitValueFault makes a wrong trait value a 500: its message cannot be
	// printed (6.0.0 and 6.0.1), the same.
	TraitValueFault bool
	// CorrectedMessages mends two texts about groups (7.0.0), the same.
	CorrectedMessages bool
	// ResourceClasses are the classes besides CUSTOM_ ones that groups may ask for;
	// they are checked at creation (GroupChecks) or else at bind,
	// common/constants.py:SUPPORT_RESOURCES.
	ResourceClasses []string
	// DuplicateName makes a second profile of a name a 409; before, what MySQL 8
	// says of it is not understood, a 500 (4.0.1, 5.0.1, 6.0.1, 7.0.0; Launchpad
	// cyborg 1939970), db/sqlalchemy/api.py:device_profile_create.
	DuplicateName bool

	// ARQProject shows project_id in accelerator requests (5.0.0),
	// api/controllers/v2/arqs.py:ARQ.
	ARQProject bool
	// AttachHandleUUID shows attach_handle_uuid (10.1.0 and 11.0.0), the same.
	AttachHandleUUID bool
	// StrictUUIDs refuses to show ids that are none, and to look them up (10.0.0), the same.
	StrictUUIDs bool
	// XilinxPairs makes two requests for each FPGA of the Xilinx trait (9.0.0), the
	// same, ARQsController.post.
	XilinxPairs bool
	// CreateInConductor has requests made behind an RPC call, which shows in error
	// texts (5.0.0), the same.
	CreateInConductor bool
	// BindInConductor has requests bound behind an RPC call (6.0.0), the same,
	// ARQsController.patch.
	BindInConductor bool
	// DeleteInConductor has requests deleted behind an RPC call (5.0.0 until the
	// security fixes of 2026-04), the same, ARQsController.delete.
	DeleteInConductor bool
	// Deletion says what becomes of a list with a missing request,
	// objects/ext_arq.py:ExtARQ.delete_by_uuid.
	Deletion DeletionRule
	// Locked makes a list by instance with bind_state=resolved answer 423 while a
	// request is not resolved; without it the answer is 200 and null, and other
	// lists are not filtered (4.0.0), api/controllers/v2/arqs.py:ARQsController.get_all.
	Locked bool
	// BindJobs is the present form of binds: states are checked, the instance may
	// have no requests yet, a missing handle is an error, and programming runs on
	// after the answer. Without it a request can be bound again, a bind that finds
	// no handle succeeds and tells Nova "failed", and programming is waited for
	// (4.0.0), objects/extarq/ext_arq_job.py.
	BindJobs bool
	// UnbindFault makes every unbind by PATCH a 500 (4.0.0 to 6.0.1; StoryBoard
	// 2008736), the same, apply_patch.
	UnbindFault bool
	// BindProject says who may, or must, name a project at a bind,
	// api/controllers/v2/arqs.py:ARQsController._validate_arq_patch.
	BindProject ProjectRule
	// BadStateText names the request and the states that were expected in errors
	// about states (6.0.0), common/exception.py:ARQBadState.
	BadStateText bool
	// NotFoundText is the wording "X not found with uuid=Y"; before, each resource
	// has a wording of its own (4.0.0), common/exception.py:ResourceNotFound.
	NotFoundText bool
	// ProjectScope hides the requests of other projects from all but admins, and
	// gives new requests the caller's project (security fixes of 2026-04,
	// CVE-2026-40214), objects/ext_arq.py:ExtARQ.get.
	ProjectScope bool
	// ServiceTokens wants a service token for bind, unbind, deletion by instance and
	// deletion of bound requests (security fixes of 2026-04), api/controllers/v2/arqs.py.
	ServiceTokens bool

	// Events is the form of the events to Nova, common/nova_client.py.
	Events EventForm
	// EventCodeFault makes the complaint about Nova's answer a 500: its message
	// cannot be made (4.0.0 to 6.0.0, without 5.0.1), the same, _send_events.
	EventCodeFault bool

	// Policies say who may do what, with the settings that the release ships,
	// policies/ and common/policy.py.
	Policies Policies
	// NewPolicies are those with enforce_new_defaults = True, see [WithNewPolicies].
	NewPolicies Policies
	// AdministratorRole lets the role "administrator" pass for admin in policies
	// (until 16.0.1), policies/base.py:admin_api.
	AdministratorRole bool
	// ProjectOperations are the operations that refuse tokens without a project,
	// with the rule that the refusal names: those on profiles (13.0.0),
	// policies/device_profiles.py, scope_types.
	ProjectOperations map[string]string
	// ProjectTokensOnly refuses such tokens everywhere, in the words of other
	// refusals (security fixes of 2026-04), policies/, scope_types.
	ProjectTokensOnly bool

	// Drivers are the kinds of cards that there is a driver for, see
	// [driver.Names]; a seed with other ones is refused, accelerator/drivers/.
	Drivers []string
	// PCIOwner makes the generic PCI driver report the trait OWNER_CYBORG (17.0.0),
	// accelerator/drivers/pci/pci/sysinfo.py.
	PCIOwner bool
}

// Releases returns all known releases, oldest version first.
func Releases() []Release {
	all := make([]Release, 0, len(chronicle))
	byVersion := make(map[string]Release, len(chronicle))
	for _, entry := range chronicle {
		release := byVersion[entry.after]
		release = release.copied()
		release.Series, release.Version = entry.series, entry.version
		for _, change := range entry.changes {
			change(&release)
		}
		byVersion[entry.version] = release
		all = append(all, release)
	}
	return all
}

// Newest is the release that a server plays unless told otherwise.
func Newest() Release {
	all := Releases()
	return all[len(all)-1]
}

// packaged are versions of distributions with the version that they behave as.
var packaged = map[string]string{
	// Debian 13 has put the security fixes of 14.1.0 on 14.0.0.
	"14.0.0-3+deb13u1": "14.1.0",
}

// FindRelease returns the release of that Cyborg version ("14.1.0"), or of that
// series ("2025.1", "train"), then its newest version. Debian's
// 14.0.0-3+deb13u1 is 14.1.0, because it has the security fixes. The error lists
// the known ones.
func FindRelease(name string) (Release, error) {
	all := Releases()
	slices.Reverse(all)
	known := make([]string, 0, len(all))
	version := cmp.Or(packaged[name], name)
	for _, release := range all {
		if strings.EqualFold(name, release.Series) || version == release.Version {
			return release, nil
		}
		known = append(known, release.Version+" ("+release.Series+")")
	}
	return Release{}, fmt.Errorf("release %q: unknown, known are %s", name, strings.Join(known, ", "))
}
