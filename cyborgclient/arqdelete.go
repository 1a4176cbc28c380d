package cyborgclient

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
)

// deleteAtOnce bounds the uuids of one request: servers behind uwsgi refuse
// request lines that fill its buffer of 4 KiB.
const deleteAtOnce = 64

// DeleteARQs deletes the ARQs, bound ones are unbound first. gone lists those
// that did not exist any more, which is no error, in lower case and with dashes.
// The service refuses a list with an unknown uuid as a whole; then they are
// deleted one by one, and all are tried before an error is returned. Several
// errors are joined in one.
func (c *Client) DeleteARQs(ctx context.Context, uuids ...string) (gone []string, err error) {
	uuids, err = canonicals(uuids)
	if err != nil {
		return nil, invalid("delete ARQs", "%w", err)
	}
	var failures []error
	for chunk := range slices.Chunk(uuids, deleteAtOnce) {
		missing, err := c.deleteChunk(ctx, chunk)
		gone = append(gone, missing...)
		if err != nil {
			failures = append(failures, err)
		}
	}
	return gone, joined("delete ARQs", failures)
}

// joined is the only one of the errors, or one for all.
func joined(op string, failures []error) error {
	switch len(failures) {
	case 0:
		return nil
	case 1:
		return failures[0]
	}
	return &Error{Op: op, Err: errors.Join(failures...)}
}

func (c *Client) deleteChunk(ctx context.Context, uuids []string) (gone []string, err error) {
	err = c.deleteList(ctx, uuids)
	failure, ok := errors.AsType[*Error](err)
	switch {
	case !ok || !errors.Is(err, ErrNotFound):
		return nil, err
	case len(uuids) == 1:
		return uuids, nil
	}
	named := slices.DeleteFunc(slices.Clone(uuids), func(uuid string) bool { return !strings.Contains(failure.Fault, uuid) })
	if len(named) > 0 && strings.Contains(failure.Fault, allMissing) {
		return named, nil
	}
	return c.deleteSingly(ctx, uuids, named)
}

// allMissing begins the list of those that were not found, when the others have
// been deleted (Xena to the fix of CVE-2026-40214).
const allMissing = "ARQ not found with uuids"

// deleteSingly deletes one by one after a list was refused for the first of the
// missing ones. Releases before Xena have deleted those before it by then.
func (c *Client) deleteSingly(ctx context.Context, uuids, missing []string) (gone []string, err error) {
	first := 0
	if len(missing) > 0 {
		first = slices.Index(uuids, missing[0])
	}
	var failures []error
	for i, uuid := range uuids {
		switch err := c.deleteList(ctx, []string{uuid}); {
		case errors.Is(err, ErrNotFound) && i < first:
		case errors.Is(err, ErrNotFound):
			gone = append(gone, uuid)
		case err != nil:
			failures = append(failures, err)
		}
	}
	return gone, joined("delete ARQs one by one", failures)
}

func (c *Client) deleteList(ctx context.Context, uuids []string) error {
	list := strings.Join(uuids, ",")
	return c.do(ctx, request{
		name: "delete ARQs", op: "delete ARQs " + list, method: http.MethodDelete, path: arqPath + "?arqs=" + list, service: true,
	})
}

// DeleteARQsByInstance unbinds and deletes all ARQs of the instance. It is no
// error when there are none. The service demands a service token for it since
// the fix of CVE-2026-40214 (ErrServiceTokenNeeded).
func (c *Client) DeleteARQsByInstance(ctx context.Context, instance string) error {
	op := "delete ARQs of instance " + instance
	instance, err := canonical(instance)
	if err != nil {
		return invalid(op, "the instance %w", err)
	}
	return c.do(ctx, request{
		name: "delete ARQs of an instance", op: op, method: http.MethodDelete, path: arqPath + "?instance=" + instance, service: true,
	})
}
