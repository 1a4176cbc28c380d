package inventory

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// parser collects functions and what is wrong with lines.
type parser struct {
	file      string
	functions []Function
	// lines are the lines of addresses that were seen.
	lines map[string]int
	errs  []error
}

// maxLine is how long a line may be, in bytes.
const maxLine = 1 << 16

// eachLine calls read for each line, without its end, and then returns all
// errors.
func (p *parser) eachLine(r io.Reader, read func(number int, line string)) error {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, maxLine)
	number := 0
	for scanner.Scan() {
		number++
		read(number, strings.TrimRight(scanner.Text(), " \t\r"))
	}
	if err := scanner.Err(); err != nil {
		return fmt.Errorf("read %s after line %d: %w", p.file, number, err)
	}
	return nil
}

// add takes a function unless its address was there before.
func (p *parser) add(f Function, text string) bool {
	if first, twice := p.lines[f.Address]; twice {
		p.fail(f.Line, text, fmt.Errorf("%w, first in line %d", ErrTwice, first))
		return false
	}
	p.lines[f.Address] = f.Line
	p.functions = append(p.functions, f)
	return true
}

func (p *parser) result(readErr error) ([]Function, error) {
	if err := errors.Join(append(p.errs, readErr)...); err != nil {
		return nil, err
	}
	return p.functions, nil
}
