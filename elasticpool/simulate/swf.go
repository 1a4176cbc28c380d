package simulate

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

// SWFRecord is a line of a trace in the Standard Workload Format 2.2, in its order of fields. -1 is unknown.
type SWFRecord struct {
	Number        int64
	Submit        float64 // seconds after the start of the log
	Wait          float64 // seconds
	Runtime       float64 // seconds
	Procs         int64   // allocated
	CPUTime       float64 // seconds, average of all processors
	Memory        float64 // KiB used per processor
	WantedProcs   int64
	WantedTime    float64 // seconds
	WantedMemory  float64 // KiB per processor
	Status        int64   // 1 completed, 0 failed, 5 cancelled; 2, 3 and 4 are parts of jobs
	User          int64
	Group         int64
	Executable    int64
	Queue         int64
	Partition     int64
	PrecedingJob  int64
	ThinkTime     float64 // seconds after PrecedingJob
	lineOfTheFile int
}

const swfFields = 18

// ErrTrace is what every error of a trace wraps.
var ErrTrace = errors.New("invalid trace")

// SWFReader reads a trace in the Standard Workload Format one job at a time.
type SWFReader struct {
	name   string
	lines  *bufio.Scanner
	line   int
	header map[string]string
}

// longestLine is of an SWF file; comments in the Archive's logs are below 1 KiB.
const longestLine = 1 << 20

// NewSWFReader returns a reader; name is for its errors.
func NewSWFReader(r io.Reader, name string) *SWFReader {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 4096), longestLine)
	return &SWFReader{name: name, lines: lines, header: map[string]string{}}
}

// Header returns what the comments read so far say under that name, such as MaxProcs; the first one counts.
func (r *SWFReader) Header(name string) string { return r.header[name] }

// Next returns the next job, or io.EOF.
func (r *SWFReader) Next() (SWFRecord, error) {
	for r.lines.Scan() {
		r.line++
		line := strings.TrimSpace(r.lines.Text())
		switch {
		case line == "":
		case line[0] == ';':
			r.comment(line)
		default:
			return r.record(line)
		}
	}
	if err := r.lines.Err(); err != nil {
		return SWFRecord{}, fmt.Errorf("%w: %s:%d: %w", ErrTrace, r.name, r.line+1, err)
	}
	return SWFRecord{}, io.EOF
}

// comment notes a "; Name: value" line.
func (r *SWFReader) comment(line string) {
	name, value, ok := strings.Cut(strings.TrimLeft(line, "; \t"), ":")
	if _, have := r.header[name]; ok && !have {
		r.header[name] = strings.TrimSpace(value)
	}
}

func (r *SWFReader) record(line string) (SWFRecord, error) {
	fields := strings.Fields(line)
	if len(fields) != swfFields {
		return SWFRecord{}, fmt.Errorf("%w: %s:%d: %d fields, a job has %d", ErrTrace, r.name, r.line, len(fields), swfFields)
	}
	rec := SWFRecord{lineOfTheFile: r.line}
	for i, target := range rec.targets() {
		if err := setField(target, fields[i]); err != nil {
			return SWFRecord{}, fmt.Errorf("%w: %s:%d: field %d is %q, %w", ErrTrace, r.name, r.line, i+1, fields[i], err)
		}
	}
	return rec, nil
}

// targets returns pointers to the fields in their order.
func (rec *SWFRecord) targets() [swfFields]any {
	return [swfFields]any{
		&rec.Number, &rec.Submit, &rec.Wait, &rec.Runtime, &rec.Procs, &rec.CPUTime, &rec.Memory, &rec.WantedProcs,
		&rec.WantedTime, &rec.WantedMemory, &rec.Status, &rec.User, &rec.Group, &rec.Executable, &rec.Queue,
		&rec.Partition, &rec.PrecedingJob, &rec.ThinkTime,
	}
}

var (
	errNotInteger = errors.New("it must be an integer")
	errNotNumber  = errors.New("it must be a number from -1 to 1e12")
)

const largestField = 1e12

func setField(target any, text string) error {
	switch field := target.(type) {
	case *int64:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < -1 || n > largestField {
			return errNotInteger
		}
		*field = n
	case *float64:
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(x) || x < -1 || x > largestField {
			return errNotNumber
		}
		*field = x
	}
	return nil
}

// seconds returns a number of seconds as a duration, held within what one can be.
func seconds(s float64) time.Duration {
	const most = float64(math.MaxInt64/int64(time.Second)) / 2
	return time.Duration(min(s, most) * float64(time.Second)).Round(time.Second)
}
