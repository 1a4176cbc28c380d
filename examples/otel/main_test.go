package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/fakecyborg/fault"
	"github.com/novacyborg/novacyborg/lifecycle"
)

// Each operation is a span. Its steps and calls are spans below it, are measured, and the steps are logged.
func TestOperations(t *testing.T) {
	t.Parallel()
	var out, log bytes.Buffer
	require.NoError(t, run(t.Context(), nil, &out, &log))
	printed := read(t, &out)

	var operations []string
	var steps, calls int
	below := make(map[string][]span) // by the id of the span above
	for _, s := range printed.spans {
		assert.Equal(t, "Unset", s.Status.Code, s.Name)
		above := s.Parent.SpanID
		below[above] = append(below[above], s)
		if above == none {
			operations = append(operations, s.Name)
			for _, part := range below[s.SpanContext.SpanID] {
				assert.Equal(t, s.SpanContext.TraceID, part.SpanContext.TraceID, part.Name)
				assert.False(t, part.StartTime.Before(s.StartTime), part.Name)
				assert.False(t, part.EndTime.After(s.EndTime), part.Name)
			}
		}
		if s.attribute("accelerator.step") != nil {
			steps++
		}
		if s.attribute("openstack.service") != nil {
			calls++
			assert.NotEmpty(t, s.attribute("openstack.request_id"), s.Name)
		}
	}
	assert.Equal(t, []string{"create", "live migrate", "hard reboot", "delete"}, operations)
	assert.Equal(t, len(printed.spans), steps+calls+len(operations))
	assert.InDelta(t, steps, printed.count("accelerator.step.duration"), 0)
	assert.InDelta(t, calls, printed.count("openstack.client.call.duration"), 0)
	assert.InDelta(t, calls, printed.count("openstack.client.call.attempts"), 0)
	assert.Equal(t, steps, bytes.Count(log.Bytes(), []byte(`level=DEBUG msg="accelerator step"`)), log.String())
}

// The steps of a creation are there in order, beside the calls that they make.
func TestCreate(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), nil, &out, io.Discard))
	printed := read(t, &out)
	var steps, calls []string
	for _, s := range printed.spans {
		if s.Name == "create" {
			break
		}
		if s.attribute("openstack.service") != nil {
			calls = append(calls, s.Name)
			continue
		}
		steps = append(steps, s.Name)
		assert.Equal(t, "create", s.attribute("accelerator.operation"))
	}
	assert.Equal(t, []string{
		"device profiles", "request groups", "candidates", "claim", "ARQs", "bind", "wait", "domain XML", "guest",
	}, steps)
	for _, call := range []string{
		"list device profiles", "get allocation candidates", "put allocations of a consumer", "create ARQs", "bind ARQs",
	} {
		assert.Contains(t, calls, call)
	}
	bind := printed.named(t, "bind")
	assert.Equal(t, "compute-1", bind.attribute("openstack.host"))
	assert.InDelta(t, 1, bind.attribute("accelerator.attempt"), 0)
	assert.Len(t, bind.attribute("openstack.arqs"), 1)
}

// A bind that fails is seen, and so is what takes the attempt back before the next one.
func TestUndo(t *testing.T) {
	t.Parallel()
	var out, log bytes.Buffer
	telemetry, err := newTelemetry(&out)
	require.NoError(t, err)
	cloud, err := newCloud(t.Context(), telemetry, slog.New(slog.NewTextHandler(&log, nil)))
	require.NoError(t, err)
	defer cloud.cyborg.Close()
	require.NoError(t, cloud.cyborg.Faults().Add(fault.Rule{Operation: fault.Bind, Nth: 1, Fault: fault.Fails{After: time.Millisecond}}))
	require.NoError(t, live(t.Context(), telemetry, cloud.manager))
	require.NoError(t, telemetry.close(context.Background()))
	printed := read(t, &out)

	failed := printed.named(t, "wait")
	assert.Equal(t, "Error", failed.Status.Code)
	assert.Contains(t, failed.Status.Description, "BindFailed")
	create := printed.named(t, "create")
	assert.Equal(t, "Unset", create.Status.Code, "the other host was taken")
	for _, name := range []string{"undo ARQs", "undo claim"} {
		undo := printed.named(t, name)
		assert.Equal(t, create.SpanContext.SpanID, undo.Parent.SpanID, name)
		assert.Equal(t, "Unset", undo.Status.Code, name)
		assert.Equal(t, true, undo.attribute("accelerator.undo"), name)
	}
	assert.InDelta(t, 1, printed.count("accelerator.step.duration", "accelerator.step", "wait", "outcome", "failure"), 0)
	assert.InDelta(t, 1, printed.count("accelerator.step.duration", "accelerator.step", "claim", "accelerator.undo", true), 0)
	assert.Contains(t, log.String(), `level=WARN msg="accelerator step" op=create`)
}

// A span has the times and the error that the step had.
func TestStep(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	telemetry, err := newTelemetry(&out)
	require.NoError(t, err)
	started := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	telemetry.step(t.Context(), lifecycle.Step{
		Op: lifecycle.OpEvacuate, Instance: "instance-1", ID: lifecycle.StepClaim, Undo: true, Attempt: 2, Host: "compute-1",
		ARQs: []string{"arq-1", "arq-2"}, Started: started, Duration: 1500 * time.Millisecond, Err: errors.New("no luck"),
	})
	require.NoError(t, telemetry.close(context.Background()))
	step := read(t, &out).named(t, "undo claim")
	assert.Equal(t, started, step.StartTime)
	assert.Equal(t, 1500*time.Millisecond, step.EndTime.Sub(step.StartTime))
	assert.Equal(t, "Error", step.Status.Code)
	assert.Equal(t, "no luck", step.Status.Description)
	want := map[string]any{
		"accelerator.operation": "evacuate", "accelerator.step": "claim", "accelerator.undo": true, "accelerator.attempt": 2.0,
		"openstack.instance": "instance-1", "openstack.host": "compute-1", "openstack.arqs": []any{"arq-1", "arq-2"}, "outcome": "failure",
	}
	got := make(map[string]any)
	for _, a := range step.Attributes {
		got[a.Key] = a.Value.Value
	}
	assert.Equal(t, want, got)
}

// What failed is told with its status and its repetitions.
func TestFailedCall(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	telemetry, err := newTelemetry(&out)
	require.NoError(t, err)
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	telemetry.call(t.Context(), cyborgclient.Call{
		Service: "accelerator", Operation: "bind ARQs", Method: "PATCH", Status: 503, Attempts: 3, RequestID: "req-1",
		Start: start, Duration: 1500 * time.Millisecond, Err: errors.New("no luck"),
	})
	require.NoError(t, telemetry.close(context.Background()))
	call := read(t, &out).named(t, "bind ARQs")
	assert.Equal(t, "Error", call.Status.Code)
	assert.Equal(t, "no luck", call.Status.Description)
	assert.InDelta(t, 2, call.attribute("http.request.resend_count"), 0)
	assert.InDelta(t, 503, call.attribute("http.response.status_code"), 0)
	assert.Equal(t, "PATCH", call.attribute("http.request.method"))
	assert.Equal(t, "req-1", call.attribute("openstack.request_id"))
	assert.Equal(t, 1500*time.Millisecond, call.EndTime.Sub(call.StartTime))
}

// An operation that fails says so in its span.
func TestFailedOperation(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	telemetry, err := newTelemetry(&out)
	require.NoError(t, err)
	cloud, err := newCloud(t.Context(), telemetry, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	defer cloud.cyborg.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, live(ctx, telemetry, cloud.manager), context.Canceled)
	require.NoError(t, telemetry.close(context.Background()))
	create := read(t, &out).named(t, "create")
	assert.Equal(t, "Error", create.Status.Code)
	assert.Contains(t, create.Status.Description, "context canceled")
}
