package config

import (
	"errors"
	"net"
	"strconv"
	"strings"

	"github.com/novacyborg/novacyborg/elasticpool/condor"
	"github.com/novacyborg/novacyborg/elasticpool/jsonfeed"
	"github.com/novacyborg/novacyborg/elasticpool/userdata"
)

// validate returns every fault of the configuration, those of its policy with them.
func (c *Config) validate() error {
	f := &faults{}
	c.checkBatch(f)
	c.checkZeros(f)
	f.that(c.State != "", "name the directory of the pool's journal", "state")
	for i, class := range c.Classes {
		f.wrong(userdata.Check(class), "classes", i, "user_data")
		f.that(c.JoinTokenFile != "" || !strings.Contains(class.UserData, "joinToken"), "{{joinToken}} needs join_token_file", "classes", i, "user_data")
	}
	for i := range c.Clouds {
		c.Clouds[i].check(f, "clouds", i)
	}
	checkAddress(f, c.HTTP.Listen, c.HTTP.Expose, "http", "listen")
	checkAddress(f, c.Quota.Listen, c.Quota.Expose, "quota", "listen")
	c.HTTP.TLS.check(f, c.HTTP.Listen, "http", "tls")
	c.Quota.TLS.check(f, c.Quota.Listen, "quota", "tls")
	f.that(!c.Quota.Expose || c.Quota.TokenFile != "" || c.Quota.TLS.knowsClients(),
		"others may reach the quota service only with a token or a certificate: set token_file, or tls.client_ca_file", "quota", "expose")
	f.that(c.DecisionLog.MaxBytes > 0, "a size is above zero", "decision_log", "max_bytes")
	return errors.Join(c.Policy().Validate(), f.err())
}

// checkBatch lets the batch system's own package judge its part; it asks nothing.
func (c *Config) checkBatch(f *faults) {
	f.that((c.HTCondor == nil) != (c.JSON == nil), "name one batch system: htcondor or json", "htcondor")
	if c.HTCondor != nil {
		_, err := condor.New(*c.HTCondor)
		f.told(err, "condor", "htcondor")
	}
	if c.JSON != nil {
		_, err := jsonfeed.New(*c.JSON)
		f.told(err, "jsonfeed", "json")
	}
}

func checkAddress(f *faults, address string, expose bool, at ...any) {
	if address == "" {
		return
	}
	host, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	f.that(err == nil, "an address is host:port", at...)
	f.that(err != nil || expose || loopback(host), "this address is not loopback: set expose to let others reach it", at...)
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
