package fakecyborg

import (
	"maps"
	"slices"
)

// chronicleEntry is a release as what it changed.
type chronicleEntry struct {
	series, version string
	// after is the version whose behaviour it starts from.
	after   string
	changes []func(*Release)
}

// chronicle is the history of Cyborg as clients see it, oldest version first.
// Versions without changes are there so that they can be asked for.
var chronicle = []chronicleEntry{
	{"train", "3.0.0", "", []func(*Release){firstWithVersionTwo}},
	{"train", "3.0.1", "3.0.0", nil},
	{"ussuri", "4.0.0", "3.0.1", []func(*Release){microversions, deviceLists, bindJobs, eventPerRequest}},
	{"ussuri", "4.0.1", "4.0.0", []func(*Release){duplicateName}},
	{"victoria", "5.0.0", "4.0.0", []func(*Release){projectInBind, programming, conductorMakesARQs, qatClass, drivers("inspur_fpga", "qat")}},
	{"victoria", "5.0.1", "5.0.0", []func(*Release){duplicateName, eventCode}},
	{"wallaby", "6.0.0", "5.0.0", []func(*Release){typedProfiles, groupChecks, conductorBinds, moreClasses, drivers("nic", "ssd"), systemScope}},
	{"wallaby", "6.0.1", "6.0.0", []func(*Release){duplicateName, eventCode}},
	{"xena", "7.0.0", "6.0.1", []func(*Release){xenaMends}},
	{"xena", "7.0.1", "7.0.0", nil},
	{"yoga", "8.0.0", "7.0.1", []func(*Release){profileByName}},
	{"yoga", "8.0.1", "8.0.0", nil},
	{"zed", "9.0.0", "8.0.1", []func(*Release){xilinxPairs, drivers("xilinx_fpga")}},
	{"2023.1", "10.0.0", "9.0.0", []func(*Release){attributes}},
	{"2023.1", "10.1.0", "10.0.0", []func(*Release){bareMicroversions, handleUUID, drivers("vgpu")}},
	{"2023.2", "11.0.0", "10.0.0", []func(*Release){handleUUID, deviceStatus, drivers("vgpu")}},
	{"2024.1", "12.0.0", "11.0.0", []func(*Release){bareMicroversions, attributeDeletion}},
	{"2024.2", "13.0.0", "12.0.0", []func(*Release){newDefaults, projectScope}},
	{"2025.1", "14.0.0", "13.0.0", []func(*Release){drivers("pci")}},
	{"2025.1", "14.1.0", "14.0.0", []func(*Release){securityFixes}},
	{"2025.2", "15.0.0", "14.0.0", nil},
	{"2025.2", "15.0.1", "15.0.0", []func(*Release){securityFixes}},
	{"2026.1", "16.0.0", "15.0.0", nil},
	{"2026.1", "16.0.1", "16.0.0", []func(*Release){securityFixes}},
	{"2026.2", "17.0.0", "16.0.1", []func(*Release){allMicroversions, personas, pciOwner}},
}

func firstWithVersionTwo(r *Release) {
	r.VersionOne = true
	r.Policies = trainPolicies()
	r.NewPolicies = r.Policies
	r.AdministratorRole = true
	r.ResourceClasses = []string{"FPGA", "GPU", "VGPU", "PGPU"}
	r.Drivers = []string{"aichip", "fake", "fpga", "pgpu"}
}

// drivers adds drivers for these kinds of cards.
func drivers(kinds ...string) func(*Release) {
	return func(r *Release) { r.Drivers = append(r.Drivers, kinds...) }
}

func microversions(r *Release) {
	r.Microversions = NamedMicroversions
	r.RootListsVersions = true
	r.VersionOne = false
}

func deviceLists(r *Release) {
	r.Inventory = true
	r.ProfileDescription = true
	r.NotFoundText = true
	r.addPolicies(Policies{
		"device:get_all": {AnyRole}, "device:get_one": {AnyRole},
		"deployable:get_all": {AnyRole}, "deployable:get_one": {AnyRole},
	})
}

func bindJobs(r *Release) {
	r.BindJobs = true
	r.Locked = true
	r.UnbindFault = true
}

func eventPerRequest(r *Release) {
	r.Events = EventsPerRequest
	r.EventCodeFault = true
}

func duplicateName(r *Release) { r.DuplicateName = true }

func eventCode(r *Release) { r.EventCodeFault = false }

func projectInBind(r *Release) {
	r.MaxMicroversion = 1
	r.ARQProject = true
	r.BindProject = ProjectRequired
}

func programming(r *Release) {
	r.Programming = true
	r.addPolicies(Policies{"deployable:program": {AnyRole}})
}

func conductorMakesARQs(r *Release) {
	r.CreateInConductor = true
	r.DeleteInConductor = true
}

func qatClass(r *Release) { r.ResourceClasses = append(r.ResourceClasses, "CUSTOM_QAT") }

func moreClasses(r *Release) {
	r.ResourceClasses = append(r.ResourceClasses, "CUSTOM_NIC", "CUSTOM_SSD")
}

func typedProfiles(r *Release) { r.TypedProfiles = true }

func groupChecks(r *Release) {
	r.GroupChecks = true
	r.TraitValueFault = true
}

func conductorBinds(r *Release) {
	r.BindInConductor = true
	r.BadStateText = true
}

// xenaMends are the corrections of 7.0.0.
func xenaMends(r *Release) {
	r.UnbindFault = false
	r.TraitValueFault = false
	r.CorrectedMessages = true
	r.Deletion = DeletionGoesOn
}

func profileByName(r *Release) {
	r.MaxMicroversion = 2
	r.ProfileByName = true
}

func xilinxPairs(r *Release) { r.XilinxPairs = true }

func attributes(r *Release) {
	r.Attributes = true
	r.StrictUUIDs = true
	r.addPolicies(Policies{
		"attribute:get_all": {AnyRole}, "attribute:get_one": {AnyRole},
		"attribute:create": {AnyRole}, "attribute:delete": {AnyRole},
	})
}

func bareMicroversions(r *Release) { r.Microversions = BareMicroversions }

func handleUUID(r *Release) { r.AttachHandleUUID = true }

func deviceStatus(r *Release) {
	r.MaxMicroversion = 3
	r.DeviceSwitch = true
	r.addPolicies(Policies{"device:enable": {"admin"}, "device:disable": {"admin"}})
}

func attributeDeletion(r *Release) { r.AttributeDeletion = true }

// systemScope brings rules for tokens of the system scope, on device profiles
// only. The old rules stay good unless the new ones are enforced.
func systemScope(r *Release) {
	r.Policies["device_profile:get_one"] = Rule{"admin", SystemScope + "reader"}
	maps.Copy(r.NewPolicies, Policies{
		"device_profile:get_all": {"reader"}, "device_profile:get_one": {SystemScope + "reader"},
		"device_profile:create": {SystemScope + "admin"}, "device_profile:delete": {SystemScope + "admin"},
	})
}

// newDefaults is what oslo.policy 4.4.0 made of the policies: the new ones are
// enforced.
func newDefaults(r *Release) {
	r.addPolicies(Policies{
		"device_profile:get_all": {"admin", "reader"}, "device_profile:get_one": {"admin"},
		"device_profile:create": {"admin"}, "device_profile:delete": {"admin"},
	})
}

// projectScope ends the system scope on device profiles.
func projectScope(r *Release) {
	r.ProjectOperations = map[string]string{
		"device_profile:get_all": "rule:project_reader_or_admin", "device_profile:get_one": "rule:project_reader_or_admin",
		"device_profile:create": "rule:admin_api", "device_profile:delete": "rule:admin_api",
	}
}

func pciOwner(r *Release) { r.PCIOwner = true }

// securityFixes are those of 2026-04-26.
func securityFixes(r *Release) {
	r.ProjectScope = true
	r.ServiceTokens = true
	r.DeleteInConductor = false
	r.Deletion = DeletionLooksFirst
	r.BindProject = ProjectOfAdmins
	r.ProjectTokensOnly = true
	changed := Policies{
		"arq:get_one": {AnyRole}, "arq:create": {"admin", "member"},
		"device:get_all": {"admin"}, "device:get_one": {"admin"},
		"deployable:get_all": {"admin"}, "deployable:get_one": {"admin"}, "deployable:program": {"admin"},
		"attribute:get_all": {"admin"}, "attribute:get_one": {"admin"},
		"attribute:create": {"admin"}, "attribute:delete": {"admin"},
	}
	maps.Copy(r.Policies, changed)
	maps.Copy(r.NewPolicies, changed)
}

func allMicroversions(r *Release) {
	r.Microversions = AllMicroversions
	r.NamedVersionInAnswer = true
	r.ProxyHeaders = true
}

func personas(r *Release) {
	r.AdministratorRole = false
	r.Policies = ownerPolicies()
	r.NewPolicies = personaPolicies()
}

// addPolicies adds rules that are the same under old and new defaults.
func (r *Release) addPolicies(rules Policies) {
	maps.Copy(r.Policies, rules)
	maps.Copy(r.NewPolicies, rules)
}

// copied returns a release that shares nothing with r.
func (r Release) copied() Release {
	r.ResourceClasses = slices.Clone(r.ResourceClasses)
	r.Policies, r.NewPolicies = maps.Clone(r.Policies), maps.Clone(r.NewPolicies)
	r.ProjectOperations = maps.Clone(r.ProjectOperations)
	r.Drivers = slices.Clone(r.Drivers)
	return r
}
