// Package computetest is one project of an OpenStack cloud that serves HTTP, for tests of package openstack and of
// programs that use it: Nova's servers with quotas, capacity and builds that take their time or fail, the parts of
// Keystone, Glance, Neutron and Cinder that a pool of VMs needs, and faults that can be set to happen.
//
//	cloud := computetest.Start(t, computetest.WithQuota(computetest.Quota{Cores: 8, RAM: -1, Instances: -1, Ports: -1}))
//
// [Start] listens on the loopback, and [Server.Transport] reaches a server without a socket, also inside a
// testing/synctest bubble. OS_AUTH_URL is the address with /identity/v3 behind it; any user and password logs in, and the
// catalog has the services below the address that was asked. [WithService] adds others to it, such as a Cyborg.
//
// Names and ids: flavors small (1 CPU, 2048 MB) and fpga (4 CPUs, 8192 MB, with device profile fpga), image worker,
// network jobs with 1000 addresses; options replace them. It mirrors Nova at microversion 2.69
// (nova/api/openstack/compute/servers.py) and refuses requests for newer ones than [WithMaxVersion] allows.
package computetest
