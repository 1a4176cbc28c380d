package opennebula

import (
	"encoding/xml"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func response(value string) string {
	return xml.Header + "<methodResponse><params><param>" + value + "</param></params></methodResponse>"
}

func TestDecode(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, value string
		want        any
	}{
		{"string", "<value><string>a &amp; b&#10;</string></value>", "a & b\n"},
		{"no type", "<value> a </value>", " a "},
		{"empty", "<value/>", ""},
		{"cdata", "<value><string><![CDATA[<x>]]></string></value>", "<x>"},
		{"numbers", "<value><array><data><value><i4>-1</i4></value> <value><int> 2 </int></value>\n<value><i8>9223372036854775807</i8></value></data></array></value>", []any{int64(-1), int64(2), int64(1<<63 - 1)}},
		{"booleans", "<value><array><data><value><boolean>1</boolean></value><value><boolean>0</boolean></value></data></array></value>", []any{true, false}},
		{"struct", "<value><struct><member><name>a</name><value><array><data/></array></value></member></struct></value>", map[string]any{"a": []any{}}},
		{"comment", "<!-- x --><value><!-- y --><string>a</string></value>", "a"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := decodeResponse(strings.NewReader(response(test.value)))
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
		})
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("<value><array><data>", 1000)
	for _, test := range []struct{ name, text, want string }{
		{"nothing", "", "unexpected EOF"},
		{"cut", response("<value><string>abc")[:80], "unexpected EOF"},
		{"other root", "<html/>", "element html where methodResponse must be"},
		{"neither", "<methodResponse><x/></methodResponse>", "element x where params or fault must be"},
		{"no value", response("<x/>"), "element x where value must be"},
		{"number", response("<value><i4>1.5</i4></value>"), "invalid syntax"},
		{"too large", response("<value><i8>9223372036854775808</i8></value>"), "out of range"},
		{"boolean", response("<value><boolean>yes</boolean></value>"), `boolean "yes"`},
		{"type", response("<value><double>1</double></value>"), `type "double" is not known`},
		{"two", response("<value><i4>1</i4><i4>2</i4></value>"), "where none may be"},
		{"text beside", response("<value>x<i4>1</i4></value>"), "text beside an element"},
		{"element in text", response("<value><string><b/></string></value>"), "element b inside text"},
		{"depth", response(deep), "more than 16 levels"},
		{"document type", `<!DOCTYPE x>` + response("<value/>"), "document type"},
		{"entity", `<!DOCTYPE x [<!ENTITY e "eeee">]>` + response("<value>&e;</value>"), "document type"},
		{"entity alone", response("<value>&e;</value>"), "invalid character entity"},
		{"fault", "<methodResponse><fault><value><struct><member><name>faultCode</name><value><i4>-506</i4></value></member><member><name>faultString</name><value>no</value></member></struct></value></fault></methodResponse>", "fault -506: no"},
		{"poor fault", "<methodResponse><fault><value>x</value></fault></methodResponse>", "a fault without code and text"},
		{"array", response("<value><array><data><x/></data></array></value>"), "element x in an array"},
		{"struct", response("<value><struct><x/></struct></value>"), "element x in a struct"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := decodeResponse(strings.NewReader(test.text))
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestEncode(t *testing.T) {
	t.Parallel()
	got, err := encodeCall("one.x", "a<&\"", -3, true, false)
	require.NoError(t, err)
	assert.Equal(t, xml.Header+"<methodCall><methodName>one.x</methodName><params>"+
		"<param><value><string>a&lt;&amp;&#34;</string></value></param><param><value><i4>-3</i4></value></param>"+
		"<param><value><boolean>1</boolean></value></param><param><value><boolean>0</boolean></value></param></params></methodCall>", string(got))
	_, err = encodeCall("one.x", 1.5)
	require.ErrorContains(t, err, "argument 0 of one.x is a float64")
}

// What is written in OpenNebula's own language ends where its lexer ends it: at the first quote, and there is none inside.
func TestTextTemplatesKeepValues(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		written, err := writeText([]element{single("A", text), vector("B", []element{single("C", text), single("D", "")})})
		if strings.ContainsAny(text, "\"\\\n\r") || strings.Contains(text, "]]>") {
			require.Error(t, err)
			return
		}
		require.NoError(t, err)
		require.Equal(t, `A = "`+text+"\"\nB = [ C = \""+text+"\", D = \"\" ]\n", written)
	})
}

func FuzzDecodeResponse(f *testing.F) {
	f.Add(textAnswer("<VM_POOL><VM><ID>1</ID></VM></VM_POOL>"))
	f.Add(errorAnswer(0x200, "no"))
	f.Add(faultAnswer(-500, "x"))
	f.Add(response("<value><struct><member><name>a</name><value>b</value></member></struct></value>"))
	f.Add(`<!DOCTYPE a [<!ENTITY b "c">]><methodResponse>&b;`)
	c := &client{auth: login}
	f.Fuzz(func(t *testing.T, text string) {
		value, err := decodeResponse(strings.NewReader(text))
		if err == nil {
			require.LessOrEqual(t, depth(value), maxDepth)
			_, _ = c.result("x", value)
		}
		var found vm
		if parseXML("VM", text, &found) == nil {
			_, _ = found.server("farm", time.Now())
			_ = found.takes()
		}
	})
}

func depth(value any) int {
	most := 0
	switch value := value.(type) {
	case []any:
		for _, one := range value {
			most = max(most, depth(one))
		}
	case map[string]any:
		for _, one := range value {
			most = max(most, depth(one))
		}
	default:
		return 1
	}
	return most + 1
}

// BenchmarkServers measures a list of a thousand VMs.
func BenchmarkServers(b *testing.B) {
	o := newOned(b)
	for i := range 1000 {
		o.vms = append(o.vms, &fakeVM{id: i, uid: 5, state: 3, lcm: 3, cpu: "2", memory: "2048", user: fmt.Sprintf("<ELASTICPOOL_POOL>farm</ELASTICPOOL_POOL><ELASTICPOOL_VM>%d</ELASTICPOOL_VM>", i)})
	}
	cloud := o.cloud(WithPageSize(2000))
	for b.Loop() {
		list, _, err := cloud.Servers(b.Context(), "farm")
		if err != nil || len(list) != 1000 {
			b.Fatal(len(list), err)
		}
	}
}
