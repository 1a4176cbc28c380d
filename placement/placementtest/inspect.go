package placementtest

// AllocationCount is the number of consumers that hold an allocation.
func (s *Server) AllocationCount() int {
	s.store.RLock()
	defer s.store.RUnlock()
	n := 0
	for _, c := range s.store.consumers {
		if len(c.allocations) > 0 {
			n++
		}
	}
	return n
}

// ProviderCount is the number of resource providers.
func (s *Server) ProviderCount() int {
	s.store.RLock()
	defer s.store.RUnlock()
	return len(s.store.providers)
}

// ConsumerCount is the number of consumer records, those without allocations included: the real service leaves such a record
// behind when a first claim names a provider that does not exist.
func (s *Server) ConsumerCount() int {
	s.store.RLock()
	defer s.store.RUnlock()
	return len(s.store.consumers)
}

// Used is how much of a class of a provider is taken; 0 for a provider or class that does not exist.
func (s *Server) Used(providerUUID, class string) int64 {
	s.store.RLock()
	defer s.store.RUnlock()
	p, ok := s.store.providers[providerUUID]
	if !ok {
		return 0
	}
	return p.used[class]
}
