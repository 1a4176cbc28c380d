package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/requestspec"
)

var errNoHost = errors.New("no host fits the request")

// explain prints a line per group: whether Placement has providers for it and what is in the way if not.
func explain(ctx context.Context, a arguments, request *requestspec.Request, out io.Writer) error {
	opts := []placement.Option{placement.WithCloud(a.cloud)}
	if a.explain != "" {
		if err := checkPlacement(ctx, a.explain); err != nil {
			return fmt.Errorf("-explain %s: %w", a.explain, err)
		}
		opts = []placement.Option{
			placement.WithEndpoint(a.explain), placement.WithToken(cmp.Or(os.Getenv("OS_TOKEN"), "admin")),
		}
	}
	client, err := placement.New(ctx, opts...)
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

// checkPlacement reads the version document, so that the URL of another service is called that. A server that wants a
// token for it is left to the client.
func checkPlacement(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(url, "/")+"/", nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusUnauthorized {
		return nil
	}
	var document struct {
		Versions []struct {
			Max string `json:"max_version"`
		} `json:"versions"`
	}
	err = json.NewDecoder(response.Body).Decode(&document)
	if err != nil || len(document.Versions) == 0 || !strings.HasPrefix(document.Versions[0].Max, "1.") {
		return errors.New("this is no Placement: it shows no versions 1.…; give the URL that the catalog has for the service type placement")
	}
	return nil
}
