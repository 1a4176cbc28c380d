package functional_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// adminToken is what auth_strategy noauth2 takes as the administrator.
const adminToken = "admin"

// ownPlacement is the real Placement that this test binary starts when none is given.
var ownPlacement placementProcess

// placementProcess is one run of placement.sh, started by the first test that asks and shared by all.
type placementProcess struct {
	once  sync.Once
	cmd   *exec.Cmd
	stdin io.Closer
	url   string
	err   error
}

// realPlacement returns the URL and token of a real Placement, or skips the test where none is to be had.
func realPlacement(t *testing.T) (url, token string) {
	t.Helper()
	if given := os.Getenv("NOVACYBORG_PLACEMENT_URL"); given != "" {
		return strings.TrimSuffix(given, "/"), adminToken
	}
	requirePrograms(t, "bash", "placement-api")
	ownPlacement.once.Do(ownPlacement.start)
	require.NoError(t, ownPlacement.err)
	return ownPlacement.url, adminToken
}

// freshPlacement returns the URL and token of a real Placement that no other test talks to.
func freshPlacement(t *testing.T) (url, token string) {
	t.Helper()
	requirePrograms(t, "bash", "placement-api")
	var process placementProcess
	process.start()
	require.NoError(t, process.err)
	t.Cleanup(func() { require.NoError(t, process.stop()) })
	return process.url, adminToken
}

// start runs placement.sh and waits for its first line, the URL. The script ends with its standard input, so it does not
// outlive this process however that ends. It may run longer than the test that asked first, hence no test's context.
func (p *placementProcess) start() {
	p.cmd = exec.CommandContext(context.Background(), "bash", "placement.sh")
	p.cmd.Stderr = os.Stderr
	p.cmd.WaitDelay = time.Second
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		p.err = err
		return
	}
	p.stdin = stdin
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		p.err = err
		return
	}
	if p.err = p.cmd.Start(); p.err != nil {
		return
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		p.err = fmt.Errorf("start a real Placement: %w", errors.Join(err, p.stop()))
		return
	}
	p.url = strings.TrimSpace(line)
}

// stop ends the service, if it was started, and waits until its files are gone.
func (p *placementProcess) stop() error {
	if p.cmd == nil || p.cmd.Process == nil {
		return nil
	}
	if err := errors.Join(p.stdin.Close(), p.cmd.Wait()); err != nil {
		return fmt.Errorf("stop the real Placement: %w", err)
	}
	return nil
}

func TestRealPlacementAnswersTheTokenItCameWith(t *testing.T) {
	t.Parallel()
	url, token := realPlacement(t)

	var versions struct {
		Versions []struct {
			Max string `json:"max_version"`
		} `json:"versions"`
	}
	status := getJSON(t, url+"/", "", &versions)
	assert.Equal(t, http.StatusOK, status)
	require.Len(t, versions.Versions, 1)
	assert.Equal(t, "1.39", versions.Versions[0].Max)

	var providers map[string]any
	assert.Equal(t, http.StatusOK, getJSON(t, url+"/resource_providers", token, &providers))
	assert.Contains(t, providers, "resource_providers")
	assert.Equal(t, http.StatusUnauthorized, getJSON(t, url+"/resource_providers", "", nil))
}

// getJSON sends one bare GET and decodes a 200 into out.
func getJSON(t *testing.T, url, token string, out any) (status int) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	if token != "" {
		request.Header.Set("X-Auth-Token", token)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Minute}
	response, err := client.Do(request)
	require.NoError(t, err)
	defer func() { require.NoError(t, response.Body.Close()) }()
	if response.StatusCode == http.StatusOK {
		require.NoError(t, json.NewDecoder(response.Body).Decode(out))
	}
	return response.StatusCode
}
