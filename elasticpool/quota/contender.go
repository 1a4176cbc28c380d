package quota

import (
	"cmp"
	"math"
)

// contender is a queue during the filling.
type contender struct {
	name           string
	weight, credit float64
	keep, boost    float64 // the weight counts boost times beyond the share keep
	min, max       []int64
	used           []int64 // of every resource, on all clouds
	usedOfLimited  []int64 // the same, only on clouds that limit the resource
	share          float64 // dominant share by weight, settled
	belowFloor     bool    // it may still take a unit that its floor is about
	keeps          bool    // its next unit is one that it has already
	wants          []*want
	cursor         [4]int // first want that may still yield something, by kind of search
}

// want is a demand during the filling.
type want struct {
	left    int
	options []option
}

// option is an Option during the filling.
type option struct {
	unit    []amount
	site    *site
	have    int  // VMs that exist and are not granted yet
	full    bool // a unit does not fit any more
	granted *int
}

// next returns the next unit of the queue: VMs that exist before new ones, then demands in their order, then options
// in theirs. Below the floor only units that bring the queue nearer to it count. It returns nil when there is none.
func (c *contender) next() (*want, *option) {
	for _, existing := range []bool{true, false} {
		at := &c.cursor[c.search(existing)]
		for ; *at < len(c.wants); *at++ {
			w := c.wants[*at]
			if o := c.choose(w, existing); o != nil {
				return w, o
			}
		}
	}
	return nil, nil
}

// search numbers the four kinds of search.
func (c *contender) search(existing bool) int {
	kind := 0
	if existing {
		kind++
	}
	if c.belowFloor {
		kind += 2
	}
	return kind
}

// choose returns the first option of w that fits and counts, or nil.
func (c *contender) choose(w *want, existing bool) *option {
	if w.left <= 0 {
		return nil
	}
	for i := range w.options {
		o := &w.options[i]
		if o.full || existing && o.have <= 0 || c.belowFloor && !c.lacks(o.unit) {
			continue
		}
		if o.full = !c.fits(o); !o.full {
			return o
		}
	}
	return nil
}

// lacks tells whether the unit has a resource of which the queue has less than its floor.
func (c *contender) lacks(unit []amount) bool {
	for _, a := range unit {
		if c.used[a.resource] < c.min[a.resource] {
			return true
		}
	}
	return false
}

// fits tells whether one more unit fits into the cloud and below the queue's ceiling.
func (c *contender) fits(o *option) bool {
	for _, a := range o.unit {
		if a.n > o.site.free[a.resource] || a.n > c.max[a.resource]-c.used[a.resource] {
			return false
		}
	}
	return true
}

// take grants one VM of the option.
func (w *want) take(o *option) {
	*o.granted++
	w.left--
	o.have--
}

// use books one unit and brings the share up to date.
func (c *contender) use(o *option, total []int64) {
	for _, a := range o.unit {
		c.used[a.resource] = add(c.used[a.resource], a.n)
		if !o.site.limited[a.resource] {
			continue
		}
		o.site.free[a.resource] -= a.n
		c.usedOfLimited[a.resource] = add(c.usedOfLimited[a.resource], a.n)
		share := float64(c.usedOfLimited[a.resource]) / float64(total[a.resource])
		c.share = max(c.share, settle(c.turnAt(share)))
	}
}

// turnAt returns when it is the queue's turn again once it has a dominant share: the share by weight, which counts more
// beyond what the queue keeps.
func (c *contender) turnAt(share float64) float64 {
	kept := min(share, c.keep)
	return (kept + (share-kept)/c.boost) / c.weight
}

// settle rounds a share so that 3/30 and 1/10 of two queues are the same, and the tie is broken by credit and name
// rather than by the last bit of a float.
func settle(share float64) float64 {
	const grain = 1e12
	return math.Round(share*grain) / grain
}

// unrest is how many times the credit of whoever has a unit must be that of another with the same share to lose it to that one.
// Without it a unit that cannot be divided would change hands as soon as it has been used a little. With it the turns
// grow longer and longer, up to the time over which credit is forgotten.
const unrest = 2

// patience orders contenders with the same share.
func (c *contender) patience() float64 {
	if c.keeps {
		return c.credit
	}
	return unrest * c.credit
}

// compareKept puts whoever keeps what it has first.
func compareKept(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// ranking is the heap of contenders; whose turn it is comes first.
type ranking []*contender

func (r ranking) Len() int      { return len(r) }
func (r ranking) Swap(i, j int) { r[i], r[j] = r[j], r[i] }
func (r ranking) Less(i, j int) bool {
	a, b := r[i], r[j]
	if a.belowFloor != b.belowFloor {
		return a.belowFloor
	}
	return cmp.Or(cmp.Compare(a.share, b.share), cmp.Compare(a.patience(), b.patience()), compareKept(a.keeps, b.keeps), cmp.Compare(a.name, b.name)) < 0
}

// Push is never called: no contender joins a filling that runs.
func (r *ranking) Push(x any) {
	if c, ok := x.(*contender); ok {
		*r = append(*r, c)
	}
}

// Pop removes the last contender, which heap.Pop has put there.
func (r *ranking) Pop() any {
	last := len(*r) - 1
	c := (*r)[last]
	*r = (*r)[:last]
	return c
}
