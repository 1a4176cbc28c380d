package fakecyborg

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// filter is the query parameter "filters" in the form that the real server
// understands: filters.field and filters.value.
// It mirrors cyborg/api/controllers/types.py:FilterType.
type filter struct {
	given bool
	name  string
	// nothing says that there is a name without value, or with an empty one, which no row has.
	nothing   bool
	ascending bool
	// sortKey is the column that comes before the id.
	sortKey string
	// atMost is how many rows are shown, nil for all.
	atMost *int
}

// filterFields are the fields that may be named; only the sort key and direction,
// the limit, and for deployables the name, have an effect.
var filterFields = []string{
	"parent_uuid", "root_uuid", "board", "availability", "interface_type", "instance_uuid",
	"limit", "marker", "sort_key", "sort_dir", "name",
}

// filterParameters are the query parameters of a filter.
var filterParameters = []string{"filters", "filters.field", "filters.value"}

// checkFilter refuses what is no filter, before anything else of the query is
// looked at.
func (q query) checkFilter() *fault {
	if text := q["filters"]; text != "" {
		return badRequest("Invalid input for field/attribute filters. Value: '%s'. unable to convert to ArrayType. Error: FilterType() takes no arguments", text)
	}
	if field, given := q["filters.field"]; given && !slices.Contains(filterFields, field) {
		return badRequest("Invalid input for field/attribute field. Value: '%s'. Value should be one of: %s", field, strings.Join(filterFields, ", "))
	}
	return nil
}

func (x *exchange) readFilter() (filter, error) {
	field, hasField := x.query["filters.field"]
	value, hasValue := x.query["filters.value"]
	if !hasField && !hasValue {
		return filter{}, nil
	}
	f := filter{given: true, sortKey: "created_at"}
	switch field {
	case "name":
		f.name, f.nothing = value, value == ""
	case "sort_key":
		if value != "" {
			f.sortKey = value
		}
	case "sort_dir":
		if value != "asc" && value != "desc" {
			return filter{}, broken("Unknown sort direction, must be one of: asc-nullsfirst, asc-nullslast, desc-nullsfirst, desc-nullslast")
		}
		f.ascending = value == "asc"
	case "limit":
		limit, err := pythonInt(value)
		if err != nil {
			return filter{}, asFault(err)
		}
		if limit < 0 {
			return filter{}, broken("(pymysql.err.ProgrammingError) (1064, \"You have an error in your SQL syntax near '%d'\")", limit)
		}
		f.atMost = new(int(min(limit, math.MaxInt)))
	}
	return f, nil
}

// columns are the columns by which rows can be sorted, as text whose order is
// that of the values.
type columns[R any] map[string]func(R) string

// arrange sorts rows, which come in the order of their ids, and cuts them off.
// Without a filter they stay; with any the last come first, also among equals.
// It mirrors cyborg/db/sqlalchemy/api.py:_paginate_query.
func arrange[R any](f filter, rows []R, by columns[R]) ([]R, error) {
	if !f.given {
		return rows, nil
	}
	text, known := by[f.sortKey]
	if !known {
		return nil, badRequest("The sort_key value \"%s\" is an invalid field for sorting", f.sortKey)
	}
	slices.SortStableFunc(rows, func(a, b R) int { return strings.Compare(sameKey(text(a)), sameKey(text(b))) })
	if !f.ascending {
		slices.Reverse(rows)
	}
	if f.atMost != nil {
		rows = rows[:min(*f.atMost, len(rows))]
	}
	return rows, nil
}

// numberText is a number whose order as text is its own.
func numberText(n int) string { return fmt.Sprintf("%020d", n) }

// timeText is a time whose order as text is its own; one that is not set comes first.
func timeText(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
