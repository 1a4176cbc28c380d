package virtdriver

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/beevik/etree"
)

const tagVLAN = "vlan"

// vlanOf tells the tags of an interface's VLAN, and whether it takes others too;
// it is empty when there is none.
func vlanOf(element *etree.Element) string {
	var tags []string
	for _, vlan := range children(element, tagVLAN) {
		for _, tag := range children(vlan, "tag") {
			id := attribute(tag, "id")
			if n, ok := number(id); ok {
				id = strconv.FormatUint(n, 10)
			}
			tags = append(tags, id)
		}
		if attribute(vlan, "trunk") == "yes" {
			tags = append(tags, "trunk")
		}
	}
	return strings.Join(tags, ", ")
}

// vlanDifference tells, in words, when an interface has another VLAN than wanted
// or has one and should have none: the guest would be in another network than its
// port.
func vlanDifference(have, want *etree.Element) string {
	got, wanted := vlanOf(have), vlanOf(want)
	if got == wanted {
		return ""
	}
	return fmt.Sprintf("the VLAN of <%s> is %s, not %s", have.Tag, cmp.Or(got, "none"), cmp.Or(wanted, "none"))
}
