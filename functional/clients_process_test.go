package functional_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
)

// peerProcess is a Python program of testdata that answers one line with one line.
type peerProcess struct {
	input   io.Writer
	answers *bufio.Scanner
}

// startPeer starts a program of testdata with an interpreter, which may be one of a chroot that does not see the file. It ends with the test.
func startPeer(t *testing.T, script string, python ...string) *peerProcess {
	t.Helper()
	text, err := os.ReadFile(script)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 10*time.Minute)
	command := exec.CommandContext(ctx, python[0], append(python[1:], "-c", string(text))...)
	for _, line := range os.Environ() {
		if !strings.HasPrefix(line, "OS_") && !strings.HasPrefix(strings.ToLower(line), "no_proxy=") {
			command.Env = append(command.Env, line)
		}
	}
	command.Env = append(command.Env, "no_proxy=127.0.0.1", "OS_CLIENT_CONFIG_FILE=/nonexistent")
	command.Stderr = os.Stderr
	input, err := command.StdinPipe()
	require.NoError(t, err)
	output, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	t.Cleanup(func() {
		defer cancel()
		require.NoError(t, input.Close())
		require.NoError(t, command.Wait())
	})
	answers := bufio.NewScanner(output)
	answers.Buffer(nil, 1<<20)
	return &peerProcess{input: input, answers: answers}
}

// ask sends a question and reads the answer, both as JSON.
func (p *peerProcess) ask(t *testing.T, question, answer any) {
	t.Helper()
	line, err := json.Marshal(question)
	require.NoError(t, err)
	_, err = p.input.Write(append(line, '\n'))
	require.NoError(t, err)
	require.True(t, p.answers.Scan(), "no answer to %s: %v", line, p.answers.Err())
	require.NoError(t, json.Unmarshal(p.answers.Bytes(), answer), "%s", p.answers.Bytes())
}

// startForPeer starts a fake that listens, with the devices of the tempest cases and an image to program.
func startForPeer(t *testing.T, driven *driven, release fakecyborg.Release) *fakecyborg.Server {
	t.Helper()
	server := fakecyborg.Start(t, fakecyborg.WithSeed(tempestSeed()), fakecyborg.WithImages(tempestImage), fakecyborg.WithRelease(release))
	driven.of(t, server, release)
	return server
}
