package execcloud

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"sync"
	"time"
)

// maxSilent is after how many requests in a row without any line from the plugin it is taken for hung. maxFaults is how
// many lines that are no answers it may write.
const (
	maxSilent = 3
	maxFaults = 100
)

// link is a plugin that runs: its standard input and output.
type link struct {
	in  io.Writer
	out io.ReadCloser
	// stop ends the plugin, at once or, if asked gently, after it had time to end by itself. It returns when the plugin
	// is no more, with how it ended, and unblocks in and out. It may be called again and at the same time.
	stop func(gently bool) string
}

// session is the talk with one process.
type session struct {
	link    link
	log     *slog.Logger
	max     int
	timeout time.Duration // of a write
	lines   chan []byte
	done    chan struct{} // closed when it is over

	mu      sync.Mutex
	waiting map[int64]chan answer
	last    int64 // id that was given
	err     error // why it is over
	over    time.Time
	fault   string // last line that was no answer, in words
	faults  int
	silent  int
	methods []string
}

func newSession(l link, log *slog.Logger, timeout time.Duration, limit int) *session {
	return &session{
		link: l, log: log, max: limit, timeout: timeout,
		lines: make(chan []byte), done: make(chan struct{}), waiting: map[int64]chan answer{},
	}
}

// run serves the session until it is over and its process is gone.
func (s *session) run() {
	var parts sync.WaitGroup
	parts.Go(s.write)
	parts.Go(s.read)
	<-s.done
	s.link.stop(errors.Is(s.reason(), errClosed))
	parts.Wait()
	_ = s.link.out.Close()
}

// end ends the session for that reason; only the first one counts.
func (s *session) end(reason error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err, s.over = reason, time.Now()
		close(s.done)
	}
}

// reason returns why the session is over; nil: it is not.
func (s *session) reason() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// write hands lines to the plugin. A plugin that does not take a line within the time of a request is hung.
func (s *session) write() {
	for {
		select {
		case <-s.done:
			return
		case line := <-s.lines:
			stuck := time.AfterFunc(s.timeout, func() { s.end(fmt.Errorf("it has not read a request for %v", s.timeout)) })
			_, err := s.link.in.Write(line)
			stuck.Stop()
			if err != nil {
				s.end(fmt.Errorf("it takes no requests: %s", s.link.stop(false)))
				return
			}
		}
	}
}

// read takes the plugin's lines until its output ends, also after the session is over: a plugin that cannot write could
// not end.
func (s *session) read() {
	lines := newLineReader(s.link.out, s.max)
	for {
		line, err := lines.next()
		switch {
		case err == nil:
			s.take(line)
		case errors.Is(err, errLongLine):
			s.blame(fmt.Sprintf("a line of more than %d bytes", s.max))
		default:
			s.end(fmt.Errorf("it has ended: %s", s.link.stop(false)))
			return
		}
	}
}

// take gives an answer to who waits for it.
func (s *session) take(line []byte) {
	found, err := parseAnswer(line)
	switch {
	case errors.Is(err, errUnclear):
		found.Result, found.Error = nil, nil // who waits for it learns that it is unclear
	case err != nil:
		s.blame(fmt.Sprintf("a line of %d bytes: %v", len(line), err))
		return
	case found.ID == 0 && found.Error != nil:
		s.blame(fmt.Sprintf("it complains: %s: %s", found.Error.Class, found.Error.Detail))
		return
	}
	s.mu.Lock()
	waits, known := s.waiting[found.ID]
	delete(s.waiting, found.ID)
	asked := found.ID > 0 && found.ID <= s.last
	if asked {
		s.silent = 0
	}
	s.mu.Unlock()
	switch {
	case known:
		waits <- found
	case asked:
		s.log.Debug("late or second answer of a plugin", "id", found.ID)
	default:
		s.blame(fmt.Sprintf("an answer to request %d, which was never made", found.ID))
	}
}

// blame notes a line that was no answer. A plugin that goes on with them is of no use.
func (s *session) blame(what string) {
	s.mu.Lock()
	s.fault = what
	s.faults++
	faults := s.faults
	s.mu.Unlock()
	s.log.Warn("fault of a plugin", "fault", what)
	if faults > maxFaults {
		s.end(fmt.Errorf("it has written %d lines that are no answers; the last one: %s", faults, what))
	}
}

// ask sends a request and waits for its answer. sent is false when the plugin has surely not seen the request.
func (s *session) ask(ctx context.Context, method string, params any) (found answer, sent bool, err error) {
	id, waits := s.register()
	defer s.forget(id)
	line, err := encode(ctx, id, method, params)
	if err != nil {
		return found, false, err
	}
	if len(line) > s.max {
		return found, false, fmt.Errorf("%s: %w: %d bytes", method, errLongLine, len(line))
	}
	select {
	case <-s.done: // looked at first: a session that is over takes nothing
		return found, false, s.reason()
	default:
	}
	select {
	case s.lines <- line:
	case <-s.done:
		return found, false, s.reason()
	case <-ctx.Done():
		return found, false, fmt.Errorf("it does not read: %w", context.Cause(ctx))
	}
	found, err = s.await(ctx, waits)
	return found, true, err
}

// await waits for the answer to a request that was sent.
func (s *session) await(ctx context.Context, waits <-chan answer) (answer, error) {
	var err error
	select {
	case found := <-waits:
		return found, nil
	case <-s.done:
		err = s.reason()
	case <-ctx.Done():
		err = s.unanswered(ctx)
	}
	select {
	case found := <-waits: // it came at the same time
		return found, nil
	default:
		return answer{}, err
	}
}

// unanswered counts a request whose time is over, and ends the session of a plugin that says nothing any more.
func (s *session) unanswered(ctx context.Context) error {
	cause := context.Cause(ctx)
	s.mu.Lock()
	text := "no answer"
	if s.fault != "" {
		text += "; its last fault: " + s.fault
	}
	if errors.Is(cause, context.DeadlineExceeded) {
		s.silent++
	}
	hung := s.silent >= maxSilent
	s.mu.Unlock()
	if hung {
		s.end(fmt.Errorf("it has not answered %d requests in a row", maxSilent))
	}
	return fmt.Errorf("%s: %w", text, cause)
}

func (s *session) register() (int64, chan answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	waits := make(chan answer, 1)
	s.waiting[s.last] = waits
	return s.last, waits
}

func (s *session) forget(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.waiting, id)
}

// encode returns the line of a request, with the time that is left for it.
func encode(ctx context.Context, id int64, method string, params any) ([]byte, error) {
	body, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	left := int64(math.MaxInt32)
	if deadline, ok := ctx.Deadline(); ok {
		left = max(1, time.Until(deadline).Milliseconds())
	}
	line, err := json.Marshal(request{ID: id, Method: method, TimeoutMS: left, Params: body})
	return append(line, '\n'), err
}
