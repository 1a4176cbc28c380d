package computetest

import "time"

// Option changes a new server.
type Option func(*Server)

// Quota is what the project may have; -1 is any number.
type Quota struct{ Cores, RAM, Instances, Ports int }

// Unlimited is the quota of a server without WithQuota.
var Unlimited = Quota{Cores: -1, RAM: -1, Instances: -1, Ports: -1}

// Flavor is a flavor.
type Flavor struct {
	ID, Name         string
	VCPUs, RAM, Disk int
	ExtraSpecs       map[string]string
}

// Image is an image. Status is Glance's: active, queued and others.
type Image struct {
	ID, Name, Status string
	MinDisk          int
}

// Network is a network with one subnet of so many addresses.
type Network struct {
	ID, Name string
	Total    int
}

// WithQuota sets the project's quota.
func WithQuota(quota Quota) Option { return func(s *Server) { s.quota = quota } }

// WithHosts lets the cloud have room for so many servers; later ones end in ERROR with "No valid host was found".
func WithHosts(servers int) Option { return func(s *Server) { s.hosts = servers } }

// WithDelays sets how long a server is in BUILD, and how long in deletion. Both are zero at first.
func WithDelays(build, deletion time.Duration) Option {
	return func(s *Server) { s.build, s.deletion = build, deletion }
}

// WithFlavors replaces the flavors.
func WithFlavors(flavors ...Flavor) Option { return func(s *Server) { s.flavors = flavors } }

// WithImages replaces the images.
func WithImages(images ...Image) Option { return func(s *Server) { s.images = images } }

// WithNetworks replaces the networks.
func WithNetworks(networks ...Network) Option { return func(s *Server) { s.networks = networks } }

// WithPageSize is the most servers of one page (Nova's max_limit); 1000 at first.
func WithPageSize(servers int) Option { return func(s *Server) { s.pageSize = servers } }

// WithMaxVersion is the newest microversion of Nova, such as "2.60"; "2.96" at first.
func WithMaxVersion(version string) Option { return func(s *Server) { s.maxVersion = version } }

// WithService puts a service into the catalog, such as "accelerator".
func WithService(kind, url string) Option {
	return func(s *Server) { s.services[kind] = url }
}

// Without takes services out of the catalog: image, network, block-storage.
func Without(kinds ...string) Option {
	return func(s *Server) {
		for _, kind := range kinds {
			s.services[kind] = ""
		}
	}
}

// WithoutAdmin hides what only admins see: hosts of servers and addresses of networks.
func WithoutAdmin() Option { return func(s *Server) { s.plain = true } }

// WithLeftovers makes Nova forget what a deleted server had: its boot volume stays available.
func WithLeftovers() Option { return func(s *Server) { s.leaves = true } }

// WithSoftDelete makes Nova keep deleted servers for a while (reclaim_instance_interval).
func WithSoftDelete() Option { return func(s *Server) { s.soft = true } }
