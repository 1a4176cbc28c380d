package osapi

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// KnownVersions keeps a server's range of versions once it was read. The zero
// value is ready for use by many goroutines.
type KnownVersions struct {
	mu      sync.Mutex
	known   *Versions
	reading *versionsReading // nil when nobody reads
}

// versionsReading is one reading; its results may be read when done is closed.
type versionsReading struct {
	done     chan struct{}
	versions Versions
	err      error
}

// patience is how long a caller waits for another's reading. A reading that takes
// longer may hang for a reason of its own.
const patience = 2 * time.Second

// Get returns the range, which it reads with the function as long as that has
// not worked. Who asks while another reads shares the result, keeps the own
// deadline, and reads on its own when the other gave up or takes long.
func (k *KnownVersions) Get(ctx context.Context, read func(context.Context) (Versions, error)) (Versions, error) {
	if known, ok := k.Known(); ok {
		return known, nil
	}
	reading, first := k.join()
	if first {
		k.run(ctx, reading, read)
		return reading.versions, reading.err
	}
	slow := time.NewTimer(patience)
	defer slow.Stop()
	select {
	case <-slow.C:
		return k.alone(ctx, read)
	case <-reading.done:
		if reading.err != nil && gaveUp(reading.err) {
			return k.Get(ctx, read)
		}
		return reading.versions, reading.err
	case <-ctx.Done():
		return Versions{}, context.Cause(ctx)
	}
}

// join gives the reading to wait for, which has ended when the range is known.
// first says that it is the caller's to do.
func (k *KnownVersions) join() (reading *versionsReading, first bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.known != nil:
		ended := &versionsReading{done: make(chan struct{}), versions: *k.known}
		close(ended.done)
		return ended, false
	case k.reading != nil:
		return k.reading, false
	}
	k.reading = &versionsReading{done: make(chan struct{})}
	return k.reading, true
}

func (k *KnownVersions) run(ctx context.Context, reading *versionsReading, read func(context.Context) (Versions, error)) {
	defer func() { // also when a hook of the caller's panics
		k.mu.Lock()
		defer k.mu.Unlock()
		k.reading = nil
		close(reading.done)
	}()
	reading.err = context.Canceled // until it is known better
	reading.versions, reading.err = k.alone(ctx, read)
}

// alone reads and keeps what was read.
func (k *KnownVersions) alone(ctx context.Context, read func(context.Context) (Versions, error)) (Versions, error) {
	versions, err := read(ctx)
	if err != nil {
		return Versions{}, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.known = &versions
	return versions, nil
}

// Known returns the range if it was read already.
func (k *KnownVersions) Known() (versions Versions, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil {
		return Versions{}, false
	}
	return *k.known, true
}

// Look compares the range with what the header of an answer says and forgets it
// where that contradicts: the server is another one by now, as while a cloud is
// upgraded. Cyborg names its newest version in each answer.
func (k *KnownVersions) Look(header http.Header) {
	newest, err := ParseMicroversion(header.Get("OpenStack-API-Maximum-Version"))
	if known, ok := k.Known(); err == nil && ok && known.Max != newest {
		k.Forget()
	}
}

// Forget makes the next Get read the range again.
func (k *KnownVersions) Forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.known = nil
}
