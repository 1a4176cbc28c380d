package main

import (
	"context"
	"errors"
	"io"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/stdout/stdoutmetric"
	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// scope names the instrumentation.
const scope = "github.com/novacyborg/novacyborg/examples/otel"

// telemetry makes spans and measurements of calls.
type telemetry struct {
	tracer   trace.Tracer
	duration metric.Float64Histogram
	attempts metric.Int64Counter
	close    func(context.Context) error
}

// newTelemetry prints spans as they end, and measurements at the end.
func newTelemetry(out io.Writer) (*telemetry, error) {
	spans, err := stdouttrace.New(stdouttrace.WithWriter(out))
	if err != nil {
		return nil, err
	}
	measurements, err := stdoutmetric.New(stdoutmetric.WithWriter(out))
	if err != nil {
		return nil, err
	}
	tracers := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewPeriodicReader(measurements)))
	t := &telemetry{tracer: tracers.Tracer(scope), close: func(ctx context.Context) error {
		return errors.Join(tracers.Shutdown(ctx), meters.Shutdown(ctx))
	}}
	return t, t.instruments(meters.Meter(scope))
}

func (t *telemetry) instruments(meter metric.Meter) (err error) {
	t.duration, err = meter.Float64Histogram("openstack.client.call.duration",
		metric.WithUnit("s"), metric.WithDescription("How long a call took, with its repetitions."))
	if err != nil {
		return err
	}
	t.attempts, err = meter.Int64Counter("openstack.client.call.attempts",
		metric.WithUnit("{request}"), metric.WithDescription("Requests that were sent, repetitions included."))
	return err
}

// hook is told of each call when it has ended: the span is made afterwards, with the times that it had.
func (t *telemetry) hook(ctx context.Context, call cyborgclient.Call) {
	few := []attribute.KeyValue{ // what a measurement is told apart by must have few values
		attribute.String("openstack.service", call.Service),
		attribute.String("openstack.operation", call.Operation),
		attribute.Int("http.response.status_code", call.Status),
	}
	t.duration.Record(ctx, call.Duration.Seconds(), metric.WithAttributes(few...))
	t.attempts.Add(ctx, int64(call.Attempts), metric.WithAttributes(few...))

	_, span := t.tracer.Start(ctx, call.Operation, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithTimestamp(call.Start), trace.WithAttributes(few...), trace.WithAttributes(
			attribute.String("http.request.method", call.Method),
			attribute.Int("http.request.resend_count", max(call.Attempts-1, 0)),
			attribute.String("openstack.request_id", call.RequestID),
		))
	if call.Err != nil {
		span.SetStatus(codes.Error, call.Err.Error())
	}
	span.End(trace.WithTimestamp(call.Start.Add(call.Duration)))
}
