package classad

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// anyTree draws the text of an expression, with names that may or may not be attributes of someAd.
func anyTree() *rapid.Generator[string] {
	leaf := rapid.OneOf(
		rapid.Map(rapid.Int64(), func(i int64) string { return Int(i).String() }),
		rapid.Map(rapid.Float64(), func(f float64) string { return Real(f).String() }),
		rapid.Map(rapid.String(), func(s string) string { return Text(s).String() }),
		rapid.SampledFrom([]string{"true", "false", "undefined", "error", "A", "b", "MY.A", "TARGET.A", "Loop", "D[0]", "{}", "[]"}),
	)
	binaries := make([]string, 0, len(operators))
	for _, op := range operators {
		if op.binds > 0 {
			binaries = append(binaries, op.text)
		}
	}
	names := make([]string, 0, len(functions))
	for name := range functions {
		names = append(names, name)
	}
	var tree func(depth int) *rapid.Generator[string]
	tree = func(depth int) *rapid.Generator[string] {
		if depth == 0 {
			return leaf
		}
		return rapid.Custom(func(t *rapid.T) string {
			part := func(name string) string { return tree(depth-1).Draw(t, name) }
			switch rapid.IntRange(0, 8).Draw(t, "form") {
			case 0:
				return rapid.SampledFrom([]string{"!", "-", "+", "~"}).Draw(t, "sign") + part("operand")
			case 1, 2, 3:
				return part("left") + " " + rapid.SampledFrom(binaries).Draw(t, "operator") + " " + part("right")
			case 4:
				return "(" + part("inner") + ")"
			case 5:
				return "(" + part("test") + ") ? " + part("then") + " : " + part("otherwise")
			case 6:
				return "{" + part("first") + "," + part("second") + "}"
			case 7:
				return "[a = " + part("a") + "; B = " + part("b") + "]"
			default:
				some := rapid.SliceOfN(tree(depth-1), 0, 3).Draw(t, "arguments")
				return rapid.SampledFrom(names).Draw(t, "function") + "(" + strings.Join(some, ",") + ")"
			}
		})
	}
	return tree(3)
}

func someAd(tb testing.TB) Ad {
	tb.Helper()
	e, err := Parse(`[A = 1; B = "x"; C = A + TARGET.A; D = {A, [A = 5]}; Loop = TARGET.Loop]`)
	require.NoError(tb, err)
	ad, ok := e.Eval(Ad{}, Ad{}).Ad()
	require.True(tb, ok)
	return ad
}

// TestRoundTrips draws expressions: their text is parsed to the same expression, in JSON too, with the same value.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	ad := someAd(t)
	rapid.Check(t, func(t *rapid.T) {
		e, err := Parse(anyTree().Draw(t, "expression"))
		require.NoError(t, err)
		again, err := Parse(e.String())
		require.NoError(t, err, e.String())
		require.Equal(t, e.String(), again.String())
		require.True(t, e.Eval(ad, ad).Equal(again.Eval(ad, ad)), e.String())

		var with, read Ad
		with.SetExpr("E", e)
		data, err := json.Marshal(with)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, &read))
		require.True(t, with.Eval("E", ad).Equal(read.Eval("E", ad)), string(data))
	})
}

// TestLaws draws operands of all types and checks laws of the language on them.
func TestLaws(t *testing.T) {
	t.Parallel()
	ad := someAd(t)
	eval := func(t *rapid.T, text string) string {
		e, err := Parse(text)
		require.NoError(t, err)
		return e.Eval(ad, ad).String()
	}
	rapid.Check(t, func(t *rapid.T) {
		x, y := "("+anyTree().Draw(t, "x")+")", "("+anyTree().Draw(t, "y")+")"
		p := rapid.SampledFrom(truths[:3]).Draw(t, "p")
		q := rapid.SampledFrom(truths[:3]).Draw(t, "q")
		same := func(left, right string) {
			require.Equal(t, eval(t, left), eval(t, right), "%s and %s", left, right)
		}
		same("!(!"+p+")", p)
		same("!("+p+" && "+q+")", "!"+p+" || !"+q)
		same("!("+p+" || "+q+")", "!"+p+" && !"+q)
		same(p+" && "+q, q+" && "+p)
		same(p+" || "+q, q+" || "+p)
		same("!!("+x+" && "+y+")", x+" && "+y)
		same("!("+x+" < "+y+")", "("+x+" < "+y+") ? false : true")
		same(x+" =?= "+y, y+" =?= "+x)
		same("!("+x+" =?= "+y+")", x+" =!= "+y)
		same("isUndefined("+x+")", x+" =?= undefined")
		same(x+" > "+y, y+" < "+x)
		same(x+" == "+y, y+" == "+x)
		same("ifThenElse("+x+","+y+",1)", x+" ? "+y+" : 1")
		same(x+" ?: "+y, "ifThenElse(isUndefined("+x+"),"+y+","+x+")")
		same("max({"+x+","+y+"})", "max({"+y+","+x+"})")
		same("member("+x+",{})", "member("+x+",{}) && true")
	})
}

// TestIdenticalIsTotal checks that =?= has an answer for all values that are no lists or ads.
func TestIdenticalIsTotal(t *testing.T) {
	t.Parallel()
	ad := someAd(t)
	rapid.Check(t, func(t *rapid.T) {
		x, y := anyTree().Draw(t, "x"), anyTree().Draw(t, "y")
		left, err := Parse(x)
		require.NoError(t, err)
		r := &run{}
		kind := r.root(left.root, match(ad, ad)).kind
		e, err := Parse("(" + x + ") =?= (" + y + ")")
		require.NoError(t, err)
		if got := e.Eval(ad, ad); !r.failed && kind != KindList && kind != KindAd && got.kind != KindBoolean {
			right, err := Parse(y)
			require.NoError(t, err)
			other := &run{}
			other.root(right.root, match(ad, ad))
			require.True(t, other.failed, e.String())
		}
	})
}

// TestIntegersAsInGo compares integer arithmetic and comparison with Go's.
func TestIntegersAsInGo(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64().Draw(t, "a"), rapid.Int64().Draw(t, "b")
		assert.Equal(t, Int(a+b), operate(opAdd, Int(a), Int(b)))
		assert.Equal(t, Int(a-b), operate(opSubtract, Int(a), Int(b)))
		assert.Equal(t, Int(a*b), operate(opMultiply, Int(a), Int(b)))
		assert.Equal(t, Bool(a < b), operate(opLess, Int(a), Int(b)))
		assert.Equal(t, Bool(a == b), operate(opEqual, Int(a), Int(b)))
		if quotient, rest := operate(opDivide, Int(a), Int(b)), operate(opModulus, Int(a), Int(b)); b == 0 {
			assert.Equal(t, []Value{Failed(), Failed()}, []Value{quotient, rest})
		} else if b != -1 {
			assert.Equal(t, Int(a), operate(opAdd, operate(opMultiply, quotient, Int(b)), rest))
		}
	})
}
