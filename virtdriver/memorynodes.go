package virtdriver

import (
	"slices"
	"strconv"
	"strings"
)

// memoryNodes are the NUMA nodes of the host that the guest's memory must come
// from; nil when the domain names none or does not insist.
func (d *domain) memoryNodes() ([]int, error) {
	root, err := d.root()
	if err != nil {
		return nil, err
	}
	tune := firstChild(root, "numatune")
	if tune == nil {
		return nil, nil
	}
	var nodes []int
	for _, name := range []string{"memory", "memnode"} {
		for _, memory := range children(tune, name) {
			if mode := attributeOr(memory, "mode", "strict"); mode == "strict" || mode == "restrictive" {
				nodes = append(nodes, nodeSet(attribute(memory, "nodeset"))...)
			}
		}
	}
	slices.Sort(nodes)
	return slices.Compact(nodes), nil
}

// maxNode bounds a range of nodes; Linux has at most 1024.
const maxNode = 1023

// nodeSet reads "0-3,^2,8" as libvirt does (libvirt: src/util/virbitmap.c,
// virBitmapParse); what is no node is passed over.
func nodeSet(text string) []int {
	set := make(map[int]bool)
	for part := range strings.SplitSeq(text, ",") {
		part, without := strings.CutPrefix(strings.TrimSpace(part), "^")
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		from, err := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if err != nil || err2 != nil {
			continue
		}
		for node := max(from, 0); node <= min(to, maxNode); node++ {
			set[node] = !without
		}
	}
	var nodes []int
	for node := range maxNode + 1 {
		if set[node] {
			nodes = append(nodes, node)
		}
	}
	return nodes
}
