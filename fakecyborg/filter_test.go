package fakecyborg_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Filters of devices and deployables: what has an effect, and in which order the
// rows come.
func TestFilters(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	const fpga, fake, gpu = "0x8086", "0xABCD", "10de"
	for _, test := range []struct {
		query string
		want  []string
		text  string
	}{
		{query: "", want: []string{fpga, fake, gpu}},
		{query: "hostname=rack1", want: []string{fake, fpga}},
		{query: "filters.field=sort_dir&filters.value=asc", want: []string{fpga, fake, gpu}},
		{query: "filters.field=sort_dir&filters.value=desc", want: []string{gpu, fake, fpga}},
		{query: "filters.field=sort_key&filters.value=vendor", want: []string{gpu, fake, fpga}},
		{query: "filters.field=sort_key&filters.value=type", want: []string{gpu, fake, fpga}},
		{query: "filters.field=sort_key&filters.value=hostname", want: []string{gpu, fake, fpga}},
		{query: "filters.field=sort_key&filters.value=model", want: []string{gpu, fpga, fake}},
		{query: "filters.field=limit&filters.value=1", want: []string{gpu}},
		{query: "filters.field=limit&filters.value=0"},
		{query: "filters.field=name&filters.value=none", want: []string{gpu, fake, fpga}},
		{query: "filters.field=sort_key&filters.value=colour", text: `The sort_key value "colour" is an invalid field for sorting`},
		{query: "filters.field=sort_dir&filters.value=up", text: "Unknown sort direction, must be one of: asc-nullsfirst, asc-nullslast, desc-nullsfirst, desc-nullslast"},
		{query: "filters.field=limit&filters.value=-1", text: `(pymysql.err.ProgrammingError) (1064, "You have an error in your SQL syntax near '-1'")`},
		{query: "filters.field=limit&filters.value=x", text: "invalid literal for int() with base 10: 'x'"},
	} {
		t.Run(test.query, func(t *testing.T) {
			t.Parallel()
			got := c.call(t, "GET", "/v2/devices?"+test.query, "")
			if test.text != "" {
				assert.Equal(t, test.text, got.faultString(t))
				return
			}
			assert.Equal(t, test.want, valuesOf(got.body, "vendor"))
		})
	}
	assert.Equal(t, []string{fakeName}, valuesOf(c.call(t, "GET", "/v2/deployables?filters.field=name&filters.value="+fakeName, "").body, "name"))
	assert.Equal(t, []string{gpuName, fakeName, fpgaName}, valuesOf(c.call(t, "GET", "/v2/deployables?filters.field=sort_key&filters.value=name", "").body, "name"))
	assert.Equal(t, []string{fakeName, fpgaName, gpuName}, valuesOf(c.call(t, "GET", "/v2/deployables?filters.field=sort_key&filters.value=num_accelerators", "").body, "name"))
}

// valuesOf are the texts of all members of that name, in order.
func valuesOf(body, name string) []string {
	var values []string
	for {
		_, after, found := strings.Cut(body, `"`+name+`": "`)
		if !found {
			return values
		}
		value, rest, _ := strings.Cut(after, `"`)
		values, body = append(values, value), rest
	}
}
