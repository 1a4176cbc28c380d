package journal

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(appenderDir); dir != "" {
		os.Exit(runAppender(dir))
	}
	goleak.VerifyTestMain(m)
}
