package condor

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// ad is one ClassAd as a tool's -json prints it.
type ad map[string]any

// eachAd reads a list of ads one by one. Nothing at all is the empty list, which is how HTCondor prints it; anything
// that is not a whole list is an error. use must not keep the ad.
func eachAd(from io.Reader, use func(ad) error) error {
	decoder := json.NewDecoder(bufio.NewReaderSize(from, 1<<16))
	decoder.UseNumber()
	start, err := decoder.Token()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil || start != json.Delim('[') {
		return errors.New("it is no JSON list")
	}
	found := ad{}
	for n := 1; decoder.More(); n++ {
		clear(found)
		if err := decoder.Decode(&found); err != nil {
			return fmt.Errorf("ad %d: %w", n, whole(err))
		}
		if found == nil {
			return fmt.Errorf("ad %d: null", n)
		}
		if err := use(found); err != nil {
			return fmt.Errorf("ad %d: %w", n, err)
		}
	}
	if _, err := decoder.Token(); err != nil {
		return fmt.Errorf("end of the list: %w", whole(err))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more after the list")
	}
	return nil
}

// whole says that a document that stops early is cut off: io.EOF alone would read like its end.
func whole(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// get returns an attribute; the case of its name does not matter to HTCondor.
func (a ad) get(name string) any {
	if value, ok := a[name]; ok {
		return value
	}
	for other, value := range a {
		if strings.EqualFold(other, name) {
			return value
		}
	}
	return nil
}

// text returns a string attribute; expressions are none.
func (a ad) text(name string) string {
	text, _ := a.get(name).(string)
	if strings.HasPrefix(text, "/Expr(") {
		return ""
	}
	return text
}

// number returns a number, rounded up; it is false for everything else.
func (a ad) number(name string) (int64, bool) {
	digits, ok := a.get(name).(json.Number)
	if !ok {
		return 0, false
	}
	if n, err := digits.Int64(); err == nil {
		return n, true
	}
	f, err := digits.Float64()
	return roundUp(f), err == nil
}

// integer returns a number, or 0.
func (a ad) integer(name string) int64 {
	n, _ := a.number(name)
	return n
}

// truth returns a boolean attribute.
func (a ad) truth(name string) bool {
	is, _ := a.get(name).(bool)
	return is
}

// roundUp returns the least integer that is not below f, within what int64 holds.
func roundUp(f float64) int64 {
	switch f = math.Ceil(f); {
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	case math.IsNaN(f):
		return 0
	}
	return int64(f)
}
