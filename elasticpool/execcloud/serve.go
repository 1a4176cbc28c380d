package execcloud

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// ReadOnlyVariable is set to 1 in the environment of a plugin that is asked for servers and limits only.
const ReadOnlyVariable = "ELASTICPOOL_READ_ONLY"

// ReadOnly tells a plugin that another process of it may be at work for a pool: it must change nothing, also not when it starts.
func ReadOnly() bool { return os.Getenv(ReadOnlyVariable) == "1" }

// parallel is how many requests a plugin works on at the same time; more wait.
const parallel = 64

// Serve is the plugin's side: it reads requests, lets the provider do them, and writes the answers. It returns nil when
// in has ended and every request has been answered, and the error of ctx when that has ended: then the requests under
// way are given up, and a read from in may still be under way. Nothing else may write to out.
func Serve(ctx context.Context, in io.Reader, out io.Writer, provider elasticpool.Provider) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := &server{provider: provider, out: out, free: make(chan struct{}, parallel)}
	end := make(chan error, 1)
	go func() { end <- s.read(ctx, in, cancel) }()
	var err error
	select {
	case err = <-end:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	s.closing.Lock() // no request begins any more
	s.closed = true
	s.closing.Unlock()
	s.busy.Wait()
	return err
}

// server is what Serve works with.
type server struct {
	provider elasticpool.Provider
	free     chan struct{} // has an element for each request under way
	busy     sync.WaitGroup
	closing  sync.Mutex
	closed   bool
	writing  sync.Mutex
	out      io.Writer
}

// read starts the work on each request. failed is told that answers cannot be written.
func (s *server) read(ctx context.Context, in io.Reader, failed context.CancelCauseFunc) error {
	lines := newLineReader(in, maxLine)
	for {
		line, err := lines.next()
		var asked request
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err == nil:
			asked, err = parseRequest(line)
		case !errors.Is(err, errLongLine):
			return fmt.Errorf("read requests: %w", err)
		}
		if !s.begin(ctx) {
			return context.Cause(ctx)
		}
		go func() {
			defer s.busy.Done()
			defer func() { <-s.free }()
			s.answer(failed, s.work(ctx, asked, err))
		}()
	}
}

// begin waits until another request may be worked on. It is false when none may any more.
func (s *server) begin(ctx context.Context) bool {
	select {
	case s.free <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	s.closing.Lock()
	defer s.closing.Unlock()
	if s.closed {
		return false
	}
	s.busy.Add(1)
	return true
}

// answer writes a line.
func (s *server) answer(failed context.CancelCauseFunc, a answer) {
	line, err := json.Marshal(a)
	if err == nil {
		s.writing.Lock()
		_, err = s.out.Write(append(line, '\n'))
		s.writing.Unlock()
	}
	if err != nil {
		failed(fmt.Errorf("write answers: %w", err))
	}
}

// work does a request and returns its answer. unread tells why the request is none.
func (s *server) work(ctx context.Context, asked request, unread error) answer {
	if unread != nil {
		return answer{ID: max(0, asked.ID), Error: &wireError{Class: "invalid", Detail: unread.Error()}}
	}
	if asked.TimeoutMS > 0 {
		limited, cancel := context.WithTimeout(ctx, time.Duration(asked.TimeoutMS)*time.Millisecond)
		defer cancel()
		ctx = limited
	}
	result, err := s.do(ctx, asked)
	if err == nil {
		var body json.RawMessage
		if body, err = json.Marshal(result); err == nil {
			return answer{ID: asked.ID, Result: body}
		}
	}
	return answer{ID: asked.ID, Error: errorOf(ctx, asked.Method, err)}
}

// errorOf returns an error for the wire. A create that ran out of time may have been done, unless the provider knows better.
func errorOf(ctx context.Context, method string, err error) *wireError {
	said := wireError{Class: elasticpool.ErrorWord(err), Detail: err.Error()}
	if cloud, ok := errors.AsType[*elasticpool.CloudError](err); ok {
		said.Detail = cloud.Detail // the pool adds the rest
		if said.Detail == "" && cloud.Err != nil {
			said.Detail = cloud.Err.Error()
		}
	} else if ctx.Err() != nil && method == MethodCreate {
		said.Class = elasticpool.ErrorWord(elasticpool.ErrUnknownOutcome)
	}
	said.Detail = cut(said.Detail, maxDetail)
	return &said
}
