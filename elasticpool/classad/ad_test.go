package classad

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAd(t *testing.T) {
	t.Parallel()
	var ad Ad
	assert.Empty(t, ad.Names())
	assert.Equal(t, Undefined(), ad.Eval("Cpus", Ad{}))
	_, ok := ad.Lookup("Cpus")
	assert.False(t, ok)

	ad.Set("Memory", Int(2048))
	ad.Set("arch", Text("X86_64"))
	ad.Set("Cpus", Int(1))
	ad.Set("CPUS", Int(8))
	setText(t, &ad, "Weight", "cpus * 2")
	ad.Set("odd name", Bool(true))
	assert.Equal(t, []string{"arch", "CPUS", "Memory", "odd name", "Weight"}, ad.Names())
	assert.Equal(t, Int(16), ad.Eval("wEIGHT", Ad{}))
	assert.Equal(t, `[ arch = "X86_64"; CPUS = 8; Memory = 2048; 'odd name' = true; Weight = cpus * 2 ]`, ad.String())

	e, err := Parse(ad.String())
	require.NoError(t, err)
	same, ok := e.Eval(Ad{}, Ad{}).Ad()
	require.True(t, ok)
	assert.Empty(t, cmp.Diff(ad, same))
	same.Set("Cpus", Int(9))
	assert.False(t, ad.Equal(same))
}

// TestAccessors shows what each accessor returns for each type.
func TestAccessors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		value              Value
		kind               Kind
		text               string
		isBool, isInt      bool
		isNumber, isText   bool
		isList, isNestedAd bool
	}{
		{value: Value{}, kind: KindUndefined, text: "undefined"},
		{value: Failed(), kind: KindError, text: "error"},
		{value: Bool(true), kind: KindBoolean, text: "true", isBool: true},
		{value: Int(-3), kind: KindInteger, text: "-3", isInt: true, isNumber: true},
		{value: Real(2048), kind: KindReal, text: "2.048000000000000E+03", isInt: true, isNumber: true},
		{value: Real(0.5), kind: KindReal, text: "5.000000000000000E-01", isNumber: true},
		{value: Real(1e19), kind: KindReal, text: "1.000000000000000E+19", isNumber: true},
		{value: Real(math.NaN()), kind: KindReal, text: `real("NaN")`, isNumber: true},
		{value: Text("a\x00b"), kind: KindString, text: `"a"`, isText: true},
		{value: List(Int(1), List()), kind: KindList, text: "{ 1,{  } }", isList: true},
		{value: Nested(Ad{}), kind: KindAd, text: "[  ]", isNestedAd: true},
	} {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.kind, tt.value.Kind())
			assert.Equal(t, tt.text, tt.value.String())
			_, isBool := tt.value.Bool()
			i, isInt := tt.value.Int()
			f, isNumber := tt.value.Number()
			_, isText := tt.value.Text()
			_, isList := tt.value.List()
			_, isAd := tt.value.Ad()
			assert.Equal(t, []bool{tt.isBool, tt.isInt, tt.isNumber, tt.isText, tt.isList, tt.isNestedAd},
				[]bool{isBool, isInt, isNumber, isText, isList, isAd})
			if !isInt {
				assert.Zero(t, i)
			}
			if !isNumber {
				assert.Zero(t, f)
			}
			assert.True(t, tt.value.Equal(tt.value))
		})
	}
	assert.False(t, Int(1).Equal(Real(1)))
	assert.Equal(t, "unknown", Kind(99).String())
	assert.Equal(t, "ad", KindAd.String())
}

// TestListsOfResults shows that lists and ads of a result can be looked into after the evaluation.
func TestListsOfResults(t *testing.T) {
	t.Parallel()
	var my, target Ad
	setText(t, &my, "Name", `"mine"`)
	setText(t, &target, "Devices", "{ First, [ Id = 2 ], Nothing, Name }")
	setText(t, &target, "First", "[ Id = 1; Of = Parent.Label ]")
	setText(t, &target, "Label", `"slot"`)
	e, err := Parse("TARGET.Devices")
	require.NoError(t, err)
	values, ok := e.Eval(my, target).List()
	require.True(t, ok)
	require.Len(t, values, 4)
	first, ok := values[0].Ad()
	require.True(t, ok)
	assert.Equal(t, Int(1), first.Eval("id", Ad{}))
	assert.Equal(t, []Kind{KindAd, KindAd, KindUndefined, KindString},
		[]Kind{values[0].Kind(), values[1].Kind(), values[2].Kind(), values[3].Kind()})

	of, err := Parse("TARGET.Devices[0].Of")
	require.NoError(t, err)
	assert.Equal(t, Text("slot"), of.Eval(my, target))
}

// TestListElementsWhereUsed shows a habit of HTCondor: the names in a list are looked up where the list is used.
func TestListElementsWhereUsed(t *testing.T) {
	t.Parallel()
	var my, target Ad
	setText(t, &my, "Gpu1", "[ Capability = 1.0 ]")
	setText(t, &my, "Want", "Capability >= 7")
	setText(t, &target, "Gpu1", "[ Capability = 8.0 ]")
	setText(t, &target, "Gpus", "{ Gpu1 }")
	e, err := Parse("countMatches(MY.Want,TARGET.Gpus)")
	require.NoError(t, err)
	assert.Equal(t, Int(0), e.Eval(my, target))
}

func TestJSON(t *testing.T) {
	t.Parallel()
	const text = `{"Bool":true,"Exp":1e3,"Expr":"\/Expr(1 + (2 % 4))\/","GPU":{"Id":"GPU-01"},` +
		`"Ids":["\/Expr(GPU)\/",1,2.0,null],"Int":-5,"Null":null,"Real":0.0,"Text":"a \"b\" \/Expr"}`
	var ad Ad
	require.NoError(t, json.Unmarshal([]byte(text), &ad))
	assert.Equal(t, `[ Bool = true; Exp = 1.000000000000000E+03; Expr = 1 + (2 % 4); GPU = [ Id = "GPU-01" ]; `+
		`Ids = { GPU,1,2.000000000000000E+00,undefined }; Int = -5; Null = undefined; Real = 0.0; `+
		`Text = "a \"b\" /Expr" ]`, ad.String())
	assert.Equal(t, Int(3), ad.Eval("expr", Ad{}))

	for name, value := range map[string]Value{
		"Infinite": Real(math.Inf(1)), "Failed": Failed(), "Looks": Text("/Expr(x)/"), "Small": Real(1e-9),
		"Whole": Real(3), "List": List(Text("a"), Nested(Ad{})),
	} {
		ad.Set(name, value)
	}
	data, err := json.Marshal(ad)
	require.NoError(t, err)
	var again Ad
	require.NoError(t, json.Unmarshal(data, &again))
	for _, name := range ad.Names() {
		assert.Equal(t, ad.Eval(name, Ad{}).String(), again.Eval(name, Ad{}).String(), name)
	}
	assert.Contains(t, string(data), `"Looks":"/Expr(\"/Expr(x)/\")/"`)
	assert.Contains(t, string(data), `"Whole":3.0`)
}

func TestJSONErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text, want string
		is               error
	}{
		{"no object", `[1]`, `cannot unmarshal array`, nil},
		{"expression", `{"Requirements":"/Expr(a b)/"}`, `attribute "Requirements": column 3: `, ErrSyntax},
		{"element", `{"A":{"B":[1,"/Expr()/"]}}`, `attribute "A": attribute "B": element 1: column 1: `, ErrSyntax},
		{"integer", `{"A":9223372036854775808}`, `attribute "A": `, nil},
		{"zero byte", `{"A\u0000":1}`, `zero byte in the name`, ErrSyntax},
		{"depth", `{"A":` + nest(1_000) + `}`, `expression is too large`, ErrTooLarge},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ad := Ad{}
			err := json.Unmarshal([]byte(tt.text), &ad)
			require.ErrorContains(t, err, tt.want)
			if tt.is != nil {
				require.ErrorIs(t, err, tt.is)
			}
			assert.Empty(t, ad.Names(), "nothing is read")
		})
	}
}

func nest(n int) string {
	text := make([]byte, 0, 2*n)
	for range n {
		text = append(text, '[')
	}
	for range n {
		text = append(text, ']')
	}
	return string(text)
}
