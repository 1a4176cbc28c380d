package classad

// Kind is the type of a value.
type Kind int

// The kinds of values that the ClassAd language has. Absolute and relative times are left out.
const (
	KindUndefined Kind = iota // the attribute is missing, or something depends on a missing one
	KindError                 // the expression has no value, for example a division by zero
	KindBoolean
	KindInteger
	KindReal
	KindString
	KindList
	KindAd // a nested ad, written in brackets
)

// String returns the kind's name as error messages use it.
func (k Kind) String() string {
	names := [...]string{"undefined", "error", "boolean", "integer", "real", "string", "list", "ad"}
	if k < 0 || int(k) >= len(names) {
		return "unknown"
	}
	return names[k]
}
