package functional_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
	"github.com/novacyborg/novacyborg/fakecyborg/fault"
	"github.com/novacyborg/novacyborg/fakecyborg/minikeystone"
)

// The tests below stand in the pages as they are here.
func TestPagesShowTheseTests(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("pages_go_test.go")
	require.NoError(t, err)
	for _, name := range []string{"fake-auth", "faults", "ci"} {
		page, err := os.ReadFile("../docs/" + name + ".md")
		require.NoError(t, err)
		blocks := regexp.MustCompile("(?ms)^```go test\nfunc Test(.*?)^```$").FindAllStringSubmatch(string(page), -1)
		require.NotEmpty(t, blocks, name)
		for _, block := range blocks {
			assert.Contains(t, string(source), "func Test"+block[1], name)
		}
	}
}

func TestLogin(t *testing.T) {
	identity := minikeystone.ForTest(t)
	cyborg := fakecyborg.Start(t, fakecyborg.WithPresetSeed("example"), fakecyborg.WithAuthenticator(identity))
	t.Setenv("OS_CLIENT_CONFIG_FILE", identity.CloudsFile(t, cyborg.URL()))
	client, err := cyborgclient.New(t.Context(), cyborgclient.WithCloud("demo"), cyborgclient.WithServiceCloud("nova"))
	require.NoError(t, err)
	arqs, err := client.CreateARQs(t.Context(), "gpu")
	require.NoError(t, err)
	err = client.Bind(t.Context(), []cyborgclient.Binding{{
		ARQ: arqs[0].UUID, Hostname: "gpu-1", DeviceRP: driver.ProviderUUID("gpu-1_0000:3d:00.0"), Instance: "aaaaaaaa-0000-4000-8000-000000000001",
	}})
	require.NoError(t, err)
}

func TestBusyCyborg(t *testing.T) {
	t.Parallel()
	const instance = "aaaaaaaa-0000-4000-8000-000000000001"
	cyborg := fakecyborg.Start(t, fakecyborg.WithPresetSeed("example"))
	err := cyborg.Faults().Add(
		fault.Rule{Operation: "arq:create", First: 2, Fault: fault.Status{Code: 503, RetryAfter: 1}},
		fault.Rule{Operation: "arq:update", Instance: instance, Nth: 1, Fault: fault.DropAfter{}},
		fault.Rule{Operation: fault.Event, Sequence: []fault.Fault{fault.Pass{}, fault.EventDrop{}}},
	)
	require.NoError(t, err)
	client, err := cyborgclient.New(t.Context(), cyborgclient.WithEndpoint(cyborg.URL()), cyborgclient.WithRetries(0, 0, 0))
	require.NoError(t, err)
	_, err = client.CreateARQs(t.Context(), "gpu")
	require.ErrorContains(t, err, "503")
	require.Equal(t, 1, cyborg.Faults().Counts()[0].Hits)
}

func TestOneGPU(t *testing.T) {
	t.Parallel()
	cyborg := fakecyborg.Start(t, fakecyborg.WithPresetSeed("example"))
	client, err := cyborgclient.New(t.Context(), cyborgclient.WithEndpoint(cyborg.URL()))
	require.NoError(t, err)
	arqs, err := client.CreateARQs(t.Context(), "gpu")
	require.NoError(t, err)
	require.Len(t, arqs, 1)
}
