package cyborgclient

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// HandleType says how a device is attached to an instance.
type HandleType string

// The types (openstack/cyborg: cyborg/common/constants.py, ATTACH_HANDLE_TYPES
// as far as drivers use them). "" is the type of an ARQ that is not Bound.
const (
	HandlePCI     HandleType = "PCI"
	HandleMDEV    HandleType = "MDEV"
	HandleTestPCI HandleType = "TEST_PCI" // the fake driver's: no device behind it
)

// AttachHandle is the device that an ARQ got.
type AttachHandle struct {
	Type HandleType
	// UUID is also the uuid of the mediated device for MDEV.
	UUID string
	// Info holds domain, bus, device and function as hexadecimal strings
	// without 0x, and more for some types: physical_network for network cards,
	// asked_type and vgpu_mark for MDEV. Cyborg's values are strings; numbers
	// of other sources are json.Number.
	Info map[string]any
}

// handleInfo reads numbers as they stand, not as floating-point numbers.
type handleInfo map[string]any

// UnmarshalJSON implements json.Unmarshaler.
func (i *handleInfo) UnmarshalJSON(data []byte) error {
	if texts, ok := plainTexts(string(data)); ok { // what Cyborg sends
		*i = texts
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	return decoder.Decode((*map[string]any)(i))
}

// plainTexts reads a JSON object whose values are strings, without any escape:
// cut at its quotes it has punctuation and texts by turns.
func plainTexts(object string) (texts map[string]any, ok bool) {
	parts := strings.Split(object, `"`)
	if len(parts) < 5 || len(parts)%4 != 1 || strings.Contains(object, `\`) || !utf8.ValidString(object) {
		return nil, false
	}
	texts = make(map[string]any, len(parts)/4)
	before := "{"
	for ; len(parts) > 1; parts = parts[4:] {
		if strings.TrimSpace(parts[0]) != before || strings.TrimSpace(parts[2]) != ":" {
			return nil, false
		}
		texts[parts[1]] = parts[3]
		before = ","
	}
	return texts, strings.TrimSpace(parts[0]) == "}"
}
