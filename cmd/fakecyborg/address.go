package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// looksLikeAddress tells whether that is what a file of -address-file holds. An empty
// one, as mktemp makes it, counts.
func looksLikeAddress(text string) bool {
	text = strings.TrimSuffix(text, "\n")
	if text == "" {
		return true
	}
	for _, start := range []string{"http://", "https://", unixPrefix} {
		if strings.HasPrefix(text, start) {
			return !strings.Contains(text, "\n")
		}
	}
	return false
}

// checkAddressFile refuses a file of -address-file that holds something else, which
// would be lost.
func checkAddressFile(path string) error {
	if path == "" {
		return nil
	}
	text, err := os.ReadFile(path) //nolint:gosec // the user names the file
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("-address-file: %w", err)
	case !looksLikeAddress(string(text)):
		return fmt.Errorf("-address-file %s: there is a file that holds no address: take another path", path)
	}
	return nil
}

// withdrawAddress takes away the file of -address-file if it holds that address, or
// with "" whatever address it holds, such as one of an earlier run: who waits for it
// must not find a wrong one.
func withdrawAddress(path, address string) error {
	if path == "" {
		return nil
	}
	if address != "" {
		text, err := os.ReadFile(path) //nolint:gosec // the user names the file
		if err != nil || string(text) != address+"\n" {
			return nil //nolint:nilerr // it is another's by now
		}
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) { //nolint:gosec // the user names the file
		return err
	}
	return nil
}
