package condor

import (
	_ "embed"
	"fmt"
)

//go:embed worker.conf
var workerConf string

// WorkerConfig returns the part of a worker's HTCondor configuration that makes it one of this package's: it says which
// VM of which pool it is, and how it is joined, bound to a queue and drained. What a worker needs to find and to be
// trusted by its HTCondor pool (COLLECTOR_HOST, a token) comes besides.
//
// The jobs' attribute that names their queue is AcctGroup there; a pool with another one, say Owner, sets its own START.
func WorkerConfig(pool, vm string) (string, error) {
	quotedPool, err := quote(pool)
	if err != nil {
		return "", err
	}
	quotedVM, err := quote(vm)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("ElasticPool = %s\nElasticVM = %s\n%s", quotedPool, quotedVM, workerConf), nil
}
