package opennebula

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Cloud is an OpenNebula, for one user. It is an elasticpool.Provider.
type Cloud struct {
	client   *client
	config   config
	noSearch atomic.Bool // oned's database cannot search

	mu  sync.Mutex
	own elasticpool.Resources // what the pool's VMs took at the last look
}

var _ elasticpool.Provider = (*Cloud)(nil)

// tries is how often a list is read that changes meanwhile.
const tries = 3

// notDone asks for VMs in all states but DONE (src/rm/api/VirtualMachinePoolAPI.cc: NOT_DONE).
const notDone = -1

// Servers returns the user's VMs that bear the pool's tag.
func (c *Cloud) Servers(ctx context.Context, pool string) ([]elasticpool.Server, bool, error) {
	const op = "list VMs"
	var all []vm
	whole := false
	for try := 0; try < tries && !whole; try++ {
		var err error
		if all, whole, err = c.list(ctx, pool); err != nil {
			return nil, false, fault(op, false, err)
		}
	}
	servers := []elasticpool.Server{}
	own := elasticpool.Resources{}
	now := time.Now()
	for _, one := range all {
		if server, ours := one.server(pool, now); ours {
			servers = append(servers, server)
			own = own.Plus(one.takes())
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.own = own
	return servers, whole, nil
}

// list reads the list of VMs page by page. Each page begins with the last VM of the page before; whole is false if one does not.
func (c *Cloud) list(ctx context.Context, pool string) (all []vm, whole bool, err error) {
	seen := map[int]bool{}
	for offset := 0; ; offset += c.config.page - 1 {
		page, err := c.page(ctx, pool, offset)
		if err != nil {
			return nil, false, err
		}
		if offset > 0 && (len(page) == 0 || page[0].ID != all[len(all)-1].ID) {
			return all, false, nil
		}
		for _, one := range page {
			if !seen[one.ID] {
				seen[one.ID] = true
				all = append(all, one)
			}
		}
		if len(page) < c.config.page {
			return all, true, nil
		}
	}
}

// page reads a page of the list. An end below -1 is a page's size, and the start is its offset then.
func (c *Cloud) page(ctx context.Context, pool string, offset int) ([]vm, error) {
	var list struct {
		VMs []vm `xml:"VM"`
	}
	search := ""
	if !c.noSearch.Load() && searchable(pool) {
		search = "VM.USER_TEMPLATE." + attribute(elasticpool.TagPool) + "=" + pool
	}
	text, err := c.client.text(ctx, "one.vmpool.infoextended", c.config.filter, offset, -c.config.page, notDone, search)
	if search != "" && isCode(err, codeInternal) && strings.Contains(err.Error(), "JSON query") {
		c.noSearch.Store(true)
		return c.page(ctx, pool, offset)
	}
	if err != nil {
		return nil, err
	}
	err = parseXML("list of VMs", text, &list)
	return list.VMs, err
}

// searchable tells whether a name means itself in a search.
func searchable(pool string) bool { return pool != "" && !strings.ContainsAny(pool, `&=%_\'"`) }
