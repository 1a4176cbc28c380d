package journal

import (
	"bytes"
	"encoding/json"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// readAll returns the numbers that a journal of this text holds.
func readAll(text []byte) (list []int, torn *Torn, err error) {
	torn, err = Read(bytes.NewReader(text), func(entry Entry) error {
		number, err := strconv.Atoi(string(entry.Data))
		list = append(list, number)
		return err
	})
	return list, torn, err
}

// drawWrites returns the texts of writes of one or more entries each, numbered from 1, and how many entries there are
// after each write.
func drawWrites(t *rapid.T) (writes [][]byte, totals []int) {
	total := 0
	for range rapid.IntRange(1, 6).Draw(t, "writes") {
		var entries []Entry
		for range rapid.IntRange(1, 5).Draw(t, "entries") {
			total++
			entries = append(entries, Entry{Kind: "number", Data: json.RawMessage(strconv.Itoa(total))})
		}
		text, err := encode(entries, int64(total-len(entries)+1))
		require.NoError(t, err)
		writes, totals = append(writes, text), append(totals, total)
	}
	return writes, totals
}

func upTo(n int) []int {
	var list []int
	for i := range n {
		list = append(list, i+1)
	}
	return list
}

// A machine dies in a write: any parts of it, in pages, are on the disk. All earlier writes are there, and of the last one
// a prefix of its entries, whole.
func TestPropertyCrashKeepsWhatWasAcknowledged(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		writes, totals := drawWrites(t)
		last := writes[len(writes)-1]
		acknowledged := 0
		if len(totals) > 1 {
			acknowledged = totals[len(totals)-2]
		}
		crashed := bytes.Clone(last[:rapid.IntRange(0, len(last)).Draw(t, "length")])
		page := rapid.IntRange(1, 200).Draw(t, "page")
		for start := 0; start < len(crashed); start += page {
			if rapid.Bool().Draw(t, "lost") {
				clear(crashed[start:min(start+page, len(crashed))])
			}
		}
		text := append(bytes.Join(writes[:len(writes)-1], nil), crashed...)
		got, torn, err := readAll(text)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, len(got), acknowledged)
		assert.Equal(t, upTo(len(got)), got)
		if torn != nil {
			again, none, err := readAll(text[:torn.Offset])
			require.NoError(t, err)
			assert.Nil(t, none)
			assert.Equal(t, got, again)
		}
	})
}

// Any prefix of the file holds a prefix of the entries: all whose lines are whole.
func TestPropertyPrefixOfTheFile(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		writes, _ := drawWrites(t)
		text := bytes.Join(writes, nil)
		text = text[:rapid.IntRange(0, len(text)).Draw(t, "length")]
		got, _, err := readAll(text)
		require.NoError(t, err)
		assert.Equal(t, upTo(bytes.Count(text, []byte("\n"))), got)
	})
}

// A bit that flips in a write that is not the last one is found, always.
func TestPropertyFlippedBitIsFound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		writes, totals := drawWrites(t)
		if len(writes) < 2 {
			t.Skip("one write")
		}
		text := bytes.Join(writes, nil)
		at := rapid.IntRange(0, len(text)-len(writes[len(writes)-1])-1).Draw(t, "at")
		text[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		got, _, err := readAll(text)
		require.ErrorIs(t, err, ErrDamaged)
		assert.Less(t, len(got), totals[len(totals)-2])
	})
}

func FuzzRead(f *testing.F) {
	three, err := encode([]Entry{{Kind: "a", Data: []byte("1")}, {Kind: "b", Data: []byte("2")}, {Kind: "c", Data: []byte("3")}}, 1)
	require.NoError(f, err)
	later, err := encode([]Entry{{Kind: "d", Data: []byte("4")}}, 4)
	require.NoError(f, err)
	for _, seed := range [][]byte{nil, three, three[:50], append(bytes.Clone(three), later...), append([]byte("\n"), later...), later} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var entries []Entry
		torn, err := Read(bytes.NewReader(text), func(entry Entry) error {
			entries = append(entries, entry)
			return nil
		})
		if err != nil {
			require.ErrorIs(t, err, ErrDamaged)
			return
		}
		for i, entry := range entries {
			assert.Equal(t, entries[0].Seq+int64(i), entry.Seq)
		}
		whole := int64(len(text))
		if torn != nil {
			whole = torn.Offset
			assert.Equal(t, int64(len(text)), torn.Offset+torn.Bytes)
		}
		var again []Entry
		torn, err = Read(bytes.NewReader(text[:whole]), func(entry Entry) error {
			again = append(again, entry)
			return nil
		})
		require.NoError(t, err)
		assert.Nil(t, torn)
		assert.Equal(t, entries, again)
	})
}
