package elasticpool

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
)

// decisionLog is a file of JSON lines: a head with policy and state, then input and decision of each cycle. Its methods
// do nothing on nil.
type decisionLog struct {
	path  string
	limit int64

	file   *os.File // nil: not open
	size   int64
	headed bool // the controller that decides goes on from the last head
}

// logLine is a line of a decision log: a head, or a cycle.
type logLine struct {
	Policy   *Policy   `json:"policy,omitempty"`
	State    *State    `json:"state,omitempty"`
	Input    *Input    `json:"input,omitempty"`
	Decision *Decision `json:"decision,omitempty"`
}

// begin opens the log for a decision of a controller that has a state, with a new head where one is needed.
func (l *decisionLog) begin(policy Policy, state State) error {
	if l == nil {
		return nil
	}
	if l.size > l.limit {
		if err := errors.Join(l.Close(), os.Rename(l.path, l.path+".1")); err != nil {
			return err
		}
	}
	if l.file == nil {
		if err := l.openFile(); err != nil {
			return err
		}
	}
	if l.headed {
		return nil
	}
	if err := l.put(logLine{Policy: &policy, State: &state}); err != nil {
		return err
	}
	l.headed = true
	return nil
}

// write writes a cycle. Without a head it is left out.
func (l *decisionLog) write(in Input, decision Decision) error {
	if l == nil || !l.headed {
		return nil
	}
	return l.put(logLine{Input: &in, Decision: &decision})
}

// restart says that the controller is another one now.
func (l *decisionLog) restart() {
	if l != nil {
		l.headed = false
	}
}

// put writes a line. After an error the file is opened anew, with a head.
func (l *decisionLog) put(line logLine) error {
	text, err := json.Marshal(line)
	if err == nil {
		_, err = l.file.Write(append(text, '\n'))
		l.size += int64(len(text)) + 1
	}
	if err != nil {
		return errors.Join(err, l.Close())
	}
	return nil
}

// openFile opens the file, and cuts off a line that a crash left without an end.
func (l *decisionLog) openFile() error {
	file, err := os.OpenFile(l.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	l.size, err = endOfLines(file)
	if err == nil {
		err = file.Truncate(l.size)
	}
	if err == nil {
		_, err = file.Seek(l.size, io.SeekStart)
	}
	if err != nil {
		return errors.Join(err, file.Close())
	}
	l.file, l.headed = file, false
	return nil
}

// endOfLines returns where the last line feed of a file ends.
func endOfLines(file *os.File) (int64, error) {
	end, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, err
	}
	part := make([]byte, 1<<16)
	for end > 0 {
		start := max(0, end-int64(len(part)))
		text := part[:end-start]
		if _, err := file.ReadAt(text, start); err != nil {
			return 0, err
		}
		if at := bytes.LastIndexByte(text, '\n'); at >= 0 {
			return start + int64(at) + 1, nil
		}
		end = start
	}
	return 0, nil
}

// Close closes the file.
func (l *decisionLog) Close() error {
	if l == nil || l.file == nil {
		return nil
	}
	file := l.file
	l.file, l.headed, l.size = nil, false, 0
	return file.Close()
}
