package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/requestspec"
)

var errNoHost = errors.New("no host fits the request")

// explain prints a line per group: whether Placement has providers for it and what is in the way if not.
func explain(ctx context.Context, url string, request *requestspec.Request, out io.Writer) error {
	client, err := placement.New(ctx, placement.WithEndpoint(url), placement.WithToken(cmp.Or(os.Getenv("OS_TOKEN"), "admin")))
	if err != nil {
		return err
	}
	verdicts, err := client.Explain(ctx, request)
	if err != nil {
		return err
	}
	fits := true
	for _, verdict := range verdicts {
		fits = fits && (verdict.Reason == placement.Fits || verdict.Reason == placement.Unjudged)
		if _, err := fmt.Fprintf(out, "%-14s %s\n", verdict.Reason, verdict.Text); err != nil {
			return err
		}
	}
	if !fits {
		return errNoHost
	}
	return nil
}
