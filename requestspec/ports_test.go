package requestspec_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/requestspec"
)

// portInput has one port with a resource request in JSON.
func portInput(t require.TestingT, request string) requestspec.Input {
	port := requestspec.Port{ID: "p", ResourceRequest: &requestspec.PortResourceRequest{}}
	require.NoError(t, json.Unmarshal([]byte(request), port.ResourceRequest))
	return requestspec.Input{Flavor: baseFlavor(), Ports: []requestspec.Port{port}}
}

// TestPortAmounts gives amounts that Neutron does not send. Nova converts them as Python's int() does.
func TestPortAmounts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		value, want string // "" is an error in both modes
		strict      error
	}{
		{`5`, "FPGA:5", nil},
		{`0`, "", nil},
		{`"5"`, "FPGA:5", requestspec.ErrAmount},
		{`" 1_0 "`, "FPGA:10", requestspec.ErrAmount},
		{`2.9`, "FPGA:2", requestspec.ErrAmount},
		{`2.0`, "FPGA:2", nil},
		{`true`, "FPGA:1", requestspec.ErrAmount},
		{`-1`, "FPGA:-1", requestspec.ErrAmount},
		{`2147483647`, "FPGA:2147483647", nil},
		{`2147483648`, "FPGA:2147483648", requestspec.ErrNeverFits},
		{`9223372036854775808`, "FPGA:9223372036854775808", requestspec.ErrNeverFits},
		{`1e22`, "FPGA:10000000000000000000000", requestspec.ErrNeverFits},
		{`"x"`, "error", requestspec.ErrAmount},
		{`"1.5"`, "error", requestspec.ErrAmount},
		{`null`, "error", requestspec.ErrAmount},
		{`[1]`, "error", requestspec.ErrAmount},
		{`1e400`, "error", requestspec.ErrAmount},
	} {
		t.Run(tc.value, func(t *testing.T) {
			t.Parallel()
			for _, form := range []string{`{"resources":{"FPGA":%}}`, `{"request_groups":[{"id":"p","resources":{"FPGA":%}}]}`} {
				in := portInput(t, strings.ReplaceAll(form, "%", tc.value))
				_, err := requestspec.Build(in)
				require.ErrorIs(t, err, tc.strict)
				if tc.strict != nil {
					require.ErrorContains(t, err, `port p, resource request: "FPGA"`)
				}
				request, err := requestspec.Build(in, requestspec.Lenient())
				if tc.want == "error" {
					assert.Equal(t, "bad_amount", requestspec.Code(err))
					continue
				}
				require.NoError(t, err)
				want := ""
				if tc.want != "" {
					want = "&resourcesp=" + tc.want
				}
				assert.Equal(t, "limit=1000&"+unescape(t, goldenSize)+want+unescape(t, noRoot), unescape(t, request.Query()))
			}
		})
	}
}

// TestResolveTakesPortByPort checks that the first port which Nova refuses decides, whatever is wrong with it.
func TestResolveTakesPortByPort(t *testing.T) {
	t.Parallel()
	in := portInput(t, `{"resources":{"FPGA":null}}`)
	in.Ports = append(in.Ports, requestspec.Port{ID: "q", VNICType: "accelerator-direct", DeviceProfile: "none"})
	_, err := requestspec.Resolve(in, nil, requestspec.Lenient())
	assert.Equal(t, "bad_amount", requestspec.Code(err))
	in.Ports[0], in.Ports[1] = in.Ports[1], in.Ports[0]
	_, err = requestspec.Resolve(in, nil, requestspec.Lenient())
	assert.Equal(t, "profile", requestspec.Code(err))
}

// FuzzPortResourceRequest builds whatever a port asks for. What is read is written back with every digit.
func FuzzPortResourceRequest(f *testing.F) {
	for _, seed := range []string{
		`{"resources":{"NET_BW_EGR_KILOBIT_PER_SEC":1000},"required":["CUSTOM_A"]}`,
		`{"request_groups":[{"id":"g","resources":{"A":1e22}}],"same_subtree":["g"]}`, `{"resources":{"A":"x","B":null}}`, `{}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var asked requestspec.PortResourceRequest
		if json.Unmarshal(data, &asked) != nil {
			return
		}
		text, err := json.Marshal(asked)
		require.NoError(t, err)
		var again requestspec.PortResourceRequest
		require.NoError(t, json.Unmarshal(text, &again))
		in := requestspec.Input{Flavor: baseFlavor(), Ports: []requestspec.Port{{ID: "p", ResourceRequest: &asked}}}
		request, err := requestspec.Build(in, requestspec.Lenient())
		_, strict := requestspec.Build(in)
		if err != nil {
			assert.NotEmpty(t, requestspec.Code(err))
			assert.Error(t, strict, "strict mode takes less")
			return
		}
		in.Ports[0].ResourceRequest = &again
		second, err := requestspec.Build(in, requestspec.Lenient())
		require.NoError(t, err)
		assert.Equal(t, request.Query(), second.Query())
	})
}
