package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// platforms are those of .goreleaser.yaml; what is linked may depend on the system.
var platforms = []string{"linux", "darwin"}

// module is what go list tells about the origin of a package.
type module struct {
	Path, Version, Dir string
	Main               bool
	// folders are the linked packages' and all that they are in, relative to Dir.
	folders []string
}

// linked lists the modules that the module in this folder takes packages from, tests left out.
func linked() ([]module, error) {
	found := make(map[string]module)
	ours, err := given()
	if err != nil {
		return nil, err
	}
	for _, system := range platforms {
		out, err := golist(system, append([]string{"-deps", "-json=Module,Dir"}, ours...)...)
		if err != nil {
			return nil, err
		}
		for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
			var listed struct {
				Module *module
				Dir    string
			}
			if err := decoder.Decode(&listed); err != nil {
				return nil, fmt.Errorf("go list for %s: %w", system, err)
			}
			if listed.Module != nil && !listed.Module.Main {
				m := *listed.Module
				m.folders = append(found[m.Path].folders, foldersOf(m.Dir, listed.Dir)...)
				found[m.Path] = m
			}
		}
	}
	modules := make([]module, 0, len(found))
	for _, m := range found {
		slices.Sort(m.folders)
		m.folders = slices.Compact(m.folders)
		modules = append(modules, m)
	}
	slices.SortFunc(modules, func(a, b module) int { return cmp.Compare(a.Path, b.Path) })
	return modules, nil
}

// given lists the packages that others get: all but those below functional, which are for tests.
func given() ([]string, error) {
	out, err := golist(platforms[0], "-e", "./...")
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(strings.Fields(string(out)), func(path string) bool {
		return strings.Contains(path+"/", "/functional/")
	}), nil
}

func golist(system string, args ...string) ([]byte, error) {
	command := exec.Command("go", append([]string{"list"}, args...)...)
	command.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list for %s: %w", system, err)
	}
	return out, nil
}

// foldersOf returns the folder of a package and those around it, up to the module's.
func foldersOf(root, dir string) []string {
	folders := []string{"."}
	relative, err := filepath.Rel(root, dir)
	if err != nil {
		return folders
	}
	for ; relative != "."; relative = filepath.Dir(relative) {
		folders = append(folders, relative)
	}
	return folders
}
