package journal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// Torn is the end of a journal that a crash cut short. Nothing in it had been acknowledged.
type Torn struct {
	Line   int   // its first, from 1
	Offset int64 // where it begins
	Bytes  int64 // how long it is
	Reason string
}

// Read gives every entry to replay, in order, and stops with the error that replay returns. It changes nothing, so it can
// read what another process is writing. Torn is nil if the last line is whole. The error is a [DamageError] if
// something was acknowledged after what cannot be read.
func Read(r io.Reader, replay func(Entry) error) (*Torn, error) {
	in := reader{replay: replay, lines: bufio.NewReaderSize(r, 1<<16)}
	for {
		text, err := in.lines.ReadBytes('\n')
		if len(text) > 0 {
			if err := in.take(text); err != nil {
				return nil, err
			}
		}
		if errors.Is(err, io.EOF) {
			return in.end(), nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// reader is how far a journal has been read.
type reader struct {
	lines  *bufio.Reader
	replay func(Entry) error
	line   int
	offset int64 // of the next line
	last   int64 // sequence number
	torn   *Torn
}

// take takes one line.
func (in *reader) take(text []byte) error {
	in.line++
	start := in.offset
	in.offset += int64(len(text))
	l, err := parseLine(text)
	if err == nil && in.torn == nil && (l.Seq == in.last+1 || in.line == 1) {
		in.last = l.Seq
		return in.replay(l.Entry)
	}
	if in.torn == nil {
		in.torn = &Torn{Line: in.line, Offset: start, Reason: in.reason(l, err)}
	}
	if err != nil {
		l, err = parseEnd(text)
	}
	if err == nil && !in.together(l) {
		return &DamageError{Line: in.torn.Line, Offset: in.torn.Offset, Reason: in.torn.Reason}
	}
	return nil
}

func (in *reader) reason(l line, err error) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("sequence number %d follows %d", l.Seq, in.last)
}

// together says whether a good line that comes after a bad one was in the same write. A disk may have got the later part
// of a write and not the earlier one; then none of it was acknowledged.
func (in *reader) together(l line) bool { return l.Batch <= in.last+1 && in.last+1 < l.Seq }

func (in *reader) end() *Torn {
	if in.torn != nil {
		in.torn.Bytes = in.offset - in.torn.Offset
	}
	return in.torn
}
