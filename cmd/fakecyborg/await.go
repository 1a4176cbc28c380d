package main

import (
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

// awaitPlacement waits until the Placement at an URL answers, whatever it says,
// at most for the time that the flags give. That it does not is for the report
// to tell.
func awaitPlacement(ctx context.Context, s settings, logger *slog.Logger) {
	ctx, cancel := context.WithTimeout(ctx, s.placementWait)
	defer cancel()
	client := &http.Client{Timeout: probeTimeout}
	for told := false; ; told = true {
		err := probe(ctx, client, s.placement)
		if err == nil || ctx.Err() != nil {
			return
		}
		if !told {
			logger.Warn("waiting for Placement at "+s.placement, "for", s.placementWait, "reason", err)
		}
		select {
		case <-ctx.Done():
			return
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
