package requestspec

import (
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxDigits is how many digits Python converts before it refuses (sys.int_info.default_max_str_digits).
const maxDigits = 4300

// asciiSpace is what Python's C locale counts as white space around a number.
const asciiSpace = " \t\n\v\f\r"

// parseInt reads a text as Python's int() does: white space around, one sign, decimal digits of any script, and
// single underscores between digits.
func parseInt(text string) (amount, error) {
	digits := strings.Trim(asciiDigits(text), asciiSpace)
	negative := strings.HasPrefix(digits, "-")
	if negative || strings.HasPrefix(digits, "+") {
		digits = digits[1:]
	}
	digits, ok := joinDigits(digits)
	if !ok {
		return amount{}, errNotNumber
	}
	if negative {
		digits = "-" + digits
	}
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
		return amount{n: n}, nil
	}
	v, _ := new(big.Int).SetString(digits, 10)
	return bigAmount(v), nil
}

// joinDigits removes the underscores between digits; it reports whether the rest is 1 to maxDigits digits.
func joinDigits(text string) (string, bool) {
	if text == "" || text[0] == '_' || text[len(text)-1] == '_' || strings.Contains(text, "__") {
		return "", false
	}
	digits := strings.ReplaceAll(text, "_", "")
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return "", false
		}
	}
	return digits, len(digits) <= maxDigits
}

// asciiDigits replaces decimal digits of other scripts by ASCII ones and other white space by blanks. It mirrors
// what CPython does (Objects/unicodeobject.c:_PyUnicode_TransformDecimalAndSpaceToASCII).
func asciiDigits(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < utf8.RuneSelf:
			return r
		case unicode.IsSpace(r):
			return ' '
		}
		return decimalDigit(r)
	}, text)
}

// decimalDigit returns the ASCII digit of a decimal digit, and '?' of any other character. Unicode's table of decimal
// digits is made of runs from 0 to 9.
func decimalDigit(r rune) rune {
	for _, run := range unicode.Nd.R16 {
		if digit, ok := digitOf(r, uint32(run.Lo), uint32(run.Hi)); ok {
			return digit
		}
	}
	for _, run := range unicode.Nd.R32 {
		if digit, ok := digitOf(r, run.Lo, run.Hi); ok {
			return digit
		}
	}
	return '?'
}

func digitOf(r rune, lo, hi uint32) (rune, bool) {
	place, length := int64(r)-int64(lo), int64(hi)-int64(lo)
	if place < 0 || place > length {
		return 0, false
	}
	return rune("0123456789"[place%10]), true
}
