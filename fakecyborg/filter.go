package fakecyborg

import (
	"slices"
	"strconv"
	"strings"
)

// filter is the query parameter "filters" in the form that the real server
// understands: filters.field and filters.value.
// It mirrors cyborg/api/controllers/types.py:FilterType.
type filter struct {
	given     bool
	name      string
	ascending bool
	atMost    int
}

// filterFields are the fields that may be named; only the sort direction, the
// limit, and for deployables the name, have an effect.
var filterFields = []string{
	"parent_uuid", "root_uuid", "board", "availability", "interface_type", "instance_uuid",
	"limit", "marker", "sort_key", "sort_dir", "name",
}

// filterParameters are the query parameters of a filter.
var filterParameters = []string{"filters.field", "filters.value"}

func (x *exchange) readFilter() (filter, error) {
	field, hasField := x.query["filters.field"]
	value, hasValue := x.query["filters.value"]
	if !hasField && !hasValue {
		return filter{}, nil
	}
	if !slices.Contains(filterFields, field) {
		return filter{}, badRequest("Invalid input for field/attribute field. Value: '%s'. Value should be one of: %s", field, strings.Join(filterFields, ", "))
	}
	f := filter{given: true}
	switch field {
	case "name":
		f.name = value
	case "sort_dir":
		f.ascending = value == "asc"
	case "limit":
		atMost, err := strconv.Atoi(value)
		if err != nil || atMost < 0 {
			return filter{}, broken("invalid literal for int() with base 10: %s", pythonRepr(value))
		}
		f.atMost = atMost
	}
	return f, nil
}

// limit is how many of so many rows are shown.
func (f filter) limit(rows int) int {
	if f.atMost == 0 {
		return rows
	}
	return min(f.atMost, rows)
}
