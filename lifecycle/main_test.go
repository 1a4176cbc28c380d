package lifecycle

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(saverDir); dir != "" {
		os.Exit(runSaver(dir))
	}
	goleak.VerifyTestMain(m)
}
