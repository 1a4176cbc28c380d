package placementtest

import "net/http"

// The handlers of usages mirror placement/handlers/usage.py.

func getProviderUsages(s *Server, r *request) (*reply, *fault) {
	p, f := s.store.lookup(r.item("uuid"))
	if f != nil {
		return nil, f
	}
	usages := make(map[string]int64, len(p.inventories))
	for class := range p.inventories {
		usages[class] = p.used[class]
	}
	return jsonReply(http.StatusOK, object{"resource_provider_generation": p.generation, "usages": usages}), nil
}

// getUsages sums what a project, or one user of it, has: over all from 1.9 on, by consumer type from 1.38 on.
func getUsages(s *Server, r *request) (*reply, *fault) {
	if f := r.query.check(usagesSchema(r.version.minor)); f != nil {
		return nil, f
	}
	project, _ := r.query.last("project_id")
	user, _ := r.query.last("user_id")
	kind, _ := r.query.last("consumer_type")
	if !r.atLeast(38) {
		kind = everyType
	}
	byType := s.store.usages(project, user, kind)
	if r.atLeast(38) {
		return jsonReply(http.StatusOK, object{"usages": byType}), nil
	}
	total := byType[everyType]
	delete(total, consumerCount)
	if total == nil {
		total = make(map[string]int64)
	}
	return jsonReply(http.StatusOK, object{"usages": total}), nil
}

const (
	// everyType sums all consumer types under one key.
	everyType = "all"
	// consumerCount stands between the classes and says how many consumers there are.
	consumerCount = "consumer_count"
)

// usages sums allocations by consumer type. Mirrors _get_by_consumer_type of placement/objects/usage.py.
func (s *store) usages(project, user, kind string) map[string]map[string]int64 {
	out := make(map[string]map[string]int64)
	for _, c := range s.consumers {
		if len(c.allocations) == 0 || c.project != project || user != "" && c.user != user {
			continue
		}
		key := c.typeName()
		switch kind {
		case everyType:
			key = everyType
		case "", key:
		default:
			continue
		}
		if out[key] == nil {
			out[key] = make(map[string]int64)
		}
		out[key][consumerCount]++
		for _, classes := range c.allocations {
			for class, amount := range classes {
				out[key][class] += amount
			}
		}
	}
	return out
}
