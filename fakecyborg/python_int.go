package fakecyborg

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// integerText is what Python's int() takes for a number in base 10.
var integerText = regexp.MustCompile(`^\s*[+-]?[0-9]+(_[0-9]+)*\s*$`)

// maxDigits is how many digits int() takes from text, since Python 3.11.
const maxDigits = 4300

// pythonInt is Python's int(v), cut to what 64 bits hold. The error is the 500
// that a ValueError, OverflowError or TypeError becomes when nobody catches it.
func pythonInt(v any) (int64, error) {
	switch v := v.(type) {
	case bool:
		if v {
			return 1, nil
		}
		return 0, nil
	case string:
		plain := plainDigits(v)
		if !integerText.MatchString(plain) {
			return 0, broken("invalid literal for int() with base 10: %s", pythonRepr(v))
		}
		number := strings.ReplaceAll(strings.TrimSpace(plain), "_", "")
		if digits := len(strings.TrimLeft(number, "+-")); digits > maxDigits {
			return 0, broken("Exceeds the limit (%d digits) for integer string conversion: value has %d digits; use sys.set_int_max_str_digits() to increase the limit", maxDigits, digits)
		}
		return clampedInt(number), nil
	case json.Number:
		if isInteger(v) {
			return clampedInt(string(v)), nil
		}
		return truncated(v)
	}
	return 0, broken("int() argument must be a string, a bytes-like object or a real number, not '%s'", pythonType(v))
}

// clampedInt reads digits; beyond 64 bits it is the greatest or least number.
func clampedInt(digits string) int64 {
	// The digits were checked: only the range can be wrong, and then ParseInt
	// returns the limit.
	n, _ := strconv.ParseInt(digits, 10, 64)
	return n
}

// truncated is int() of a float. What Go cannot parse is out of the range of
// floats: Python has inf there.
func truncated(n json.Number) (int64, error) {
	f, err := n.Float64()
	switch {
	case err != nil:
		return 0, broken("cannot convert float infinity to integer")
	case f >= math.MaxInt64:
		return math.MaxInt64, nil
	case f <= math.MinInt64:
		return math.MinInt64, nil
	}
	return int64(f), nil
}

// plainDigits puts ASCII in place of the decimal digits and blanks of other scripts,
// which int() takes as well.
func plainDigits(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < utf8.RuneSelf:
			return r
		case unicode.IsSpace(r):
			return ' '
		case !unicode.Is(unicode.Nd, r):
			return r
		}
		zero := r // digits stand in rows of ten, some rows one behind the other
		for unicode.Is(unicode.Nd, zero-1) {
			zero--
		}
		return '0' + (r-zero)%10
	}, text)
}
