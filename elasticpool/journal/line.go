package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
)

// Entry is one entry of a journal.
type Entry struct {
	Seq  int64           `json:"seq"` // from 1, without gaps within a file
	Kind string          `json:"kind"`
	Data json.RawMessage `json:"data"`
}

// line is an entry as it is in the file, within an envelope with its checksum.
type line struct {
	Entry
	// Batch is the Seq of the first entry of the write that this one came with: all before it had been acknowledged.
	Batch int64 `json:"batch"`
}

// The envelope is fixed text, so that the checksum is over bytes and not over what JSON makes of them.
const (
	envelopeSum   = `{"sum":"`
	envelopeEntry = `","entry":`
	envelopeEnd   = `}`
	sumDigits     = 8
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// appendLine appends the text of a line, with its line feed.
func appendLine(text []byte, l line) ([]byte, error) {
	entry, err := json.Marshal(l)
	if err != nil {
		return text, err
	}
	text = fmt.Appendf(text, "%s%08x%s", envelopeSum, crc32.Checksum(entry, castagnoli), envelopeEntry)
	text = append(text, entry...)
	return append(text, envelopeEnd+"\n"...), nil
}

// parseLine reads what appendLine wrote.
func parseLine(text []byte) (line, error) {
	text, whole := bytes.CutSuffix(text, []byte(envelopeEnd+"\n"))
	rest, begins := bytes.CutPrefix(text, []byte(envelopeSum))
	if !whole || !begins || len(rest) < sumDigits {
		return line{}, errors.New("it is not a whole line")
	}
	entry, ok := bytes.CutPrefix(rest[sumDigits:], []byte(envelopeEntry))
	if sum := fmt.Sprintf("%08x", crc32.Checksum(entry, castagnoli)); !ok || sum != string(rest[:sumDigits]) {
		return line{}, errors.New("its checksum is wrong")
	}
	var l line
	if err := json.Unmarshal(entry, &l); err != nil {
		return line{}, err
	}
	if l.Batch < 1 || l.Seq < l.Batch {
		return line{}, fmt.Errorf("sequence number %d in a write that begins with %d", l.Seq, l.Batch)
	}
	return l, nil
}

// parseEnd reads the line at the end of a text that is no line: the line feed before it is damaged.
func parseEnd(text []byte) (line, error) {
	start := bytes.LastIndex(text, []byte(envelopeSum))
	return parseLine(text[max(start, 0):])
}
