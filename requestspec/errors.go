package requestspec

import (
	"errors"
	"strings"
)

// Sentinels for errors.Is. The first group is what Nova refuses too; the second is refused in strict mode only;
// the third comes from [Match].
var (
	// ErrProfile: a device profile is missing, ambiguous, badly named, or cannot be used for a port.
	ErrProfile = errors.New("device profile not usable")
	// ErrEmptyGroup: a group asks for nothing.
	ErrEmptyGroup = errors.New("group asks for nothing")
	// ErrSuffixConflict: two groups have the same suffix.
	ErrSuffixConflict = errors.New("suffix used twice")
	// ErrAmount: an amount is not a non-negative integer.
	ErrAmount = errors.New("bad amount")
	// ErrNoValidHost: the destination, forced host or forced node is not known.
	ErrNoValidHost = errors.New("no such host or node")
	// ErrCPUPolicy: the CPU policies of flavor and image are invalid or contradict each other.
	ErrCPUPolicy = errors.New("bad cpu policy")
	// ErrFeature: an extra spec or image property that asks for a guest feature is invalid or contradicted.
	ErrFeature = errors.New("bad guest feature")

	// ErrClass: a resource class is neither standard nor a well-formed custom class.
	ErrClass = errors.New("unknown resource class")
	// ErrTrait: a trait has a bad name or value, or is required and forbidden at once.
	ErrTrait = errors.New("bad trait")
	// ErrKey: a key looks like one that is read (a resource, a trait, accel:device_profile, group_policy,
	// hw:cpu_policy and what else Nova knows), but is not
	// read, or is read as another.
	ErrKey = errors.New("bad key")
	// ErrBaseClass: a device profile asks for VCPU, PCPU, MEMORY_MB or DISK_GB, which would drop the flavor's amount.
	ErrBaseClass = errors.New("base class in a device profile")
	// ErrTraitOnly: a group has conditions but no resources, which Placement refuses.
	ErrTraitOnly = errors.New("group without resources")
	// ErrGroupPolicy: the group policy is invalid, or missing where Placement demands one.
	ErrGroupPolicy = errors.New("bad group policy")
	// ErrNeverFits: a group asks for more than any provider can have.
	ErrNeverFits = errors.New("group can never fit")

	// ErrNoMapping: no assignment of providers to groups explains the allocation.
	ErrNoMapping = errors.New("no valid mapping of groups to providers")
	// ErrNotSupported: a group cannot be matched without the mappings of Placement 1.34.
	ErrNotSupported = errors.New("group cannot be matched without mappings")
	// ErrMappingMissing: the mappings have no entry for a group.
	ErrMappingMissing = errors.New("group has no mapping")
	// ErrSearchLimit: the search for a mapping took too long and was given up.
	ErrSearchLimit = errors.New("search for a mapping given up")
)

// codes are the words of a machine-readable answer, one for each sentinel.
var codes = []struct {
	err  error
	word string
}{
	{ErrProfile, "profile"},
	{ErrEmptyGroup, "empty_group"},
	{ErrSuffixConflict, "suffix_conflict"},
	{ErrAmount, "bad_amount"},
	{ErrNoValidHost, "no_valid_host"},
	{ErrCPUPolicy, "cpu_policy"},
	{ErrFeature, "feature"},
	{ErrClass, "resource_class"},
	{ErrTrait, "trait"},
	{ErrKey, "key"},
	{ErrBaseClass, "base_class"},
	{ErrTraitOnly, "trait_only"},
	{ErrGroupPolicy, "group_policy"},
	{ErrNeverFits, "never_fits"},
	{ErrNoMapping, "no_mapping"},
	{ErrNotSupported, "not_supported"},
	{ErrMappingMissing, "mapping_missing"},
	{ErrSearchLimit, "search_limit"},
}

// Code returns the code word of an error of this package, and "" of any other error. Of several findings the first
// one decides. The words are
//
//	profile          ErrProfile              base_class       ErrBaseClass
//	empty_group      ErrEmptyGroup           trait_only       ErrTraitOnly
//	suffix_conflict  ErrSuffixConflict       group_policy     ErrGroupPolicy
//	bad_amount       ErrAmount               never_fits       ErrNeverFits
//	no_valid_host    ErrNoValidHost          no_mapping       ErrNoMapping
//	cpu_policy       ErrCPUPolicy            not_supported    ErrNotSupported
//	feature          ErrFeature              mapping_missing  ErrMappingMissing
//	resource_class   ErrClass                trait            ErrTrait
//	key              ErrKey                  search_limit     ErrSearchLimit
func Code(err error) string {
	if e, ok := errors.AsType[*Error](err); ok && len(e.Findings) > 0 {
		err = e.Findings[0]
	}
	for _, c := range codes {
		if errors.Is(err, c.err) {
			return c.word
		}
	}
	return ""
}

// Error is the error of this package: what was being done and everything that is wrong with the input.
// It unwraps to its findings, and each finding to its sentinel.
type Error struct {
	// Op is the operation, for example "build request".
	Op string
	// Findings has at least one entry. In lenient mode the first is what Nova refuses, and the others are what Nova
	// only warned about before.
	Findings []Finding
}

// Error names the operation and each of [Error.Causes].
func (e *Error) Error() string {
	causes := e.Causes()
	texts := make([]string, len(causes))
	for i, finding := range causes {
		texts[i] = finding.Error()
	}
	return e.Op + ": " + strings.Join(texts, "; ")
}

// Causes returns the findings without those that follow from an earlier one: that a group asks for nothing is no news
// when a key of the group cannot be used.
func (e *Error) Causes() []Finding {
	var causes []Finding
	keyAt := map[string]bool{}
	for _, finding := range e.Findings {
		follows := finding.Key == "" && (errors.Is(finding, ErrEmptyGroup) || errors.Is(finding, ErrTraitOnly))
		if !follows || !keyAt[finding.Where] {
			causes = append(causes, finding)
		}
		keyAt[finding.Where] = keyAt[finding.Where] || finding.Key != "" && !finding.Advice
	}
	return causes
}

// Unwrap returns the findings.
func (e *Error) Unwrap() []error {
	errs := make([]error, len(e.Findings))
	for i, finding := range e.Findings {
		errs[i] = finding
	}
	return errs
}
