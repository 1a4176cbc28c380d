package fault

import (
	"reflect"
	"strings"
)

// parameter is one field of a rule or a fault that texts can set.
type parameter struct {
	name  string
	index int
}

// parameters are the fields with a json tag, in order.
func parameters(of reflect.Type) []parameter {
	var list []parameter
	for i := range of.NumField() {
		if name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ","); name != "" {
			list = append(list, parameter{name: name, index: i})
		}
	}
	return list
}

func names(of reflect.Type) []string {
	list := []string{}
	for _, p := range parameters(of) {
		list = append(list, p.name)
	}
	return list
}
