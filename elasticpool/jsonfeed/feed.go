package jsonfeed

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Config says where the documents are and what is run. The zero value of a field but Jobs and Workers is its default.
type Config struct {
	Jobs    From `yaml:"jobs" json:"jobs"`
	Workers From `yaml:"workers" json:"workers"`
	// Commands with their arguments; one that is absent is elasticpool.ErrUnsupported.
	Join        []string `yaml:"join" json:"join,omitempty"`
	Bind        []string `yaml:"bind" json:"bind,omitempty"`
	Drain       []string `yaml:"drain" json:"drain,omitempty"`
	CancelDrain []string `yaml:"cancel_drain" json:"cancel_drain,omitempty"`
	Free        []string `yaml:"free" json:"free,omitempty"`

	Timeout elasticpool.Duration `yaml:"timeout" json:"timeout,omitempty"`   // of a command or request; 1 min
	MaxSize int64                `yaml:"max_size" json:"max_size,omitempty"` // of a document, in bytes; 256 MiB
}

// From is where a document is: one of the three.
type From struct {
	Command []string `yaml:"command" json:"command,omitempty"`
	URL     string   `yaml:"url" json:"url,omitempty"`
	File    string   `yaml:"file" json:"file,omitempty"`
}

func (f From) check(where string) error {
	given := 0
	for _, is := range []bool{len(f.Command) > 0, f.URL != "", f.File != ""} {
		if is {
			given++
		}
	}
	if given != 1 {
		return fmt.Errorf("jsonfeed: %s: give one of command, url and file", where)
	}
	return nil
}

func (f From) String() string {
	switch {
	case f.URL != "":
		return f.URL
	case f.File != "":
		return f.File
	}
	return f.Command[0]
}

// Feed is a batch system behind JSON documents and commands.
type Feed struct {
	config Config
	http   *http.Client
}

var _ elasticpool.BatchSystem = (*Feed)(nil)

// New returns the batch system that config describes. It reads nothing yet.
func New(config Config) (*Feed, error) {
	if err := errors.Join(config.Jobs.check("jobs"), config.Workers.check("workers")); err != nil {
		return nil, err
	}
	if config.Timeout < 0 || config.MaxSize < 0 {
		return nil, errors.New("jsonfeed: a duration or size is negative")
	}
	if config.Timeout == 0 {
		config.Timeout = elasticpool.Duration(time.Minute)
	}
	if config.MaxSize == 0 {
		config.MaxSize = 256 << 20
	}
	return &Feed{config: config, http: &http.Client{Timeout: config.Timeout.D()}}, nil
}

// Jobs implements elasticpool.BatchSystem.
func (f *Feed) Jobs(ctx context.Context) ([]elasticpool.JobGroup, error) {
	found, err := f.document(ctx, f.config.Jobs)
	if err != nil {
		return nil, err
	}
	return found.jobs(f.config.Jobs.String())
}

// Workers implements elasticpool.BatchSystem.
func (f *Feed) Workers(ctx context.Context) (elasticpool.Workers, error) {
	found, err := f.document(ctx, f.config.Workers)
	if err != nil {
		return elasticpool.Workers{}, err
	}
	return found.workers(f.config.Workers.String())
}

// Join implements elasticpool.BatchSystem.
func (f *Feed) Join(ctx context.Context, worker elasticpool.Worker, queue string) error {
	return f.act(ctx, action{name: "join", command: f.config.Join, worker: worker, queue: queue})
}

// Bind implements elasticpool.BatchSystem.
func (f *Feed) Bind(ctx context.Context, worker elasticpool.Worker, queue string) error {
	return f.act(ctx, action{name: "bind", command: f.config.Bind, worker: worker, queue: queue})
}

// Drain implements elasticpool.BatchSystem.
func (f *Feed) Drain(ctx context.Context, worker elasticpool.Worker, onlyIdle bool) error {
	return f.act(ctx, action{name: "drain", command: f.config.Drain, worker: worker, onlyIdle: onlyIdle})
}

// CancelDrain implements elasticpool.BatchSystem.
func (f *Feed) CancelDrain(ctx context.Context, worker elasticpool.Worker) error {
	return f.act(ctx, action{name: "cancel the drain of", command: f.config.CancelDrain, worker: worker})
}

// Free implements elasticpool.BatchSystem.
func (f *Feed) Free(ctx context.Context, worker elasticpool.Worker) error {
	return f.act(ctx, action{name: "free", command: f.config.Free, worker: worker})
}
