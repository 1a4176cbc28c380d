package placementtest

import (
	"slices"
	"strconv"
)

// candidateWriter writes the answer to a candidates question as JSON. It does so by hand because the answer for a large cloud is
// large; nothing that it writes needs escaping, since uuids, class names, trait names and suffixes were checked when they came in.
type candidateWriter struct {
	query *candidatesQuery
	out   []byte
	// givers are the providers of the request being written.
	givers []*provider
}

// write gives the whole body.
func (w *candidateWriter) write(found []candidate) []byte {
	w.raw(`{"allocation_requests":[`)
	for i := range found {
		w.comma(i)
		w.request(&found[i])
		if i == 0 {
			w.out = slices.Grow(w.out, len(w.out)*len(found)) // they are about as long as each other
		}
	}
	w.raw(`],"provider_summaries":{`)
	summarized := w.summarized(found)
	for i, p := range summarized {
		start := len(w.out)
		w.comma(i)
		w.summary(p)
		if i == 0 {
			w.out = slices.Grow(w.out, (len(w.out)-start+2)*len(summarized))
		}
	}
	w.raw(`}}`)
	return w.out
}

// request writes one allocation request: a map by provider from 1.12 on, a list before.
func (w *candidateWriter) request(c *candidate) {
	w.givers = w.givers[:0]
	for _, p := range c.pieces {
		if !slices.Contains(w.givers, p.provider) {
			w.givers = append(w.givers, p.provider)
		}
	}
	open, end := byte('{'), byte('}')
	if w.query.minor < 12 {
		open, end = '[', ']'
	}
	w.raw(`{"allocations":`)
	w.out = append(w.out, open)
	for i, p := range w.givers {
		w.comma(i)
		w.allocation(c, p)
	}
	w.out = append(w.out, end)
	if w.query.minor >= 34 {
		w.mappings(c)
	}
	w.raw(`}`)
}

// allocation writes what one provider gives.
func (w *candidateWriter) allocation(c *candidate, p *provider) {
	if w.query.minor < 12 {
		w.raw(`{"resource_provider":{"uuid":`)
		w.quoted(p.uuid)
		w.raw(`},"resources":{`)
	} else {
		w.quoted(p.uuid)
		w.raw(`:{"resources":{`)
	}
	first := true
	for _, piece := range c.pieces {
		if piece.provider != p {
			continue
		}
		if !first {
			w.raw(`,`)
		}
		first = false
		w.quoted(piece.amount.class)
		w.raw(`:`)
		w.out = strconv.AppendInt(w.out, piece.amount.n, 10)
	}
	w.raw(`}}`)
}

// mappings writes which providers serve which group.
func (w *candidateWriter) mappings(c *candidate) {
	w.raw(`,"mappings":{`)
	for i, providers := range c.serving {
		w.comma(i)
		w.quoted(w.query.groups[i].suffix)
		w.raw(`:[`)
		for j, p := range providers {
			w.comma(j)
			w.quoted(p.uuid)
		}
		w.raw(`]`)
	}
	w.raw(`}`)
}

// summarized lists the providers that the answer describes: from 1.29 on all of every tree that gives something, before only those
// that give something.
func (w *candidateWriter) summarized(found []candidate) []*provider {
	givers := make(map[*provider]struct{})
	for i := range found {
		for _, p := range found[i].pieces {
			if w.query.minor >= 29 {
				givers[p.provider.root] = struct{}{}
			} else {
				givers[p.provider] = struct{}{}
			}
		}
	}
	if w.query.minor < 29 {
		return inOrder(givers)
	}
	var all []*provider
	for _, root := range inOrder(givers) {
		all = append(all, root.members...)
	}
	return all
}

// summary writes one provider's capacities and use, its traits from 1.17 on, its place in the tree from 1.29 on.
func (w *candidateWriter) summary(p *provider) {
	w.quoted(p.uuid)
	w.raw(`:{"resources":{`)
	first := true
	for class, inv := range p.inventories {
		if w.query.minor < 27 && !w.query.asksFor(class) {
			continue
		}
		if !first {
			w.raw(`,`)
		}
		first = false
		w.quoted(class)
		w.raw(`:{"capacity":`)
		w.out = strconv.AppendInt(w.out, inv.capacity(), 10)
		w.raw(`,"used":`)
		w.out = strconv.AppendInt(w.out, p.used[class], 10)
		w.raw(`}`)
	}
	w.raw(`}`)
	if w.query.minor >= 17 {
		w.traits(p)
	}
	if w.query.minor >= 29 {
		w.place(p)
	}
	w.raw(`}`)
}

func (w *candidateWriter) traits(p *provider) {
	w.raw(`,"traits":[`)
	i := 0
	for trait := range p.traits {
		w.comma(i)
		w.quoted(trait)
		i++
	}
	w.raw(`]`)
}

func (w *candidateWriter) place(p *provider) {
	w.raw(`,"parent_provider_uuid":`)
	if p.parent == nil {
		w.raw(`null`)
	} else {
		w.quoted(p.parent.uuid)
	}
	w.raw(`,"root_provider_uuid":`)
	w.quoted(p.root.uuid)
}

func (w *candidateWriter) raw(s string) { w.out = append(w.out, s...) }

func (w *candidateWriter) quoted(s string) {
	w.out = append(w.out, '"')
	w.out = append(w.out, s...)
	w.out = append(w.out, '"')
}

// comma separates all elements but the first from the one before.
func (w *candidateWriter) comma(i int) {
	if i > 0 {
		w.raw(`,`)
	}
}

// asksFor tells whether any group asks for a class.
func (c *candidatesQuery) asksFor(class string) bool {
	return slices.ContainsFunc(c.groups, func(g *group) bool {
		return slices.ContainsFunc(g.resources, func(a amount) bool { return a.class == class })
	})
}
