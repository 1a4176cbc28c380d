package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// none is the id of no span.
const none = "0000000000000000"

// printed is what the exporters print, as far as it is looked at.
type printed struct {
	spans   []span
	metrics []instrument
}

type attributes []struct {
	Key   string
	Value struct{ Value any }
}

type span struct {
	Name        string
	SpanContext struct{ TraceID, SpanID string }
	Parent      struct{ SpanID string }
	StartTime   time.Time
	EndTime     time.Time
	Attributes  attributes
	Status      struct{ Code, Description string }
}

type instrument struct {
	Name string
	Data struct {
		DataPoints []struct {
			Attributes   attributes
			Count, Value float64
		}
	}
}

func (a attributes) get(key string) any {
	for _, attribute := range a {
		if attribute.Key == key {
			return attribute.Value.Value
		}
	}
	return nil
}

func (s span) attribute(key string) any { return s.Attributes.get(key) }

// named is the first span of that name.
func (p printed) named(t *testing.T, name string) span {
	t.Helper()
	at := slices.IndexFunc(p.spans, func(s span) bool { return s.Name == name })
	require.GreaterOrEqual(t, at, 0, name)
	return p.spans[at]
}

// count adds up the points of a metric that have the attributes: how many durations there are, or what was counted.
func (p printed) count(name string, want ...any) (sum float64) {
	for _, metric := range p.metrics {
		if metric.Name != name {
			continue
		}
		for _, point := range metric.Data.DataPoints {
			matches := true
			for pair := range slices.Chunk(want, 2) {
				matches = matches && point.Attributes.get(fmt.Sprint(pair[0])) == pair[1]
			}
			if matches {
				sum += point.Count + point.Value
			}
		}
	}
	return sum
}

// read takes the output apart.
func read(t *testing.T, out *bytes.Buffer) (p printed) {
	t.Helper()
	decoder := json.NewDecoder(out)
	for {
		var one struct {
			span
			ScopeMetrics []struct{ Metrics []instrument }
		}
		err := decoder.Decode(&one)
		if errors.Is(err, io.EOF) {
			return p
		}
		require.NoError(t, err)
		if one.ScopeMetrics == nil {
			p.spans = append(p.spans, one.span)
			continue
		}
		for _, scope := range one.ScopeMetrics {
			p.metrics = append(p.metrics, scope.Metrics...)
		}
	}
}
