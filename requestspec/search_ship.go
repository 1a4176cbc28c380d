package requestspec

import "slices"

// shipping is a flow of one class from groups to providers, as if a group could be served by several of them. If even
// that cannot place everything, no assignment can. For groups of equal amounts on providers that take one each, it is
// exact. All that is by group and provider is at [group*providers + provider].
type shipping struct {
	providers int
	open      []bool  // by group and provider: may be shipped
	placed    []int64 // by group and provider
	want      []int64 // by group: not placed yet
	spare     []int64 // by provider: not taken yet
	by        []int   // by provider: the group before it on the way
	at        []int   // by group: the provider before it on the way, or one of these:
	queue     []int   // groups to go on from
	work      int     // of the present call
}

const (
	unreached = -2
	source    = -1
)

func newShipping(groups, providers int) *shipping {
	return &shipping{
		providers: providers, open: make([]bool, groups*providers), placed: make([]int64, groups*providers),
		want: make([]int64, groups), spare: make([]int64, providers),
		by: make([]int, providers), at: make([]int, groups),
	}
}

// canShip reports whether each class of the groups from g on can be shipped. It says yes when the search has worked
// enough: the next step ends it.
func (s *searcher) canShip(g int) bool {
	f := s.shipping
	f.work = len(f.open) * (1 + s.classes)
	defer func() { s.work += f.work }()
	clear(f.open)
	for h := g; h < len(s.groups); h++ {
		for p, fits := range s.groups[h].fits {
			f.open[h*s.providers+p] = fits && s.holds(h, p)
		}
	}
	for c := range s.classes {
		clear(f.placed)
		clear(f.want)
		for h := g; h < len(s.groups); h++ {
			f.want[h] = s.groups[h].amounts[c]
		}
		for p := range f.spare {
			f.spare[p] = s.left[p*s.classes+c]
		}
		f.placePlainly(g)
		for f.augment() {
			if s.work+f.work > maxWork {
				return true
			}
		}
		if slices.ContainsFunc(f.want, func(n int64) bool { return n > 0 }) {
			return false
		}
	}
	return true
}

// placePlainly places what goes without moving anything, so that little is left to augment.
func (f *shipping) placePlainly(g int) {
	for h := g; h < len(f.want); h++ {
		for p := 0; p < f.providers && f.want[h] > 0; p++ {
			if f.open[h*f.providers+p] {
				n := min(f.want[h], f.spare[p])
				f.placed[h*f.providers+p] = n
				f.want[h] -= n
				f.spare[p] -= n
			}
		}
	}
}

// augment places more by the shortest way (Edmonds and Karp), and reports whether there was one. A way goes from a group
// that wants more to a provider, and on from a provider to a group that could give it up for another provider.
func (f *shipping) augment() bool {
	f.work += len(f.by) + len(f.want)
	for p := range f.by {
		f.by[p] = unreached
	}
	f.queue = f.queue[:0]
	for g, n := range f.want {
		f.at[g] = unreached
		if n > 0 {
			f.at[g] = source
			f.queue = append(f.queue, g)
		}
	}
	for i := 0; i < len(f.queue); i++ {
		if p := f.reach(f.queue[i]); p >= 0 {
			f.push(p)
			return true
		}
	}
	return false
}

// reach goes on from group g. It returns a provider that has something to spare, or -1.
func (f *shipping) reach(g int) int {
	f.work += f.providers
	for p := range f.providers {
		if !f.open[g*f.providers+p] || f.by[p] != unreached {
			continue
		}
		f.by[p] = g
		if f.spare[p] > 0 {
			return p
		}
		f.work += len(f.want)
		for h := range f.want {
			if f.at[h] == unreached && f.placed[h*f.providers+p] > 0 {
				f.at[h] = p
				f.queue = append(f.queue, h)
			}
		}
	}
	return -1
}

// push places as much as the way to provider p lets through.
func (f *shipping) push(p int) {
	n := f.spare[p]
	g := f.by[p]
	for ; f.at[g] != source; g = f.by[f.at[g]] {
		n = min(n, f.placed[g*f.providers+f.at[g]])
	}
	n = min(n, f.want[g])
	f.want[g] -= n
	f.spare[p] -= n
	for p != source {
		g = f.by[p]
		f.placed[g*f.providers+p] += n
		if p = f.at[g]; p != source {
			f.placed[g*f.providers+p] -= n
		}
	}
}
