package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"strings"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// codes are the code words of virtdriver's errors.
var codes = []struct {
	err  error
	code string
}{
	{virtdriver.ErrMissingField, codeMissing},
	{virtdriver.ErrBadField, codeBadField},
	{virtdriver.ErrAddressTwice, "duplicate_address"},
	{virtdriver.ErrHandleType, "handle_type"},
	{virtdriver.ErrNoHandle, "no_handle"},
	{virtdriver.ErrVirtType, "virt_type"},
}

func code(err error) string {
	for _, c := range codes {
		if errors.Is(err, c.err) {
			return c.code
		}
	}
	return "refused"
}

// ours answers what virtdriver makes of the handles.
func ours(c hostdevCase) (answer, error) {
	arqs := make([]cyborgclient.ARQ, len(c.ARQs))
	for i, raw := range c.ARQs {
		if _, err := field(raw, "attach_handle_type"); err != nil {
			return answer{}, err
		}
		if err := json.Unmarshal(raw, &arqs[i]); err != nil {
			return answer{}, refusal{codeBadField, fmt.Sprintf("ARQ %d: %v", i, err)}
		}
	}
	var virtType bytes.Buffer
	if err := xml.EscapeText(&virtType, []byte(c.VirtType)); err != nil {
		return answer{}, err
	}
	plugged, err := virtdriver.HotPlug([]byte("<domain type='"+virtType.String()+"'><devices/></domain>"), arqs)
	if err != nil {
		return answer{}, err
	}
	var a answer
	for _, f := range plugged {
		var b strings.Builder
		for line := range strings.Lines(f.XML) {
			b.WriteString(strings.TrimSpace(line))
		}
		a.Devices = append(a.Devices, b.String())
		if m := f.Mediated; m != nil {
			a.Mediated = append(a.Mediated, createdMdev{m.Parent, m.Type, m.UUID})
		}
	}
	return a, nil
}
