package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/requestspec"
)

var errNoHost = errors.New("no host fits the request")

// explain prints a line per group: whether Placement has providers for it and what is in the way if not; at last, if all
// is well, one for all groups together.
func explain(ctx context.Context, a arguments, request *requestspec.Request, out io.Writer) error {
	opts := []placement.Option{placement.WithCloud(a.cloud)}
	if a.explain != "" {
		address, err := url.Parse(a.explain)
		if err == nil {
			err = checkPlacement(ctx, address)
		}
		if err != nil {
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
	return showCandidates(ctx, client, request, out)
}

// showCandidates says how many candidates the whole request has, and names the host of the first.
func showCandidates(ctx context.Context, client *placement.Client, request *requestspec.Request, out io.Writer) error {
	found, err := client.Candidates(ctx, request)
	if err != nil {
		return err
	}
	if len(found.List) == 0 { // taken since the groups were asked for
		return errNoHost
	}
	host, err := client.Provider(ctx, found.List[0].RootProvider)
	if err != nil {
		return err
	}
	noun := "candidates"
	if len(found.List) == 1 {
		noun = "candidate"
	}
	_, err = fmt.Fprintf(out, "%-14s all groups together: %d %s, for example on %s\n", placement.Fits, len(found.List), noun, host.Name)
	return err
}

// checkPlacement reads the version document, so that the URL of another service is called that. If its server has a
// Placement too, the error has the right URL. A server that wants a token for the document is left to the client.
func checkPlacement(ctx context.Context, address *url.URL) error {
	switch is, err := isPlacement(ctx, address); {
	case err != nil && !errors.Is(err, errToken):
		return err
	case err != nil || is:
		return nil
	}
	beside := &url.URL{Scheme: address.Scheme, Host: address.Host, Path: "/placement"}
	if is, err := isPlacement(ctx, beside); err == nil && is {
		return fmt.Errorf("this is no Placement, but the server has one: give %s", beside)
	}
	return errors.New("this is no Placement: it shows no versions 1.…; give the URL that the catalog has for the service type placement")
}

var errToken = errors.New("the server wants a token")

// isPlacement tells whether the version document is that of Placement.
func isPlacement(ctx context.Context, address *url.URL) (bool, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.JoinPath("/").String(), nil)
	if err != nil {
		return false, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false, err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusUnauthorized {
		return false, errToken
	}
	var document struct {
		Versions []struct {
			Max string `json:"max_version"`
		} `json:"versions"`
	}
	err = json.NewDecoder(response.Body).Decode(&document)
	return err == nil && len(document.Versions) > 0 && strings.HasPrefix(document.Versions[0].Max, "1."), nil
}
