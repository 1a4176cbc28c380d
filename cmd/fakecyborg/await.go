package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"
)

// How long one question to Placement may take, and the pause between two.
const (
	probeTimeout = 3 * time.Second
	probePause   = 500 * time.Millisecond
)

// minReportTime is the least time that the first report to a Placement gets which
// answered; one that falls silent then must not hold up the start for ever.
const minReportTime = time.Minute

// awaitPlacement waits until the Placement at an URL answers, whatever it says. That
// it does not in the time that the flags give is the error.
func awaitPlacement(ctx context.Context, s settings, logger *slog.Logger) error {
	if s.placementWait == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.placementWait)
	defer cancel()
	client := &http.Client{Timeout: probeTimeout}
	var reason error
	for told := false; ; told = true {
		err := probe(ctx, client, s.placement)
		if err == nil {
			return nil
		}
		if reason = cmp.Or(reason, err); ctx.Err() == nil {
			reason = err // not that the wait is over
		}
		if !told && ctx.Err() == nil {
			logger.Warn("waiting for Placement at "+s.placement, "for", s.placementWait, "reason", err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("placement at %s does not answer within %s: %w", s.placement, s.placementWait, reason)
		case <-time.After(probePause):
		}
	}
}

// probe says why there is no answer. What a proxy says of a service that is
// down counts as none.
func probe(ctx context.Context, client *http.Client, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return fmt.Errorf("it answers %s", response.Status)
	}
	return nil
}
