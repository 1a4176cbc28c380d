package virtdriver_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/beevik/etree"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// refusedCases are the recorded cases where Nova 2026.2 starts a guest and
// Compose refuses, with the reason; docs/hostdev-cases.md says more.
var refusedCases = map[string]error{
	"hd-0001": virtdriver.ErrBadField,     // function "0x 1"
	"hd-0002": virtdriver.ErrAddressTwice, // two ARQs, one function
	"hd-0013": virtdriver.ErrBadField,     // slot 0x20 (and a container cannot take it)
	"hd-0016": virtdriver.ErrBadField,     // domain "0X4", of which Nova makes 0x0X4
	"hd-0018": virtdriver.ErrHandleType,   // type "PCI " is unknown, Nova skips it
	"hd-0019": virtdriver.ErrNoHandle,     // an ARQ that is not bound, Nova skips it
	"hd-0021": virtdriver.ErrHandleType,   // type GPU is unknown, Nova skips it
	"hd-0022": virtdriver.ErrBadField,     // domain "0x"
	"hd-0023": virtdriver.ErrBadField,     // empty function
	"hd-0026": virtdriver.ErrBadField,     // a quote in the function
	"hd-0027": virtdriver.ErrNoHandle,     // as hd-0019
	"hd-0029": virtdriver.ErrBadField,     // function " 1"
	"hd-0031": virtdriver.ErrBadField,     // empty device
	"hd-0032": virtdriver.ErrBadField,     // function 8
}

type hostdevCase struct {
	ID    string
	Input struct {
		VirtType string `json:"virt_type"`
		ARQs     []json.RawMessage
	}
	Expected struct {
		Devices []string
		Error   string
	} `json:"expected_2026_2"`
}

func TestRecordedCases(t *testing.T) {
	t.Parallel()
	lines := bufio.NewScanner(bytes.NewReader(readFile(t, "testdata/hostdev-cases.jsonl")))
	cases := 0
	for lines.Scan() {
		cases++
		var c hostdevCase
		require.NoError(t, json.Unmarshal(lines.Bytes(), &c))
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			c.check(t)
		})
	}
	require.NoError(t, lines.Err())
	assert.Equal(t, 40, cases)
}

func (c hostdevCase) check(t *testing.T) {
	t.Helper()
	arqs, err := c.arqs()
	if err != nil {
		assert.Equal(t, "bad_field", c.Expected.Error, "the client refuses it already: %v", err)
		return
	}
	xml := "<domain type='" + c.Input.VirtType + "'><devices/></domain>"
	got, err := virtdriver.Compose([]byte(xml), arqs)
	refused, special := refusedCases[c.ID]
	switch {
	case special:
		require.ErrorIs(t, err, refused)
	case c.Expected.Error == "missing_field" && arqs[0].AttachHandle.Type == "":
		require.ErrorIs(t, err, virtdriver.ErrNoHandle)
	case c.Expected.Error == "missing_field":
		require.ErrorIs(t, err, virtdriver.ErrMissingField)
	case c.Expected.Error == "bad_field":
		require.ErrorIs(t, err, virtdriver.ErrBadField)
	default:
		require.NoError(t, err)
		want := "<devices>" + strings.Join(c.Expected.Devices, "") + "</devices>"
		assert.Equal(t, facts(t, want, "/devices"), facts(t, string(got.XML), "/domain/devices"))
	}
}

func (c hostdevCase) arqs() ([]cyborgclient.ARQ, error) {
	arqs := make([]cyborgclient.ARQ, len(c.Input.ARQs))
	for i, raw := range c.Input.ARQs {
		if err := json.Unmarshal(raw, &arqs[i]); err != nil {
			return nil, err
		}
	}
	return arqs, nil
}

// facts lists the elements below a path in order, with their attributes sorted
// and hexadecimal numbers by value.
func facts(t *testing.T, xml, path string) []string {
	t.Helper()
	doc := etree.NewDocument()
	require.NoError(t, doc.ReadFromString(xml))
	var list []string
	for _, element := range doc.FindElement(path).FindElements(".//*") {
		var attrs []string
		for _, attr := range element.Attr {
			value := attr.Value
			if digits, ok := strings.CutPrefix(value, "0x"); ok {
				n, err := strconv.ParseUint(digits, 16, 64)
				require.NoError(t, err)
				value = strconv.FormatUint(n, 16)
			}
			attrs = append(attrs, attr.Key+"="+value)
		}
		slices.Sort(attrs)
		list = append(list, element.GetPath()[len(path):]+" "+strings.Join(attrs, " "))
	}
	return list
}
