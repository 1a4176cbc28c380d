package quota

import (
	"strings"
	"time"
)

// reply answers one stripped line. last tells that the connection is to be closed after it.
func (s *Server) reply(line []byte) (answer []byte, last bool) {
	req, array, err := parseRequest(line)
	if tokenErr := s.authorize(req.Token); tokenErr != nil {
		err, last = tokenErr, true
	}
	var response Response
	if err == nil {
		response, err = s.respond(time.Now(), req.Request)
	}
	response.ResID = strings.ToUpper(req.ResID)
	if err != nil {
		response.Error = err.Error()
	}
	answer, err = response.encode(array)
	return answer, last || err != nil
}

// respond does what a well-formed request asks for.
func (s *Server) respond(now time.Time, req Request) (Response, error) {
	switch {
	case req.Want > 0:
		lease, a, err := s.ledger.Ask(now, req.ResID, req.Class, req.Want, time.Duration(req.TTL)*time.Second)
		r := responseOf(a)
		if r.Lease = lease.ID; lease.ID != "" {
			r.TTL = int(lease.Expires.Sub(now) / time.Second)
		}
		return r, err
	case req.Release != Release{}:
		releaseErr := s.release(now, req)
		a, err := s.ledger.Query(req.ResID)
		if releaseErr != nil {
			err = releaseErr
		}
		return responseOf(a), err
	default:
		a, err := s.ledger.Query(req.ResID)
		return responseOf(a), err
	}
}

// release gives back what the request names.
func (s *Server) release(now time.Time, req Request) error {
	var err error
	if req.Release.Lease != "" {
		_, err = s.ledger.Release(now, req.ResID, req.Release.Lease)
	} else {
		_, err = s.ledger.ReleaseUnits(now, req.ResID, req.Release.Units)
	}
	return err
}

func responseOf(a Answer) Response {
	return Response{Min: a.Min, Available: a.Available, Max: a.Max, Used: a.Used, Fair: a.Fair}
}
