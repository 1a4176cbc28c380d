package quota

import (
	"container/heap"
	"math"
	"slices"
)

// filling is one run of progressive filling. Room only shrinks and use only grows while it runs, so what does not fit
// once never fits again; that is what lets the cursors of a contender move in one direction.
type filling struct {
	names  []string // of the resources; every vector below is parallel to it
	total  []int64  // what all clouds together have of a resource, as far as they limit it
	clouds map[string]*site
	turn   ranking
	grants []Grant
}

// site is what is left of one cloud.
type site struct {
	limited []bool
	free    []int64
}

// amount is a positive amount of the resource with this index.
type amount struct {
	resource int
	n        int64
}

func newFilling(capacity map[string]Resources, queues []Queue, demands []Demand) *filling {
	f := &filling{names: resourceNames(capacity, queues, demands), clouds: make(map[string]*site, len(capacity))}
	f.total = make([]int64, len(f.names))
	for cloud, limits := range capacity {
		f.clouds[cloud] = f.site(limits)
	}
	byName := make(map[string]*contender, len(queues))
	for _, q := range queues {
		if byName[q.Name] == nil {
			byName[q.Name] = f.contender(q)
		}
	}
	f.grants = make([]Grant, len(demands))
	for i, d := range demands {
		f.grants[i] = Grant{Queue: d.Queue, PerOption: make([]int, len(d.Options))}
		if c := byName[d.Queue]; c != nil && d.Want > 0 {
			c.wants = append(c.wants, f.want(d, f.grants[i].PerOption))
		}
	}
	for _, c := range byName {
		if len(c.wants) > 0 {
			f.turn = append(f.turn, c)
		}
	}
	heap.Init(&f.turn)
	return f
}

// run gives one unit at a time to the queue whose turn it is until nobody can take one more.
func (f *filling) run() {
	for len(f.turn) > 0 {
		c := f.turn[0]
		w, o := c.next()
		if kept := o != nil && o.have > 0; c.keeps && !kept {
			c.keeps = false // it only ever loses what it has, so that the order of the others holds meanwhile
			heap.Fix(&f.turn, 0)
			continue
		}
		switch {
		case o != nil:
			w.take(o)
			c.use(o, f.total)
			heap.Fix(&f.turn, 0)
		case c.belowFloor:
			c.belowFloor, c.keeps = false, true // nothing that its floor is about fits or is wanted any more
			heap.Fix(&f.turn, 0)
		default:
			heap.Pop(&f.turn)
		}
	}
}

// resourceNames returns the names of all resources that a limit or a unit names, sorted.
func resourceNames(capacity map[string]Resources, queues []Queue, demands []Demand) []string {
	seen := map[string]bool{}
	note := func(r Resources) {
		for name := range r {
			seen[name] = true
		}
	}
	for _, r := range capacity {
		note(r)
	}
	for _, q := range queues {
		note(q.Min)
		note(q.Max)
	}
	for _, d := range demands {
		for _, o := range d.Options {
			note(o.Unit)
		}
	}
	names := make([]string, 0, len(seen))
	for name := range seen {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// site makes the vectors of a cloud and counts its limits into the total.
func (f *filling) site(limits Resources) *site {
	s := &site{limited: make([]bool, len(f.names)), free: f.vector(limits, math.MaxInt64)}
	for i, name := range f.names {
		if _, s.limited[i] = limits[name]; s.limited[i] {
			f.total[i] = add(f.total[i], s.free[i])
		}
	}
	return s
}

// vector lays amounts out by index; absent ones become absent, negative ones zero.
func (f *filling) vector(amounts Resources, absent int64) []int64 {
	v := make([]int64, len(f.names))
	for i, name := range f.names {
		v[i] = absent
		if n, ok := amounts[name]; ok {
			v[i] = max(0, n)
		}
	}
	return v
}

// unit lists the positive amounts of a unit.
func (f *filling) unit(r Resources) []amount {
	list := make([]amount, 0, len(r))
	for i, name := range f.names {
		if n := r[name]; n > 0 {
			list = append(list, amount{resource: i, n: n})
		}
	}
	return list
}

func (f *filling) contender(q Queue) *contender {
	weight := q.Weight
	if !(weight > 0) || math.IsInf(weight, 1) {
		weight = 1
	}
	boost := q.Boost
	if !(boost > 0) || math.IsInf(boost, 1) {
		boost = 1
	}
	return &contender{
		name: q.Name, weight: weight, credit: q.Credit, keep: max(0, q.Keep), boost: boost,
		min: f.vector(q.Min, 0), max: f.vector(q.Max, math.MaxInt64),
		used: make([]int64, len(f.names)), usedOfLimited: make([]int64, len(f.names)),
		belowFloor: len(q.Min) > 0, keeps: true,
	}
}

// want prepares a demand; options of clouds that have no capacity are left out.
func (f *filling) want(d Demand, granted []int) *want {
	w := &want{left: d.Want, options: make([]option, 0, len(d.Options))}
	for i, o := range d.Options {
		if s := f.clouds[o.Cloud]; s != nil {
			w.options = append(w.options, option{unit: f.unit(o.Unit), site: s, have: o.Have, granted: &granted[i]})
		}
	}
	return w
}
