package inventory

import (
	"errors"
	"fmt"
	"os"
)

// OpenLspci reads a file with [ParseLspci].
func OpenLspci(path string) ([]Function, error) {
	file, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, fmt.Errorf("read the output of lspci: %w", err)
	}
	functions, err := ParseLspci(path, file)
	return functions, errors.Join(err, file.Close())
}

// OpenSysfs reads a directory with [ReadSysfs], or a file with [ParseListing].
func OpenSysfs(path string) ([]Function, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read a copy of sysfs: %w", err)
	}
	if info.IsDir() {
		return ReadSysfs(os.DirFS(path))
	}
	file, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, fmt.Errorf("read a listing of sysfs: %w", err)
	}
	functions, err := ParseListing(path, file)
	return functions, errors.Join(err, file.Close())
}
