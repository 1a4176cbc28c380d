package lifecycle

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/placement"
)

func TestOptionsRefuseNothing(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		opt  Option
		want string
	}{
		{"store", WithStore(nil), "new lifecycle manager: the store is nil"},
		{"hypervisor", WithHypervisor(nil), "new lifecycle manager: the hypervisor is nil"},
		{"logger", WithLogger(nil), "new lifecycle manager: the logger is nil"},
		{"builds", WithParallelBuilds(0), "new lifecycle manager: parallel builds must be at least 1, not 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := New(&placement.Client{}, &cyborgclient.Client{}, test.opt)
			require.EqualError(t, err, test.want)
		})
	}
}

func TestOptionsTakeEffect(t *testing.T) {
	t.Parallel()
	s := newUndoScene()
	m, err := New(&placement.Client{}, &cyborgclient.Client{}, WithStore(s), WithHypervisor(s), WithParallelBuilds(3))
	require.NoError(t, err)
	assert.Equal(t, 3, m.builds.free)
	r := &run{Manager: m, record: sampleRecord()}
	require.NoError(t, r.save(t.Context()))
	assert.Len(t, s.saved, 1)
	require.NoError(t, r.perform(t.Context(), on("cn1")[0]))
	assert.Equal(t, []string{"cn1"}, s.did)

	m, err = New(&placement.Client{}, &cyborgclient.Client{})
	require.NoError(t, err)
	assert.Equal(t, 32, m.builds.free)
	r = &run{Manager: m, record: sampleRecord()}
	require.NoError(t, r.save(t.Context()), "without a store nothing is saved")
	require.NoError(t, r.perform(t.Context(), on("cn1")[0]), "without a hypervisor the guest is the caller's")
}

// Several observers, a logger among them, are all told, in the order of the options.
func TestObserversAreToldInOrder(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	var told []string
	m, err := New(&placement.Client{}, &cyborgclient.Client{},
		WithObserver(func(_ context.Context, s Step) { told = append(told, "first "+s.ID.String()) }),
		WithLogger(slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelDebug}))),
		WithObserver(func(_ context.Context, s Step) { told = append(told, "second "+s.ID.String()) }))
	require.NoError(t, err)
	r := &run{Manager: m, record: sampleRecord(), step: Step{Op: OpCreate, ID: StepClaim}}
	r.tell(t.Context(), nil)
	r.step.ID = StepBind
	r.tell(t.Context(), errors.New("refused"))
	assert.Equal(t, []string{"first claim", "second claim", "first bind", "second bind"}, told)
	lines := bytes.Split(bytes.TrimSpace(text.Bytes()), []byte("\n"))
	require.Len(t, lines, 2)
	assert.Contains(t, string(lines[0]), `level=DEBUG msg="accelerator step" op=create`)
	assert.NotContains(t, string(lines[0]), "error=")
	assert.Contains(t, string(lines[1]), "level=WARN")
	assert.Contains(t, string(lines[1]), "error=refused")
	assert.Contains(t, string(lines[1]), r.record.ARQs()[0])
}
