package fakecyborg_test

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
)

// fixedVersions have the security fixes of 2026-04.
var fixedVersions = []string{"14.1.0", "15.0.1", "16.0.1", "17.0.0"}

// bareVersions understand only microversions without the service's name.
var bareVersions = []string{"10.1.0", "12.0.0", "13.0.0", "14.0.0", "14.1.0", "15.0.0", "15.0.1", "16.0.0", "16.0.1"}

// observation is what one field of Release changes: what clients see, and the
// versions at which they see it. A version has the value of the last change that
// names it.
type observation struct {
	// fields are those that the observation is about.
	fields  []string
	observe func(t *testing.T, release fakecyborg.Release) string
	// first is the value of 3.0.0.
	first   string
	changes []change
}

// change is another value, from a version on, or at some versions only.
type change struct {
	from  string
	at    []string
	value string
}

func (o observation) want(versions []string, at int) string {
	value := o.first
	for _, c := range o.changes {
		if (c.from != "" && at >= slices.Index(versions, c.from)) || slices.Contains(c.at, versions[at]) {
			value = c.value
		}
	}
	return value
}

// Each field of Release changes what clients see, at the releases at which the
// real Cyborg changed it.
func TestReleasesDiffer(t *testing.T) {
	t.Parallel()
	releases := fakecyborg.Releases()
	versions := make([]string, 0, len(releases))
	for _, release := range releases {
		versions = append(versions, release.Version)
	}
	covered := []string{"Series", "Version"}
	for _, o := range slices.Concat(versionObservations, profileObservations, requestObservations, callerObservations) {
		covered = append(covered, o.fields...)
		for at, release := range releases {
			t.Run(strings.Join(o.fields, ",")+"/"+release.Version, func(t *testing.T) {
				t.Parallel()
				assert.Equal(t, o.want(versions, at), o.observe(t, release))
			})
		}
	}
	for field := range reflect.TypeFor[fakecyborg.Release]().Fields() {
		assert.Contains(t, covered, field.Name, "no observation of this field")
	}
}

// Each field makes a difference by itself: some release with another value of it
// is seen to behave otherwise.
func TestEachFieldMakesADifference(t *testing.T) {
	t.Parallel()
	for _, o := range slices.Concat(versionObservations, profileObservations, requestObservations, callerObservations) {
		for _, field := range o.fields {
			t.Run(field, func(t *testing.T) {
				t.Parallel()
				assert.True(t, slices.ContainsFunc(fakecyborg.Releases(), func(release fakecyborg.Release) bool {
					changed := release
					value := reflect.ValueOf(&changed).Elem().FieldByName(field)
					if value.Kind() == reflect.Bool {
						value.SetBool(!value.Bool())
					} else {
						value.SetZero()
					}
					return o.observe(t, changed) != o.observe(t, release)
				}))
			})
		}
	}
}

func releaseClient(t *testing.T, release fakecyborg.Release, options ...fakecyborg.Option) client {
	t.Helper()
	server, err := fakecyborg.New(append([]fakecyborg.Option{fakecyborg.WithSeed(twoHosts()), fakecyborg.WithRelease(release)}, options...)...)
	require.NoError(t, err)
	t.Cleanup(server.Close)
	return clientOf(server)
}

// observing makes an observation of one call without options.
func observing(look func(t *testing.T, c client) string) func(*testing.T, fakecyborg.Release) string {
	return func(t *testing.T, release fakecyborg.Release) string {
		t.Helper()
		return look(t, releaseClient(t, release))
	}
}

// statusOf observes the status of one call.
func statusOf(method, path, body string) func(*testing.T, fakecyborg.Release) string {
	return observing(func(t *testing.T, c client) string {
		t.Helper()
		return strconv.Itoa(c.call(t, method, path, body).status)
	})
}

// latest is the header that asks a release for its highest microversion.
func latest(release fakecyborg.Release) string {
	if release.Microversions == fakecyborg.BareMicroversions {
		return "latest"
	}
	return "accelerator latest"
}

// profileBody is the body of the creation of a profile "new" with one group.
func profileBody(group string) string {
	return `[{"name": "new", "groups": [{` + group + `}]}]`
}

var versionObservations = []observation{
	{
		fields: []string{"Microversions"},
		observe: observing(func(t *testing.T, c client) string {
			t.Helper()
			var seen []string
			for _, header := range []string{"accelerator 9.9", "9.9", "accelerator foo", "accelerator 2"} {
				seen = append(seen, strconv.Itoa(c.call(t, "GET", "/v2/device_profiles", "", "OpenStack-API-Version", header).status))
			}
			return strings.Join(seen, " ")
		}),
		first: "200 200 200 200",
		changes: []change{
			{from: "4.0.0", value: "406 200 200 406"},
			{at: bareVersions, value: "200 406 200 200"},
			{from: "17.0.0", value: "406 406 406 406"},
		},
	},
	{
		fields: []string{"NamedVersionInAnswer"},
		observe: observing(func(t *testing.T, c client) string {
			t.Helper()
			return c.call(t, "GET", "/v2/device_profiles", "").header.Get("OpenStack-API-Version")
		}),
		changes: []change{{from: "4.0.0", value: "2.0"}, {from: "17.0.0", value: "accelerator 2.0"}},
	},
	{
		fields: []string{"MaxMicroversion"},
		observe: observing(func(t *testing.T, c client) string {
			t.Helper()
			_, after, _ := strings.Cut(c.call(t, "GET", "/v2", "").body, `"max_version": "`)
			version, _, _ := strings.Cut(after, `"`)
			return version
		}),
		first:   "2.0",
		changes: []change{{from: "5.0.0", value: "2.1"}, {from: "8.0.0", value: "2.2"}, {from: "11.0.0", value: "2.3"}},
	},
	{
		fields: []string{"RootListsVersions"},
		observe: observing(func(t *testing.T, c client) string {
			t.Helper()
			return strconv.FormatBool(strings.Contains(c.call(t, "GET", "/", "").body, `"default_version"`))
		}),
		first: "false", changes: []change{{from: "4.0.0", value: "true"}},
	},
	{
		fields: []string{"VersionOne"}, observe: statusOf("GET", "/v1", ""),
		first: "200", changes: []change{{from: "4.0.0", value: "404"}},
	},
	{
		fields: []string{"ProxyHeaders"},
		observe: func(t *testing.T, release fakecyborg.Release) string {
			t.Helper()
			c := releaseClient(t, release, fakecyborg.WithProxyHeaders())
			body := c.call(t, "GET", "/v2", "", "X-Forwarded-Proto", "https", "X-Forwarded-Host", "outside").body
			return strconv.FormatBool(strings.Contains(body, "https://outside/"))
		},
		first: "false", changes: []change{{from: "17.0.0", value: "true"}},
	},
	{
		fields: []string{"Inventory"}, observe: statusOf("GET", "/v2/devices", ""),
		first: "404", changes: []change{{from: "4.0.0", value: "200"}},
	},
	{
		fields: []string{"Programming"}, observe: statusOf("PATCH", "/v2/deployables/"+instanceA+"/program", `[]`),
		first: "405", changes: []change{{from: "5.0.0", value: "500"}},
	},
	{
		fields: []string{"Attributes"}, observe: statusOf("GET", "/v2/attributes", ""),
		first: "404", changes: []change{{from: "10.0.0", value: "200"}},
	},
	{
		fields: []string{"AttributeDeletion"}, observe: statusOf("DELETE", "/v2/attributes/"+instanceA, ""),
		first: "405", changes: []change{{from: "10.0.0", value: "500"}, {from: "12.0.0", value: "404"}},
	},
	{
		fields: []string{"DeviceSwitch"}, observe: statusOf("POST", "/v2/devices/"+instanceA+"/disable", ""),
		first: "405", changes: []change{{from: "11.0.0", value: "404"}},
	},
}

var profileObservations = []observation{
	{
		fields: []string{"ProfileDescription", "TypedProfiles"},
		observe: observing(func(t *testing.T, c client) string {
			t.Helper()
			body := c.call(t, "GET", "/v2/device_profiles?name=one-fpga", "").body
			switch {
			case !strings.Contains(body, `"description": null`):
				return "neither description nor times"
			case strings.Contains(body, `"updated_at": "None"`):
				return "None"
			}
			return "null"
		}),
		first:   "neither description nor times",
		changes: []change{{from: "4.0.0", value: "None"}, {from: "6.0.0", value: "null"}},
	},
	{
		fields: []string{"ProfileByName"},
		observe: observing(func(t *testing.T, c client) string {
			t.Helper()
			return c.call(t, "GET", "/v2/device_profiles/one-fpga", "").faultString(t)
		}),
		first:   "Device profile not found with uuid one-fpga",
		changes: []change{{from: "8.0.0", value: "Request not acceptable. The minimal required API version should be 2.2"}},
	},
	{
		fields: []string{"GroupChecks"}, observe: statusOf("POST", "/v2/device_profiles", profileBody(`"resources:VCPU": "1"`)),
		first: "201", changes: []change{{from: "6.0.0", value: "400"}},
	},
	{
		fields: []string{"TraitValueFault"}, observe: statusOf("POST", "/v2/device_profiles", profileBody(`"trait:CUSTOM_X": "maybe"`)),
		first: "400", changes: []change{{at: []string{"6.0.0", "6.0.1"}, value: "500"}},
	},
	{
		fields: []string{"CorrectedMessages"},
		observe: observing(func(t *testing.T, c client) string {
			t.Helper()
			return c.call(t, "POST", "/v2/device_profiles", profileBody(`"odd": "1"`)).faultString(t)
		}),
		first:   "Device profile group keys must be of  the form ^(resources:|trait:|accel:)",
		changes: []change{{from: "7.0.0", value: "Device profile group keys must be of the form ^(resources:|trait:|accel:)"}},
	},
	{
		fields: []string{"CorrectedMessages"},
		observe: observing(func(t *testing.T, c client) string {
			t.Helper()
			answer := c.call(t, "POST", "/v2/device_profiles", profileBody(`"resources:FPGA": "many"`))
			if answer.status == http.StatusCreated {
				return "created"
			}
			return answer.faultString(t)
		}),
		first:   "created",
		changes: []change{{from: "6.0.0", value: "Resources nummber many is invalid"}, {from: "7.0.0", value: "Resources number many is invalid"}},
	},
	{
		fields: []string{"ResourceClasses"},
		observe: observing(func(t *testing.T, c client) string {
			t.Helper()
			var seen []string
			for i, class := range []string{"PGPU", "CUSTOM_QAT", "CUSTOM_NIC"} {
				name := "new" + strconv.Itoa(i)
				c.call(t, "POST", "/v2/device_profiles", fmt.Sprintf(`[{"name": %q, "groups": [{"resources:%s": "1"}]}]`, name, class))
				bind := c.bind(t, binding{c.makeARQs(t, name)[0].UUID, "rack1", fakeProvider, fmt.Sprintf("aaaaaaaa-0000-4000-8000-%012d", i)})
				seen = append(seen, strconv.Itoa(bind.status))
			}
			return strings.Join(seen, " ")
		}),
		first: "202 202 202",
		changes: []change{
			{from: "4.0.0", value: "202 400 400"}, {from: "5.0.0", value: "202 202 400"}, {from: "6.0.0", value: "202 202 202"},
		},
	},
	{
		fields: []string{"DuplicateName"}, observe: statusOf("POST", "/v2/device_profiles", `[{"name": "one-fpga", "groups": [{"resources:FPGA": "1"}]}]`),
		first: "500", changes: []change{{at: []string{"4.0.1", "5.0.1", "6.0.1"}, value: "409"}, {from: "7.0.0", value: "409"}},
	},
	{
		fields: []string{"NotFoundText"},
		observe: observing(func(t *testing.T, c client) string {
			t.Helper()
			return c.call(t, "DELETE", "/v2/device_profiles/none", "").faultString(t)
		}),
		first:   "DeviceProfile %(uuid)s could not be found.",
		changes: []change{{from: "4.0.0", value: "Device Profile not found with name=none"}},
	},
}
