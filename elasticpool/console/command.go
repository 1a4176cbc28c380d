package console

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/journal"
)

// maxCommand is how long a command may be.
const maxCommand = 64 << 10

// command takes a command in.
func (c *Console) command(w http.ResponseWriter, r *http.Request, may gate) {
	for _, refuses := range []gate{fromElsewhere, may} {
		if status, why := refuses(r); status != 0 {
			problem(w, status, why)
			return
		}
	}
	pool, _ := c.shown()
	if pool == nil {
		problem(w, http.StatusServiceUnavailable, starting)
		return
	}
	command, err := readCommand(http.MaxBytesReader(w, r.Body, maxCommand))
	if err == nil {
		err = pool.Do(command)
	}
	if err != nil {
		problem(w, commandStatus(err), err.Error())
		return
	}
	c.logger.Info("command", "what", command.String(), "from", r.RemoteAddr)
	answer(w, http.StatusAccepted, command)
}

// readCommand is strict: a misspelt key would change what is asked for.
func readCommand(body io.Reader) (elasticpool.Command, error) {
	decoder := json.NewDecoder(body)
	decoder.DisallowUnknownFields()
	var command elasticpool.Command
	if err := decoder.Decode(&command); err != nil {
		return command, errors.Join(errors.New("not a command"), err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return command, errors.New("more than one command")
	}
	return command, nil
}

// commandStatus tells what is wrong with a command from what is wrong with the pool.
func commandStatus(err error) int {
	var tooLarge *http.MaxBytesError
	var disk *fs.PathError
	switch {
	case errors.As(err, &tooLarge):
		return http.StatusRequestEntityTooLarge
	case errors.Is(err, elasticpool.ErrPoolClosed), errors.Is(err, journal.ErrFenced):
		return http.StatusServiceUnavailable
	case errors.As(err, &disk), errors.Is(err, journal.ErrBroken):
		return http.StatusInternalServerError
	}
	return http.StatusBadRequest
}
