package fault

// Version answers with another microversion in the header than the one that the
// request runs at.
type Version struct {
	// Value is the whole text of the header OpenStack-API-Version; empty leaves
	// the header out.
	Value string `json:"value"`
}

// versionHeader is the header that [Version] changes.
const versionHeader = "OpenStack-API-Version"

// Kind is "version".
func (Version) Kind() string { return "version" }

// Check wants a text that can be a header.
func (v Version) Check() error {
	for _, r := range v.Value {
		if r < ' ' || r > '~' {
			return wrong("value", v.Value, "want printable ASCII")
		}
	}
	return nil
}

// Meet changes the header of the answer.
func (v Version) Meet(x Exchange) Reply {
	reply := x.Proceed()
	delete(reply.Header, versionHeader)
	if v.Value != "" {
		reply.Header[versionHeader] = []string{v.Value}
	}
	return reply
}
