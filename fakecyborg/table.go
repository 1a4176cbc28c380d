package fakecyborg

import "container/list"

// table keeps rows in the order in which they were added, as a database does by
// its ids; adding, finding and deleting cost the same however many rows there are.
type table[R any] struct {
	rows   list.List
	byUUID map[string]*list.Element
	lastID int
}

// add appends a row under its uuid and returns its id, counted from 1. A uuid
// that exists hides the older row.
func (t *table[R]) add(uuid string, row R) int {
	if t.byUUID == nil {
		t.byUUID = make(map[string]*list.Element)
	}
	t.byUUID[sameKey(uuid)] = t.rows.PushBack(row)
	t.lastID++
	return t.lastID
}

func (t *table[R]) get(uuid string) (R, bool) {
	if element, ok := t.byUUID[sameKey(uuid)]; ok {
		return element.Value.(R), true
	}
	var none R
	return none, false
}

func (t *table[R]) delete(uuid string) {
	if element, ok := t.byUUID[sameKey(uuid)]; ok {
		t.rows.Remove(element)
		delete(t.byUUID, sameKey(uuid))
	}
}

// all yields the rows in order.
func (t *table[R]) all(yield func(R) bool) {
	for element := t.rows.Front(); element != nil; element = element.Next() {
		if !yield(element.Value.(R)) {
			return
		}
	}
}
