package opennebula

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// patience is how long a VM may wait for a host.
const patience = 2 * time.Minute

// vm is a VM as oned tells of it (share/doc/xsd/vm.xsd).
type vm struct {
	ID       int    `xml:"ID"`
	State    int    `xml:"STATE"`
	LCMState int    `xml:"LCM_STATE"`
	Started  int64  `xml:"STIME"`
	User     fields `xml:"USER_TEMPLATE"`
	Template struct {
		CPU    float64 `xml:"CPU"`
		Memory int64   `xml:"MEMORY"`
		NICs   []struct {
			IP  string `xml:"IP"`
			IP6 string `xml:"IP6"`
		} `xml:"NIC"`
		PCIs  []pci `xml:"PCI"`
		Disks []struct {
			Size  int64  `xml:"SIZE"`
			Image string `xml:"IMAGE_ID"`
		} `xml:"DISK"`
	} `xml:"TEMPLATE"`
	History []struct {
		Hostname string `xml:"HOSTNAME"`
	} `xml:"HISTORY_RECORDS>HISTORY"`
}

// pci is a device of a VM or of a host.
type pci struct {
	Class string `xml:"CLASS"`
	VM    string `xml:"VMID"` // of a host's; -1: free
}

// fields are single attributes by their name.
type fields map[string]string

// UnmarshalXML reads the elements that have text only.
func (f *fields) UnmarshalXML(d *xml.Decoder, _ xml.StartElement) error {
	*f = fields{}
	for {
		token, err := d.Token()
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.EndElement:
			return nil
		case xml.StartElement:
			var field struct {
				Text     string `xml:",chardata"`
				Children []struct {
					XMLName xml.Name
				} `xml:",any"`
			}
			if err := d.DecodeElement(&field, &token); err != nil {
				return err
			}
			if len(field.Children) == 0 {
				(*f)[token.Name.Local] = field.Text
			}
		}
	}
}

// attribute returns the name that a tag has in a template: those have letters, digits and underscores.
func attribute(tag string) string {
	return strings.ToUpper(strings.ReplaceAll(tag, ".", "_"))
}

// tagNames are the tags of servers.
var tagNames = []string{
	elasticpool.TagPool, elasticpool.TagVM, elasticpool.TagClass, elasticpool.TagQueue, elasticpool.TagGeneration,
}

// tags returns the tags of the VM.
func (v vm) tags() map[string]string {
	tags := map[string]string{}
	for _, name := range tagNames {
		if value, ok := v.User[attribute(name)]; ok {
			tags[name] = value
		}
	}
	return tags
}

// server returns the VM as a server of the pool; it is false if it is none.
func (v vm) server(pool string, now time.Time) (elasticpool.Server, bool) {
	server, ours := elasticpool.ServerOfTags(pool, v.tags())
	if !ours {
		return server, false
	}
	server.ID, server.Status = strconv.Itoa(v.ID), statusOf(v.State, v.LCMState)
	if v.Started > 0 {
		server.Created = time.Unix(v.Started, 0).UTC()
	}
	for _, nic := range v.Template.NICs {
		for _, address := range []string{nic.IP, nic.IP6} {
			if address != "" {
				server.Addresses = append(server.Addresses, address)
			}
		}
	}
	if n := len(v.History); n > 0 {
		server.Host = v.History[n-1].Hostname
	}
	server.Fault = v.User["ERROR"]
	if waits := v.User["SCHED_MESSAGE"]; v.State == statePending && waits != "" && now.Sub(server.Created) > patience {
		server.Status, server.Fault = elasticpool.ServerError, waits
	}
	return server, true
}

// takes returns what the VM takes of quotas.
func (v vm) takes() elasticpool.Resources {
	used := elasticpool.Resources{
		elasticpool.VMs: 1, elasticpool.CPUs: ceil(v.Template.CPU), elasticpool.Memory: v.Template.Memory,
	}
	for _, device := range v.Template.PCIs {
		if name := device.resource(); name != "" {
			used[name]++
		}
	}
	return used
}

// resource returns what a device counts as: PCI class 03 is a display, 12 an accelerator.
func (p pci) resource() string {
	switch class := strings.TrimPrefix(strings.ToLower(p.Class), "0x"); {
	case strings.HasPrefix(class, "03"):
		return elasticpool.GPUs
	case strings.HasPrefix(class, "12"):
		return elasticpool.FPGAs
	}
	return ""
}

// parseXML reads a document of oned.
func parseXML(what, text string, into any) error {
	if err := xml.Unmarshal([]byte(text), into); err != nil {
		return fmt.Errorf("unclear %s: %w", what, err)
	}
	return nil
}
