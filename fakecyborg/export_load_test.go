package fakecyborg

// HideRows takes the accelerator requests out of the list that walks over them
// all; what finds them by an index still does.
func (s *Server) HideRows() {
	s.store.arqs.first = nil
}
