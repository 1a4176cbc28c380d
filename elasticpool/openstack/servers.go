package openstack

import (
	"context"
	"maps"
	"net/url"
	"slices"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Servers returns the servers that bear the pool's tag. All pages of the project's servers are read, since Nova cannot
// filter by metadata. complete is false when a page could not be read after the first, when the server that the next
// page begins after was deleted meanwhile, when Nova shows the same page for ever, and when servers are hidden because
// their cell is down.
func (p *Provider) Servers(ctx context.Context, pool string) (servers []elasticpool.Server, complete bool, err error) {
	all, complete, err := p.list(ctx, nil)
	if err != nil {
		return nil, false, classify(p.op("list servers"), err)
	}
	for _, s := range all {
		if own, ok := s.of(pool); ok {
			servers = append(servers, own)
		}
	}
	p.memory.saw(servers, complete)
	return servers, complete, nil
}

type serverPage struct {
	Servers []server           `json:"servers"`
	Links   []gophercloud.Link `json:"servers_links"`
}

// next returns what the next page begins after; "" after the last. Only the marker is taken from the link: behind a proxy
// its address may be one that cannot be reached.
func (page serverPage) next() string {
	for _, link := range page.Links {
		if link.Rel != "next" {
			continue
		}
		if next, err := url.Parse(link.Href); err == nil && next.Query().Get("marker") != "" {
			return next.Query().Get("marker")
		}
		if len(page.Servers) > 0 {
			return page.Servers[len(page.Servers)-1].ID
		}
	}
	return ""
}

// list reads the servers of the project that the query lets pass, each once.
func (p *Provider) list(ctx context.Context, query url.Values) (all []server, complete bool, err error) {
	query = maps.Clone(query)
	if query == nil {
		query = make(url.Values)
	}
	read, markers := make(map[string]bool), make(map[string]bool)
	for {
		page, err := p.page(ctx, query)
		switch {
		case err != nil && (len(markers) == 0 || ctx.Err() != nil):
			return nil, false, err
		case err != nil:
			p.log.Warn("list of servers ends half-way", "error", classify("list servers", err), "read", len(all))
			return all, false, nil
		}
		for _, s := range page.Servers {
			if !read[s.ID] {
				read[s.ID] = true
				all = append(all, s)
			}
		}
		marker := page.next()
		if marker == "" || markers[marker] {
			return all, marker == "" && !slices.ContainsFunc(all, server.hidden), nil
		}
		markers[marker] = true
		query.Set("marker", marker)
	}
}

func (p *Provider) page(ctx context.Context, query url.Values) (serverPage, error) {
	var page serverPage
	address := p.compute.ServiceURL("servers", "detail")
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	err := p.get(ctx, p.compute, address, &page)
	return page, err
}

// get reads one answer. The body is read and closed by gophercloud.
func (*Provider) get(ctx context.Context, client *gophercloud.ServiceClient, address string, into any) error {
	_, err := client.Get(ctx, address, into, &gophercloud.RequestOpts{OkCodes: []int{200, 203}}) //nolint:bodyclose // closed by gophercloud
	return err
}

// server reads one server.
func (p *Provider) server(ctx context.Context, id string) (server, error) {
	var answer struct {
		Server server `json:"server"`
	}
	err := p.get(ctx, p.compute, p.compute.ServiceURL("servers", url.PathEscape(id)), &answer)
	return answer.Server, err
}
