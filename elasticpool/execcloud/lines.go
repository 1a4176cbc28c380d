package execcloud

import (
	"bufio"
	"errors"
	"io"
)

// errLongLine says that a line was too long and has been skipped.
var errLongLine = errors.New("line is too long")

// lineReader reads lines of a bounded length.
type lineReader struct {
	in  *bufio.Reader
	max int
}

func newLineReader(in io.Reader, limit int) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(in, 64<<10), max: limit}
}

// next returns the next line without its end. It returns errLongLine for a line that is longer than may be, whose rest it
// has skipped then; reading may go on. A last line without an end is no line: its writer died in the middle of it.
func (r *lineReader) next() ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := r.in.ReadSlice('\n')
		if !long {
			line = append(line, part...)
			long = len(line) > r.max+1 // its end is not counted
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return nil, err
		case long:
			return nil, errLongLine
		}
		return line[:len(line)-1], nil
	}
}
