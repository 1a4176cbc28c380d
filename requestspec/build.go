package requestspec

import (
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

const opBuild = "build request"

// largestTotal is the highest total of an inventory that Placement takes (placement/db/constants.py:MAX_INT).
const largestTotal = 2147483647

// Option changes how [Build] and [Resolve] judge their input.
type Option func(*config)

type config struct{ lenient bool }

// Lenient makes Build do what Nova does, to the byte: what Nova only warns about is skipped and listed in
// [Request.Findings], and requests that Placement will refuse are built all the same.
func Lenient() Option { return func(c *config) { c.lenient = true } }

func newConfig(opts []Option) config {
	var c config
	for _, opt := range opts {
		opt(&c)
	}
	return c
}

// Build turns a flavor, device profiles, ports, image and scheduling wishes into one request. It mirrors
// nova/scheduler/utils.py:resources_from_request_spec and what leads there: nova/accelerator/cyborg.py,
// nova/network/neutron.py:create_resource_requests and the pre-filters of nova/scheduler/request_filter.py.
//
// In strict mode, the default, everything that Nova only warns about and every request that Placement would refuse is
// an error, and the error lists all of it with its place. The error is always an [*Error].
func Build(in Input, opts ...Option) (*Request, error) {
	b := &builder{in: in, lenient: newConfig(opts).lenient, groups: map[string]*draft{}}
	for _, step := range []func() error{
		b.checkLimit, b.readPorts, b.readProfile, b.readExtra, b.readExtraSpecs, b.readImage, b.readCPUPolicies,
		b.addOutside, b.addSizes, b.addFeatures, b.strip, b.addDestination, b.setPolicy,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	request := b.request()
	b.check(request)
	if faults := b.faults(); !b.lenient && len(faults) > 0 {
		return nil, &Error{Op: opBuild, Findings: faults}
	}
	request.Findings = b.findings
	return request, nil
}

// addOutside takes in the port and profile groups.
func (b *builder) addOutside() error {
	for _, d := range b.outside {
		if err := b.add(d); err != nil {
			return err
		}
	}
	return nil
}

// addSizes asks for the flavor's own sizes, unless any group already asks for the class
// (nova/scheduler/utils.py:ResourceRequest.from_request_spec).
func (b *builder) addSizes() error {
	flavor := b.in.Flavor
	disk := sum(flavor.EphemeralGB, ceilGB(flavor.SwapMB))
	if !b.in.BootFromVolume {
		disk = sum(flavor.EphemeralGB, ceilGB(flavor.SwapMB), flavor.RootGB)
	}
	sizes := []struct {
		class string
		skip  bool
		size  Property
	}{
		{classVCPU, b.asks(classVCPU) || b.asks(classPCPU), Property{"vcpus", flavor.VCPUs}},
		{classMemory, b.asks(classMemory), Property{"memory_mb", flavor.MemoryMB}},
		{classDisk, b.asks(classDisk) || disk == "0", Property{"root_gb + ephemeral_gb + swap_mb", disk}},
	}
	for _, s := range sizes {
		if s.skip {
			continue
		}
		if s.size.Value == 0 {
			b.noteNoSize(s.size)
		}
		if err := b.addResource(b.group(""), "flavor", s.class, s.size); err != nil {
			return err
		}
	}
	return nil
}

// asks tells whether any group asks for a class.
func (b *builder) asks(class string) bool {
	for _, d := range b.groups {
		if d.index(class) >= 0 {
			return true
		}
	}
	return false
}

// noteNoSize advises against a size that no flavor of Nova lacks.
func (b *builder) noteNoSize(p Property) {
	finding := newFinding("flavor", p, ErrAmount, "the flavor's "+p.Key+" is absent or 0, so the request asks for none")
	finding.Advice = true
	b.note(finding)
}

// ceilGB converts MiB to GiB, rounded up. As in Nova the division is one of 64-bit floats, which above 2^53 do not hold
// every integer (nova/compute/utils.py:convert_mb_to_ceil_gb).
func ceilGB(mb int) int { return int(math.Ceil(float64(mb) / 1024)) }

// sum adds sizes, whose total may be above the int64 range.
func sum(sizes ...int) json.Number {
	const small = math.MaxInt32
	if !slices.ContainsFunc(sizes, func(size int) bool { return size < -small || size > small }) {
		total := int64(0)
		for _, size := range sizes {
			total += int64(size)
		}
		return json.Number(strconv.FormatInt(total, 10))
	}
	total := new(big.Int)
	for _, size := range sizes {
		total.Add(total, big.NewInt(int64(size)))
	}
	return json.Number(total.String())
}

// request puts the groups into their order.
func (b *builder) request() *Request {
	r := &Request{
		GroupPolicy: b.policy, SameSubtree: b.sameSubtree(), nova: b.lenient,
		RootRequired: b.rootRequired(), RootForbidden: sortedSet(append(slices.Clone(b.in.RootForbidden), traitDisabled)),
	}
	if !b.unlimit {
		r.Limit = b.in.Limit
		if r.Limit == 0 {
			r.Limit = DefaultLimit
		}
	}
	if len(b.outside) > 0 {
		r.requesterIDs = make([]string, 0, len(b.outside))
	}
	for _, d := range b.outside {
		r.requesterIDs = append(r.requesterIDs, d.suffix)
	}
	ordered := b.ordered()
	r.Groups = slices.Grow(r.Groups, len(ordered))
	for _, d := range ordered {
		group, exact := d.group()
		r.Groups = append(r.Groups, group)
		if exact != nil {
			if r.exact == nil {
				r.exact = map[string]map[string]string{}
			}
			r.exact[d.suffix] = exact
		}
	}
	return r
}

// ordered returns the groups that are left: flavor groups by suffix, the unsuffixed one first, then the others.
func (b *builder) ordered() []*draft {
	list := make([]*draft, 0, len(b.groups))
	for _, suffix := range sortedKeys(b.groups) {
		if b.groups[suffix].fromFlavor {
			list = append(list, b.groups[suffix])
		}
	}
	for _, d := range b.outside {
		if b.groups[d.suffix] == d {
			list = append(list, d)
		}
	}
	return list
}

func (b *builder) sameSubtree() [][]string {
	var lists [][]string
	for _, suffixes := range slices.Concat(b.in.SameSubtree, b.subtrees) {
		lists = append(lists, sorted(suffixes))
	}
	slices.SortFunc(lists, func(x, y []string) int {
		return strings.Compare(strings.Join(x, ","), strings.Join(y, ","))
	})
	return lists
}

func sortedSet(values []string) []string {
	return slices.Compact(sorted(values))
}
