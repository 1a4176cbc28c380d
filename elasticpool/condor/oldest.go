package condor

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
)

// ages tells since when the oldest job of a group waits. The schedd lists a group's jobs in the order in which they
// came, so it is asked for the first one only, and only once.
func (s *schedd) ages(ctx context.Context, found *tally) error {
	var unknown []string
	for _, id := range found.first {
		if _, ok := s.queued[id]; !ok && id != "" {
			unknown = append(unknown, id)
		}
	}
	slices.Sort(unknown)
	known := map[string]int64{}
	for some := range slices.Chunk(unknown, 500) { // a command line has an end
		if err := s.submitted(ctx, some, known); err != nil {
			return err
		}
	}
	for key, id := range found.first {
		at, ok := known[id]
		if !ok {
			at = s.queued[id]
		}
		known[id] = at
		found.aged(found.groups[key], at)
	}
	s.queued = known
	return nil
}

// submitted asks when some jobs were submitted. Jobs that have gone meanwhile are not in the answer.
func (s *schedd) submitted(ctx context.Context, ids []string, at map[string]int64) error {
	terms := make([]string, len(ids))
	for i, id := range ids {
		cluster, process := splitID(id)
		terms[i] = fmt.Sprintf("ClusterId == %d && ProcId == %d", cluster, process)
	}
	c := s.query("ages", "-constraint", strings.Join(terms, " || "), "-attributes", "ClusterId,ProcId,QDate", "-json")
	c.read = func(output io.Reader) error {
		return eachAd(output, func(a ad) error {
			at[jobID(a.integer("ClusterId"), a.integer("ProcId"))] = a.integer("QDate")
			return nil
		})
	}
	return s.pool.run(ctx, c)
}
