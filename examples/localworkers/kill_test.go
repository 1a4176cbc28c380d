package main

import (
	"os"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// killGroup kills a server's command.
func killGroup(cloud *faulty, vm string) error {
	pid, _ := cloud.cloud.store.pid(vm)
	return syscall.Kill(-pid, syscall.SIGKILL)
}

// killPlugin kills the plugin of a world: the process that has its state folder open.
func killPlugin(t *testing.T, w world) {
	t.Helper()
	pid, err := strconv.Atoi(read(t, w.state, "lock"))
	require.NoError(t, err)
	require.NotEqual(t, os.Getpid(), pid)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
}
