package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// printed is what the exporters print, as far as it is looked at.
type printed struct {
	Name        string
	SpanContext struct{ TraceID, SpanID string }
	Parent      struct{ SpanID string }
	StartTime   time.Time
	EndTime     time.Time
	Attributes  []struct {
		Key   string
		Value struct{ Value any }
	}
	Status       struct{ Code, Description string }
	ScopeMetrics []struct {
		Metrics []struct {
			Name string
			Data struct {
				DataPoints []struct{ Count, Value float64 }
			}
		}
	}
}

func (p printed) attribute(key string) any {
	for _, attribute := range p.Attributes {
		if attribute.Key == key {
			return attribute.Value.Value
		}
	}
	return nil
}

// read takes the output apart.
func read(t *testing.T, out *bytes.Buffer) (spans []printed, metrics printed) {
	t.Helper()
	decoder := json.NewDecoder(out)
	for {
		var p printed
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return spans, metrics
		}
		require.NoError(t, err)
		if p.ScopeMetrics != nil {
			metrics = p
			continue
		}
		spans = append(spans, p)
	}
}

// Each request of a boot is a span below the boot's, and is measured.
func TestBoot(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out))
	spans, metrics := read(t, &out)
	require.NotEmpty(t, spans)
	boot := spans[len(spans)-1]
	assert.Equal(t, "boot instance", boot.Name)
	assert.Equal(t, "Unset", boot.Status.Code)

	services := make(map[any][]string)
	for _, span := range spans[:len(spans)-1] {
		assert.Equal(t, boot.SpanContext.TraceID, span.SpanContext.TraceID, span.Name)
		assert.Equal(t, boot.SpanContext.SpanID, span.Parent.SpanID, span.Name)
		assert.False(t, span.StartTime.Before(boot.StartTime), span.Name)
		assert.False(t, span.EndTime.After(boot.EndTime), span.Name)
		service := span.attribute("openstack.service")
		services[service] = append(services[service], span.Name)
		assert.NotEmpty(t, span.attribute("openstack.request_id"), span.Name)
	}
	for _, operation := range []string{"list device profiles", "create ARQs", "bind ARQs"} {
		assert.Contains(t, services["accelerator"], operation)
	}
	for _, operation := range []string{"get allocation candidates", "put allocations of a consumer"} {
		assert.Contains(t, services["placement"], operation)
	}
	require.Len(t, metrics.ScopeMetrics, 1)
	var calls, attempts float64
	for _, point := range metrics.ScopeMetrics[0].Metrics[0].Data.DataPoints {
		calls += point.Count
	}
	for _, point := range metrics.ScopeMetrics[0].Metrics[1].Data.DataPoints {
		attempts += point.Value
	}
	assert.InDelta(t, len(spans)-1, calls, 0)
	assert.InDelta(t, len(spans)-1, attempts, 0)
}

// What failed is told with its status and its repetitions.
func TestFailedCall(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	telemetry, err := newTelemetry(&out)
	require.NoError(t, err)
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	telemetry.hook(t.Context(), cyborgclient.Call{
		Service: "accelerator", Operation: "bind ARQs", Method: "PATCH", Status: 503, Attempts: 3, RequestID: "req-1",
		Start: start, Duration: 1500 * time.Millisecond, Err: errors.New("no luck"),
	})
	require.NoError(t, telemetry.close(context.Background()))
	spans, _ := read(t, &out)
	require.Len(t, spans, 1)
	assert.Equal(t, "bind ARQs", spans[0].Name)
	assert.Equal(t, "Error", spans[0].Status.Code)
	assert.Equal(t, "no luck", spans[0].Status.Description)
	assert.InDelta(t, 2, spans[0].attribute("http.request.resend_count"), 0)
	assert.InDelta(t, 503, spans[0].attribute("http.response.status_code"), 0)
	assert.Equal(t, "PATCH", spans[0].attribute("http.request.method"))
	assert.Equal(t, "req-1", spans[0].attribute("openstack.request_id"))
	assert.Equal(t, 1500*time.Millisecond, spans[0].EndTime.Sub(spans[0].StartTime))
}

// A boot that fails says so in its span.
func TestFailedBoot(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	telemetry, err := newTelemetry(&out)
	require.NoError(t, err)
	cloud, err := newCloud(t.Context(), telemetry.hook)
	require.NoError(t, err)
	defer cloud.close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, boot(ctx, telemetry, cloud.manager), context.Canceled)
	require.NoError(t, telemetry.close(context.Background()))
	spans, _ := read(t, &out)
	require.NotEmpty(t, spans)
	boot := spans[len(spans)-1]
	assert.Equal(t, "Error", boot.Status.Code)
	assert.Contains(t, boot.Status.Description, "context canceled")
}
