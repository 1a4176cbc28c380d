package placementtest

// incomplete is the project and the user of a consumer that was written before the API asked for them (1.8).
const incomplete = "00000000-0000-0000-0000-000000000000"

// consumer is whoever has allocations. Mirrors placement/objects/consumer.py Consumer.
type consumer struct {
	uuid          string
	project, user string
	// kind is the consumer type, empty when none was ever given.
	kind        string
	generation  int64
	allocations map[*provider]map[string]int64
}

// claim is what a write asks for one consumer.
type claim struct {
	uuid          string
	project, user string
	kind          string
	// generation is what the caller believes it to be; hasGeneration is false for null.
	generation    int64
	hasGeneration bool
	allocations   map[string]map[string]int64
}

// ensureConsumer finds the record of a claim's consumer, or makes one, after comparing generations (from 1.28 on). Mirrors
// ensure_consumer of placement/handlers/util.py.
func (s *store) ensureConsumer(c claim, minor int) (found *consumer, created bool, f *fault) {
	found = s.consumers[c.uuid]
	if minor >= 28 {
		if f := checkGeneration(found, c); f != nil {
			return nil, false, f
		}
	}
	if found != nil {
		return found, false, nil
	}
	found = &consumer{uuid: c.uuid, project: c.project, user: c.user, kind: c.kind}
	s.consumers[c.uuid] = found
	return found, true, nil
}

// checkGeneration compares the generation of a claim with the one of the record, which may not exist.
func checkGeneration(found *consumer, c claim) *fault {
	switch {
	case found == nil && c.hasGeneration:
		return conflict("consumer generation conflict - expected null but got %d", c.generation).with(codeConcurrentUpdate)
	case found != nil && !c.hasGeneration:
		return conflict("consumer generation conflict - expected %d but got None", found.generation).with(codeConcurrentUpdate)
	case found != nil && c.generation != found.generation:
		return conflict("consumer generation conflict - expected %d but got %d", found.generation, c.generation).
			with(codeConcurrentUpdate)
	}
	return nil
}

// ensureConsumers does so for all claims of a write: when one is refused, no record is left behind.
func (s *store) ensureConsumers(claims []claim, minor int) (all, created []*consumer, f *fault) {
	for _, c := range claims {
		found, fresh, f := s.ensureConsumer(c, minor)
		if f != nil {
			s.dropConsumers(created)
			return nil, nil, f
		}
		if fresh {
			created = append(created, found)
		}
		all = append(all, found)
	}
	return all, created, nil
}

// dropConsumers deletes records.
func (s *store) dropConsumers(consumers []*consumer) {
	for _, c := range consumers {
		delete(s.consumers, c.uuid)
	}
}

// unknownType is how a consumer without a type shows.
const unknownType = "unknown"

// typeName is the consumer's type as the API shows it.
func (c *consumer) typeName() string {
	if c.kind == "" {
		return unknownType
	}
	return c.kind
}
