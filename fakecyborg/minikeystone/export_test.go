package minikeystone

// LimitTokens makes the server forget tokens sooner.
func (s *Server) LimitTokens(limit int) { s.tokens.limit = limit }
