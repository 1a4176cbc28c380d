package main

import (
	"os"
	"path/filepath"
)

// everybodyReads is the mode of files for clients, who may be other users.
const everybodyReads = 0o644

// replaceFile writes a file so that whoever looks finds the old text or the new
// one, never a part.
func replaceFile(path string, text []byte, mode os.FileMode) error {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	err = firstOf(err, file.Chmod(mode), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path) //nolint:gosec // the user names the file
	}
	if err != nil {
		_ = os.Remove(file.Name()) //nolint:gosec // it was made here
	}
	return err
}
