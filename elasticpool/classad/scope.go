package classad

// scope is an ad together with what is around it, which decides what a name means. It is the node that MY, TARGET and
// the like stand for.
type scope struct {
	ad     Ad
	parent *scope // the ad that the ad is written in
	other  *scope // the ad on the other side of the match, if there is one; a nested ad has none of its own
}

// match returns the scope of the ad my in a match.
func match(my, target Ad) *scope {
	mine := &scope{ad: my}
	if target.attributes != nil {
		mine.other = &scope{ad: target, other: mine}
	}
	return mine
}

func (s *scope) eval(*run, *scope) Value { return Value{kind: KindAd, scope: s} }

func (s *scope) write(p *printer) { (&record{s.ad}).write(p) }

// find looks a plain name up: in the ad, in the ads around it, then on the other side of the match.
func (s *scope) find(key string) (node, *scope) {
	n, in := s.within(key)
	if n == nil && s.other != nil {
		return s.other.within(key)
	}
	return n, in
}

// within looks a name up in the ad and in the ads around it, and returns where it was found. The names of the scopes
// themselves are used when no attribute has the name.
func (s *scope) within(key string) (node, *scope) {
	for at := s; at != nil; at = at.parent {
		if found, ok := at.ad.attributes[key]; ok {
			return found.expr.root, at
		}
		if named := at.named(key); named != nil {
			return named, at
		}
	}
	return nil, nil
}

func (s *scope) named(key string) *scope {
	switch key {
	case "my", "self":
		return s
	case "parent":
		return s.parent
	case "target":
		if s.parent == nil {
			return s.other
		}
	}
	return nil
}

// top is the ad of the match that the ad is in.
func (s *scope) top() *scope {
	for s.parent != nil {
		s = s.parent
	}
	return s
}

// device returns the scope in which countMatches evaluates its condition for an ad of the list. Unlike in other nested
// ads, plain names are looked up on the other side of the match too.
func (s *scope) device() *scope {
	return &scope{ad: s.ad, parent: s.parent, other: s.top().other}
}
