package placementtest

import "strings"

// normalUUID puts a UUID into the dashed lower-case form. Dashes, capitals, braces and a urn:uuid: prefix are all optional, as in
// is_uuid_like of the oslo.utils library.
func normalUUID(s string) (string, bool) {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "urn:", ""), "uuid:", "")
	s = strings.ToLower(strings.ReplaceAll(strings.Trim(s, "{}"), "-", ""))
	if len(s) != 32 {
		return "", false
	}
	for i := range len(s) {
		if !isHex(s[i]) {
			return "", false
		}
	}
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:], true
}
