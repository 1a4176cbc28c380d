package classad

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, want string
	}{
		{``, `column 1: no ClassAd expression: found the end, expected an operand`},
		{`JobStatus ==`, `column 13: no ClassAd expression: found the end, expected an operand`},
		{`A = 1`, `column 3: no ClassAd expression: found "=", expected an operator or the end`},
		{`(1 + 2`, `column 7: no ClassAd expression: found the end, expected )`},
		{`f(1,)`, `column 5: no ClassAd expression: found ")", expected an operand`},
		{`{1 2}`, `column 4: no ClassAd expression: found "2", expected }`},
		{`a[1`, `column 4: no ClassAd expression: found the end, expected ]`},
		{`a ? b`, `column 6: no ClassAd expression: found the end, expected :`},
		{`N.true`, `column 3: no ClassAd expression: found "true", expected an attribute name`},
		{`[1 = 2]`, `column 2: no ClassAd expression: found "1", expected an attribute name or ]`},
		{`[a 2]`, `column 4: no ClassAd expression: found "2", expected =`},
		{`[a = 2, b = 3]`, `column 7: no ClassAd expression: found ",", expected ; or ]`},
		{`"abc`, `column 1: no ClassAd expression: found "\"abc", expected the quote to be closed`},
		{`"a\0"`, `column 3: no ClassAd expression: found "\\0", expected no zero byte in a string`},
		{`1 + @`, `column 5: no ClassAd expression: found "@", expected an operand or operator`},
		{`0x1F`, `column 1: no ClassAd expression: found "0x", expected a decimal number without leading zeros`},
		{`1 + 010`, `column 5: no ClassAd expression: found "010", expected a decimal number without leading zeros`},
		{`5.`, `column 1: no ClassAd expression: found "5.", expected a digit after the point`},
		{`5e+`, `column 1: no ClassAd expression: found "5e+", expected a digit in the exponent`},
		{`9223372036854775808`, `column 1: no ClassAd expression: found "9223372036854775808", expected an integer of 64 bits`},
		{`1 /* x`, `column 3: no ClassAd expression: found "/*", expected the comment to be closed by */`},
		{"1 \x00", `column 3: no ClassAd expression: found "\x00", expected an operand or operator`},
	} {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			_, err := Parse(tt.text)
			require.EqualError(t, err, tt.want)
			require.ErrorIs(t, err, ErrSyntax)
			var fault *Error
			require.ErrorAs(t, err, &fault)
			assert.NotErrorIs(t, err, ErrTooLarge)
		})
	}
}

func TestParseLimits(t *testing.T) {
	t.Parallel()
	nested := func(open, inner, closing string, n int) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(closing, n)
	}
	for name, text := range map[string]string{
		"parentheses": nested("(", "1", ")", 1_000),
		"lists":       nested("{", "1", "}", 1_000),
		"ads":         nested("[a=", "1", "]", 1_000),
		"calls":       nested("f(", "1", ")", 1_000),
		"signs":       nested("!", "1", "", 1_000),
		"conditions":  nested("1?1:", "1", "", 1_000),
		"subscripts":  nested("a[", "1", "]", 1_000),
		"length":      nested("1+", "1", "", 40_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse(text)
			require.ErrorIs(t, err, ErrTooLarge)
			assert.NotErrorIs(t, err, ErrSyntax)
		})
	}
	for name, text := range map[string]string{
		"parentheses": nested("(", "1", ")", 150),
		"chain":       nested("1+", "1", "", 4_000),
	} {
		t.Run("within "+name, func(t *testing.T) {
			t.Parallel()
			e, err := Parse(text)
			require.NoError(t, err)
			assert.Equal(t, KindInteger, e.Eval(Ad{}, Ad{}).Kind())
		})
	}
}

// TestString shows the text of an expression: HTCondor's but for blanks before unary operators.
func TestString(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`A=?=1&&!B`:                 `A is 1 && !B`,
		`a=!=undefined`:             `a isnt undefined`,
		`TRUE||False`:               `true || false`,
		`7.0`:                       `7.000000000000000E+00`,
		`0.1`:                       `1.000000000000000E-01`,
		`123456789.123456789`:       `1.2345678912345679E+08`,
		`-0.0`:                      `-0.0`,
		`1e999`:                     `real("INF")`,
		`-1e999`:                    `real("-INF")`,
		`"a\tb\"c" 'd'`:             ``,
		`"a\tb\"c"`:                 `"a\tb\"c"`,
		`"a" "b"`:                   `"ab"`,
		`'a b'.'true' + 'plain'`:    `'a b'.'true' + plain`,
		`f( a ,1 )[ 0 ].b`:          `f(a,1)[0].b`,
		`{ }`:                       `{  }`,
		`{1,{2}}`:                   `{ 1,{ 2 } }`,
		`[b=1;A=2;b=3]`:             `[ A = 2; b = 3 ]`,
		`[]`:                        `[  ]`,
		`a?b:c?d:e`:                 `a ? b : c ? d : e`,
		`a?:b`:                      `a ?: b`,
		`- 5`:                       `- 5`,
		`-5`:                        `-5`,
		`- -5`:                      `--5`,
		`1--1`:                      `1 - -1`,
		`3 .x`:                      `3 .x`,
		`.A`:                        `.A`,
		`((1))`:                     `((1))`,
		`1 // one`:                  `1`,
		`MY . a`:                    `MY.a`,
		"\"\\101\\303\\251\\7\"":    `"A\303\251\a"`,
		`a<<1>>2>>>3`:               `a << 1 >> 2 >>> 3`,
		`~1|2^3&4`:                  `~1 | 2 ^ 3 & 4`,
		`'it''s'`:                   `its`,
		`'it\'s'`:                   `'it\'s'`,
		`ifThenElse (true,"a",'b')`: `ifThenElse(true,"a",b)`,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			e, err := Parse(text)
			if want == "" {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, want, e.String())
			again, err := Parse(want)
			require.NoError(t, err)
			assert.True(t, e.Equal(again))
		})
	}
}

// TestGrouping compares expressions with what their parts say when they are put into parentheses by hand.
func TestGrouping(t *testing.T) {
	t.Parallel()
	for text, grouped := range map[string]string{
		`1 + 2 * 3`:                      `1 + (2 * 3)`,
		`10 - 4 - 3`:                     `(10 - 4) - 3`,
		`100 / 7 % 4`:                    `(100 / 7) % 4`,
		`1 << 2 + 1`:                     `1 << (2 + 1)`,
		`5 > 3 == true`:                  `(5 > 3) == true`,
		`6 & 3 ^ 5 | 8`:                  `((6 & 3) ^ 5) | 8`,
		`true || true && false`:          `true || (true && false)`,
		`false && true ? 1 : 2`:          `(false && true) ? 1 : 2`,
		`false ? 1 : false ? 2 : 3`:      `false ? 1 : (false ? 2 : 3)`,
		`undefined ?: undefined ?: 4`:    `undefined ?: (undefined ?: 4)`,
		`!false && false`:                `(!false) && false`,
		`-2 * 3`:                         `(-2) * 3`,
		`{1,2}[1] + 1`:                   `({1,2}[1]) + 1`,
		`1 is 1 is true`:                 `(1 is 1) is true`,
		`undefined is undefined && true`: `(undefined is undefined) && true`,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, evaluated(grouped, Ad{}, Ad{}), evaluated(text, Ad{}, Ad{}))
		})
	}
}

func TestUnknown(t *testing.T) {
	t.Parallel()
	e, err := Parse(`Time() > 5 && [x = {random(size("a"))}].x[0] == -(a ? b ?: time() : 1) && split("a").b is 1`)
	require.NoError(t, err)
	assert.Equal(t, []string{"random", "split", "time"}, e.Unknown())
	assert.Equal(t, Failed(), e.Eval(Ad{}, Ad{}))
}

func TestUnwrap(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, want string
		ok         bool
	}{
		{`/Expr(1 + (2 % 4))/`, `1 + (2 % 4)`, true},
		{`/Expr()/`, ``, true},
		{`/Expr(1`, ``, false},
		{`Expr(1)`, ``, false},
		{`/Expr)/`, ``, false},
		{``, ``, false},
		{`group_juno`, ``, false},
	} {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			got, ok := Unwrap(tt.text)
			assert.Equal(t, tt.ok, ok)
			if ok {
				assert.Equal(t, tt.want, got)
			}
		})
	}
}
