package elasticpool

import (
	"fmt"
	"strconv"
)

// Keys of a server's metadata. They are the truth about the pool: a provider stores all of them, and touches no server
// whose TagPool is not its pool's.
const (
	TagPool       = "elasticpool.pool"
	TagVM         = "elasticpool.vm"
	TagClass      = "elasticpool.class"
	TagQueue      = "elasticpool.queue"
	TagGeneration = "elasticpool.controller"
)

// Tags returns the metadata of the server that spec asks for.
func (s ServerSpec) Tags() map[string]string {
	tags := map[string]string{
		TagPool: s.Pool, TagVM: s.VM, TagClass: s.Class.Name, TagGeneration: strconv.FormatInt(s.Generation, 10),
	}
	if s.Queue != "" {
		tags[TagQueue] = s.Queue
	}
	return tags
}

// ServerOfTags returns the server that tags speak of, without what only the cloud knows. It is false for servers of
// other pools, of nobody, and for tags without a VM id.
func ServerOfTags(pool string, tags map[string]string) (Server, bool) {
	if tags[TagPool] != pool || tags[TagVM] == "" {
		return Server{}, false
	}
	generation, err := strconv.ParseInt(tags[TagGeneration], 10, 64)
	if err != nil {
		generation = 0 // older than every controller's: it is adopted like one of a controller that is no more
	}
	return Server{VM: tags[TagVM], Pool: pool, Class: tags[TagClass], Queue: tags[TagQueue], Generation: generation}, true
}

// ServerName returns the name of a server, for people; the tags are what counts.
func ServerName(pool, vm string) string { return fmt.Sprintf("ep-%s-%s", pool, vm) }
