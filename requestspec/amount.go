package requestspec

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Both kinds of bad amounts. Nova skips what is not a number (a Python ValueError) and fails on what cannot be
// converted at all (TypeError and OverflowError).
var (
	errNotNumber      = errors.New("not an integer")
	errNotConvertible = errors.New("not a number at all")
)

// amount is an integer of any size: n, or wide when it does not fit.
type amount struct {
	n    int64
	wide *big.Int
}

func amountOf(n int) amount { return amount{n: int64(n)} }

func bigAmount(v *big.Int) amount {
	if v.IsInt64() {
		return amount{n: v.Int64()}
	}
	return amount{wide: v}
}

// sign returns -1, 0 or 1.
func (a amount) sign() int {
	if a.wide != nil {
		return a.wide.Sign()
	}
	switch {
	case a.n < 0:
		return -1
	case a.n > 0:
		return 1
	}
	return 0
}

// above tells whether the amount is greater than a limit.
func (a amount) above(limit int64) bool {
	if a.wide != nil {
		return a.wide.Sign() > 0
	}
	return a.n > limit
}

func (a amount) String() string {
	if a.wide != nil {
		return a.wide.String()
	}
	return strconv.FormatInt(a.n, 10)
}

// saturated returns the amount, cut to the int64 range.
func (a amount) saturated() int64 {
	switch {
	case a.wide == nil:
		return a.n
	case a.wide.Sign() < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}

func (a amount) big() *big.Int {
	if a.wide != nil {
		return a.wide
	}
	return big.NewInt(a.n)
}

// ParseAmount converts a JSON value to an integer as Nova does, which is as Python's int() does: texts are read as
// integers, with white space around, a sign and underscores between digits; numbers with a fraction are cut towards
// zero; true is 1 and false 0. Numbers must be json.Number, int, int64 or float64. The error wraps [ErrAmount].
func ParseAmount(value any) (*big.Int, error) {
	n, err := parseAmount(value)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAmount, err)
	}
	return n.big(), nil
}

// parseAmount converts a JSON value as Python's int() does: texts are read as integers, numbers with a fraction are
// cut towards zero, true is 1 and false 0.
func parseAmount(value any) (amount, error) {
	switch v := value.(type) {
	case string:
		return parseInt(v)
	case json.Number:
		return parseNumber(string(v))
	case bool:
		if v {
			return amountOf(1), nil
		}
		return amountOf(0), nil
	case int:
		return amountOf(v), nil
	case int64:
		return amount{n: v}, nil
	case float64:
		return floatAmount(v)
	}
	return amount{}, fmt.Errorf("%w: JSON %s", errNotConvertible, jsonKind(value))
}

// parseNumber converts a JSON number as Python's json module and int() do: with a point or an exponent it is a
// 64-bit float.
func parseNumber(text string) (amount, error) {
	if !strings.ContainsAny(text, ".eE") {
		return parseInt(text)
	}
	// Out of range gives an infinity, which floatAmount refuses.
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(f, 0) {
		return amount{}, errNotNumber
	}
	return floatAmount(f)
}

func floatAmount(f float64) (amount, error) {
	switch {
	case math.IsNaN(f):
		return amount{}, errNotNumber
	case math.IsInf(f, 0):
		return amount{}, fmt.Errorf("%w: out of range", errNotConvertible)
	}
	v, _ := big.NewFloat(f).Int(nil)
	return bigAmount(v), nil
}

// jsonKind names what a JSON value is.
func jsonKind(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case []any:
		return "list"
	case map[string]any:
		return "object"
	}
	return fmt.Sprintf("%T", value)
}

// isInexact reports whether parseAmount would cut the value, or take a truth value for a number.
func isInexact(value any) bool {
	switch v := value.(type) {
	case bool:
		return true
	case json.Number:
		f, err := strconv.ParseFloat(string(v), 64)
		return err == nil && f != math.Trunc(f)
	case float64:
		return v != math.Trunc(v)
	}
	return false
}
