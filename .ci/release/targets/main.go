// Command targets reads GoReleaser's configuration as strictly as GoReleaser does and prints what is to be built, one
// line for each program and platform, ready for a shell:
//
//	fakecyborg linux amd64 ./cmd/fakecyborg -trimpath -ldflags=-s
//
// It refuses what the stage "release" would not build alike: settings that it does not pass on, and programs that are
// not static.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/goreleaser/goreleaser/v2/pkg/config"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "targets:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("name one file, .goreleaser.yaml")
	}
	project, err := config.Load(args[0])
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	if len(project.Builds) == 0 {
		return fmt.Errorf("%s: nothing is built", args[0])
	}
	for _, build := range project.Builds {
		lines, err := targets(build)
		if err != nil {
			return fmt.Errorf("%s: build %s: %w", args[0], build.ID, err)
		}
		fmt.Fprintln(out, strings.Join(lines, "\n"))
	}
	return nil
}

// targets lists the platforms of one program.
func targets(build config.Build) ([]string, error) {
	if !slices.Equal(build.Env, []string{"CGO_ENABLED=0"}) {
		return nil, fmt.Errorf("env is %v, and only CGO_ENABLED=0 makes a static program", build.Env)
	}
	if build.Main == "" || build.Binary == "" || len(build.Goos) == 0 || len(build.Goarch) == 0 {
		return nil, errors.New("main, binary, goos and goarch must be there")
	}
	if len(build.Tags) > 0 || len(build.Asmflags) > 0 || len(build.Gcflags) > 0 || len(build.Targets) > 0 || len(build.Ignore) > 0 {
		return nil, errors.New("tags, asmflags, gcflags, targets and ignore are not passed on here")
	}
	words := slices.Clone([]string(build.Flags))
	if len(build.Ldflags) > 0 {
		words = append(words, "-ldflags="+strings.Join(build.Ldflags, ","))
	}
	for _, word := range words {
		if strings.ContainsAny(word, " {'\"") {
			return nil, fmt.Errorf("%q would have to be quoted or filled in", word)
		}
	}
	var lines []string
	for _, system := range build.Goos {
		for _, architecture := range build.Goarch {
			lines = append(lines, strings.Join(append([]string{build.Binary, system, architecture, build.Main}, words...), " "))
		}
	}
	return lines, nil
}
