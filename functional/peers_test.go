// Package functional_test runs whole flows: our packages together, against our fakes and against peers that nobody here
// wrote (a real Placement, libvirt).
//
// A peer that is not installed skips the test and says so. NOVACYBORG_PEERS=required makes that a failure, which is what
// CI does; NOVACYBORG_PEERS=none leaves the peers alone, as on a machine that has only Go. NOVACYBORG_PLACEMENT_URL names
// a running Placement that takes the token "admin"; without it the tests start one of their own.
package functional_test

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// TestMain fails the run when a goroutine is left over, and stops the Placement that the tests started.
func TestMain(m *testing.M) {
	if err := checkPeersSetting(os.Getenv("NOVACYBORG_PEERS")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if err := ownPlacement.stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
		os.Exit(code)
	}))
}

// checkPeersSetting refuses a misspelt NOVACYBORG_PEERS, which would otherwise quietly skip what CI requires.
func checkPeersSetting(value string) error {
	switch value {
	case "", "required", "none":
		return nil
	}
	return fmt.Errorf("NOVACYBORG_PEERS is %q; it may be unset, %q or %q", value, "required", "none")
}

// requirePrograms skips the test unless every one of the named programs is installed and peers are wanted.
func requirePrograms(t *testing.T, names ...string) {
	t.Helper()
	switch os.Getenv("NOVACYBORG_PEERS") {
	case "none":
		t.Skip("NOVACYBORG_PEERS=none")
	case "required":
		for _, name := range names {
			if _, err := exec.LookPath(name); err != nil {
				t.Fatalf("NOVACYBORG_PEERS=required: %v", err)
			}
		}
	default:
		for _, name := range names {
			if _, err := exec.LookPath(name); err != nil {
				t.Skipf("peer is not installed: %v", err)
			}
		}
	}
}

func TestPeersSettingIsSpeltRight(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, value string
		wantErr     bool
	}{
		{name: "unset", value: ""},
		{name: "required", value: "required"},
		{name: "none", value: "none"},
		{name: "misspelt", value: "require", wantErr: true},
		{name: "boolean", value: "1", wantErr: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := checkPeersSetting(test.value)
			if test.wantErr {
				require.ErrorContains(t, err, "NOVACYBORG_PEERS")
				return
			}
			require.NoError(t, err)
		})
	}
}
