package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"elasticpool": main, "farm": farmMain, "until": untilMain, "get": getMain, "line": lineMain, "cycles": cyclesMain, "certs": certsMain, "secureline": secureMain})
}

// TestScripts runs the program as people do, with a batch system and a cloud that live in a folder.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("FARM", filepath.Join(env.WorkDir, "farm"))
			env.Setenv("ELASTICPOOL_CONFIG", filepath.Join(env.WorkDir, "pool.yaml"))
			env.Setenv("USER", "ann")
			text, err := os.ReadFile("testdata/pool.yaml")
			if err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(env.WorkDir, "pool.yaml"), text, 0o600)
		},
	})
}
