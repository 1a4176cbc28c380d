package main

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	toprometheus "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/exporters/stdout/stdoutmetric"
	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/lifecycle"
)

// scope names the instrumentation.
const scope = "github.com/novacyborg/novacyborg/examples/otel"

// seconds are the bounds of the histograms: a call takes milliseconds, the wait for a programmed FPGA minutes. The
// bounds that OpenTelemetry has by itself are for milliseconds.
var seconds = []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300}

// telemetry makes spans and measurements of operations, of their steps, and of the calls to Placement and Cyborg.
type telemetry struct {
	tracer   trace.Tracer
	steps    metric.Float64Histogram
	calls    metric.Float64Histogram
	attempts metric.Int64Counter
	// metrics answers Prometheus.
	metrics http.Handler
	close   func(context.Context) error
}

// newTelemetry prints spans as they end, and measurements at the end. A program of yours has other exporters here, for
// example otlptracehttp in the place of stdouttrace.
func newTelemetry(out io.Writer) (*telemetry, error) {
	spans, err := stdouttrace.New(stdouttrace.WithWriter(out))
	if err != nil {
		return nil, err
	}
	printed, err := stdoutmetric.New(stdoutmetric.WithWriter(out))
	if err != nil {
		return nil, err
	}
	registry := prometheus.NewRegistry()
	scraped, err := toprometheus.New(toprometheus.WithRegisterer(registry))
	if err != nil {
		return nil, err
	}
	tracers := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewPeriodicReader(printed)), sdkmetric.WithReader(scraped))
	t := &telemetry{
		tracer: tracers.Tracer(scope), metrics: promhttp.HandlerFor(registry, promhttp.HandlerOpts{}),
		close: func(ctx context.Context) error { return errors.Join(tracers.Shutdown(ctx), meters.Shutdown(ctx)) },
	}
	return t, t.instruments(meters.Meter(scope))
}

func (t *telemetry) instruments(meter metric.Meter) error {
	histogram := func(name, description string) (metric.Float64Histogram, error) {
		return meter.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(description),
			metric.WithExplicitBucketBoundaries(seconds...))
	}
	var wrong [3]error
	t.steps, wrong[0] = histogram("accelerator.step.duration", "How long a step of an operation took.")
	t.calls, wrong[1] = histogram("openstack.client.call.duration", "How long a call took, with its repetitions.")
	t.attempts, wrong[2] = meter.Int64Counter("openstack.client.call.attempts",
		metric.WithUnit("{request}"), metric.WithDescription("Requests that were sent, repetitions included."))
	return errors.Join(wrong[:]...)
}

// operation runs do in a span. Those of the steps and calls are below it, because they are told with its context.
func (t *telemetry) operation(ctx context.Context, op lifecycle.Op, instance string, do func(context.Context) error) error {
	ctx, span := t.tracer.Start(ctx, string(op), trace.WithAttributes(attribute.String("openstack.instance", instance)))
	defer span.End()
	err := do(ctx)
	fail(span, err)
	return err
}

// step is the observer for [lifecycle.WithObserver]. It is told of each step when it has ended: the span is made
// afterwards, with the times that the step had.
func (t *telemetry) step(ctx context.Context, step lifecycle.Step) {
	name, outcome := step.ID.String(), "success"
	if step.Undo {
		name = "undo " + name
	}
	if step.Err != nil {
		outcome = "failure"
	}
	few := []attribute.KeyValue{ // what a measurement is told apart by must have few values
		attribute.String("accelerator.operation", string(step.Op)),
		attribute.String("accelerator.step", step.ID.String()),
		attribute.Bool("accelerator.undo", step.Undo),
		attribute.String("outcome", outcome),
	}
	ctx, span := t.tracer.Start(ctx, name, trace.WithTimestamp(step.Started), trace.WithAttributes(few...), trace.WithAttributes(
		attribute.String("openstack.instance", step.Instance),
		attribute.String("openstack.host", step.Host),
		attribute.StringSlice("openstack.arqs", step.ARQs),
		attribute.Int("accelerator.attempt", step.Attempt),
	))
	t.steps.Record(ctx, step.Duration.Seconds(), metric.WithAttributes(few...))
	fail(span, step.Err)
	span.End(trace.WithTimestamp(step.Started.Add(step.Duration)))
}

// call is the hook for [cyborgclient.WithHook] of both clients. It is told of each call when it has ended.
func (t *telemetry) call(ctx context.Context, call cyborgclient.Call) {
	few := []attribute.KeyValue{
		attribute.String("openstack.service", call.Service),
		attribute.String("openstack.operation", call.Operation),
		attribute.Int("http.response.status_code", call.Status),
	}
	t.calls.Record(ctx, call.Duration.Seconds(), metric.WithAttributes(few...))
	t.attempts.Add(ctx, int64(call.Attempts), metric.WithAttributes(few...))

	_, span := t.tracer.Start(ctx, call.Operation, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithTimestamp(call.Start), trace.WithAttributes(few...), trace.WithAttributes(
			attribute.String("http.request.method", call.Method),
			attribute.Int("http.request.resend_count", max(call.Attempts-1, 0)),
			attribute.String("openstack.request_id", call.RequestID),
		))
	fail(span, call.Err)
	span.End(trace.WithTimestamp(call.Start.Add(call.Duration)))
}

func fail(span trace.Span, err error) {
	if err != nil {
		span.SetStatus(codes.Error, err.Error())
	}
}
