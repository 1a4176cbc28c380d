package main

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// instance is an instance as EC2 tells of it.
type instance struct {
	ID        string    `xml:"instanceId"`
	State     string    `xml:"instanceState>name"`
	Reason    string    `xml:"stateReason>message"`
	Zone      string    `xml:"placement>availabilityZone"`
	PrivateIP string    `xml:"privateIpAddress"`
	PublicIP  string    `xml:"ipAddress"`
	Launched  time.Time `xml:"launchTime"`
	Cores     int64     `xml:"cpuOptions>coreCount"`
	Threads   int64     `xml:"cpuOptions>threadsPerCore"`
	Tags      []struct {
		Key   string `xml:"key"`
		Value string `xml:"value"`
	} `xml:"tagSet>item"`
}

// filter is a condition on instances: any of the values.
type filter struct {
	name   string
	values []string
}

func where(name string, values ...string) filter { return filter{name, values} }

// pageSize is the most that DescribeInstances gives at once.
const pageSize = 1000

// instances reads all pages of a list.
func (c *cloud) instances(ctx context.Context, filters ...filter) ([]instance, error) {
	form := url.Values{"MaxResults": {strconv.Itoa(pageSize)}}
	for i, one := range filters {
		form.Set(fmt.Sprintf("Filter.%d.Name", i+1), one.name)
		for j, value := range one.values {
			form.Set(fmt.Sprintf("Filter.%d.Value.%d", i+1, j+1), value)
		}
	}
	var all []instance
	for {
		var page struct {
			Instances []instance `xml:"reservationSet>item>instancesSet>item"`
			Next      string     `xml:"nextToken"`
		}
		if err := c.api.call(ctx, "DescribeInstances", form, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Instances...)
		if page.Next == "" {
			return all, nil
		}
		form.Set("NextToken", page.Next)
	}
}

// server returns an instance as a server of the pool; it is false if it is none.
func (i instance) server(pool string) (elasticpool.Server, bool) {
	tags := map[string]string{}
	for _, tag := range i.Tags {
		tags[tag.Key] = tag.Value
	}
	server, ours := elasticpool.ServerOfTags(pool, tags)
	server.ID, server.Status, server.Fault, server.Host, server.Created = i.ID, statusOf(i.State), i.Reason, i.Zone, i.Launched
	for _, address := range []string{i.PrivateIP, i.PublicIP} {
		if address != "" {
			server.Addresses = append(server.Addresses, address)
		}
	}
	return server, ours
}

// statusOf returns the status of a state. A stopping instance is no more active and not yet stopped.
func statusOf(state string) elasticpool.ServerStatus {
	switch state {
	case "pending":
		return elasticpool.ServerBuilding
	case "running":
		return elasticpool.ServerActive
	case "stopped":
		return elasticpool.ServerStopped
	case "shutting-down", "terminated":
		return elasticpool.ServerDeleting
	}
	return elasticpool.ServerUnknown
}
