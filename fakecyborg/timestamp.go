package fakecyborg

import "time"

// The forms of a time on the wire; the zone is always UTC.
const (
	isoForm    = "2006-01-02T15:04:05+00:00"
	isoMicros  = "2006-01-02T15:04:05.000000+00:00"
	pythonForm = "2006-01-02 15:04:05+00:00"
)

// now is the time as a MySQL column keeps it: in whole seconds.
func (s *store) now() time.Time { return s.clock.now().UTC().Truncate(time.Second) }

// isoTime is the usual form; a time that is not set is null.
func isoTime(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := t.Format(isoForm)
	return &text
}

// freshTime is the form of a time that has not been stored yet: Python leaves
// out the microseconds only when they are zero.
func freshTime(t time.Time) string {
	if t.Nanosecond()/int(time.Microsecond) == 0 {
		return t.Format(isoForm)
	}
	return t.Format(isoMicros)
}

// pythonTime is Python's str of a time; one that is not set is the word None.
func pythonTime(t time.Time) string {
	if t.IsZero() {
		return "None"
	}
	return t.Format(pythonForm)
}
