package inputfile

import (
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// Place returns file:line of the key at a path of keys and list indexes. Where the path leaves the file it stays at what
// it has reached; if that is nothing, it is the file alone.
func Place(file string, content []byte, path ...string) string {
	var document yaml.Node
	if err := yaml.Unmarshal(content, &document); err != nil || len(document.Content) == 0 {
		return file
	}
	place, n := file, unwrap(document.Content[0])
	for _, step := range path {
		key, value := child(n, step)
		if key == nil {
			break
		}
		place, n = fmt.Sprintf("%s:%d", file, key.Line), resolve(value)
	}
	return place
}

// child returns the node that a step begins at, and what is there; nil if there is none.
func child(n *yaml.Node, step string) (key, value *yaml.Node) {
	if n.Kind == yaml.SequenceNode {
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(n.Content) {
			return n.Content[i], n.Content[i]
		}
		return nil, nil
	}
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if key := n.Content[i].Value; key == step || shownKeys[key] == step && step != "" {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}
