package virtdriver

import (
	"strings"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// SplitARQs tells the ARQs of an instance's flavor from those of its ports.
// portARQs maps the id of a port to the uuid of its ARQ, as the binding profiles
// of the ports say. It is an error when the ARQ of a port is not there or is
// that of another port too.
func SplitARQs(arqs []cyborgclient.ARQ, portARQs map[string]string) (flavor []cyborgclient.ARQ, ports map[string]cyborgclient.ARQ, err error) {
	owner := make(map[string]string, len(portARQs))
	for port, arq := range portARQs {
		key := strings.ToLower(arq)
		if other, twice := owner[key]; twice {
			return nil, nil, &ComposeError{Op: opSplit, ARQs: []string{arq}, Err: wrap(ErrPort, "%s and %s have the same ARQ", min(port, other), max(port, other))}
		}
		owner[key] = port
	}
	ports = make(map[string]cyborgclient.ARQ, len(portARQs))
	for _, arq := range arqs {
		if port, ok := owner[strings.ToLower(arq.UUID)]; ok {
			ports[port] = arq
			continue
		}
		flavor = append(flavor, arq)
	}
	for port, arq := range portARQs {
		if _, ok := ports[port]; !ok {
			return nil, nil, &ComposeError{Op: opSplit, ARQs: []string{arq}, Err: wrap(ErrPort, "%s has an ARQ that is not among the %d of the instance", port, len(arqs))}
		}
	}
	return flavor, ports, nil
}
