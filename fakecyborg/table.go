package fakecyborg

// table keeps rows in the order in which they were added, as a database does by
// its ids; adding, finding and deleting cost the same however many rows there are.
type table[R any] struct {
	first, last *tableRow[R]
	byUUID      map[string]*tableRow[R]
	lastID      int
}

// tableRow is one row between its neighbours.
type tableRow[R any] struct {
	id             int
	row            R
	previous, next *tableRow[R]
}

// add appends a row under its uuid, which must be new, and returns its id,
// counted from 1.
func (t *table[R]) add(uuid string, row R) int {
	t.put(t.lastID+1, uuid, row)
	return t.lastID
}

// put adds a row under its id and uuid, which must both be new; rows added later
// get higher ids.
func (t *table[R]) put(id int, uuid string, row R) {
	if t.byUUID == nil {
		t.byUUID = make(map[string]*tableRow[R])
	}
	before := t.last
	for before != nil && before.id > id {
		before = before.previous
	}
	added := &tableRow[R]{id: id, row: row, previous: before}
	if before == nil {
		added.next, t.first = t.first, added
	} else {
		added.next, before.next = before.next, added
	}
	if added.next == nil {
		t.last = added
	} else {
		added.next.previous = added
	}
	t.byUUID[sameKey(uuid)] = added
	t.lastID = max(t.lastID, id)
}

// hasID says whether there is a row of that id; it looks at all of them.
func (t *table[R]) hasID(id int) bool {
	for at := t.first; at != nil; at = at.next {
		if at.id == id {
			return true
		}
	}
	return false
}

// get finds a row by its uuid.
func (t *table[R]) get(uuid string) (row R, ok bool) {
	found, ok := t.byUUID[sameKey(uuid)]
	if ok {
		row = found.row
	}
	return row, ok
}

// delete removes a row, if there is one of that uuid.
func (t *table[R]) delete(uuid string) {
	gone, ok := t.byUUID[sameKey(uuid)]
	if !ok {
		return
	}
	delete(t.byUUID, sameKey(uuid))
	if gone.previous == nil {
		t.first = gone.next
	} else {
		gone.previous.next = gone.next
	}
	if gone.next == nil {
		t.last = gone.previous
	} else {
		gone.next.previous = gone.previous
	}
}

// all yields the rows in order.
func (t *table[R]) all(yield func(R) bool) {
	for at := t.first; at != nil; at = at.next {
		if !yield(at.row) {
			return
		}
	}
}

// latest yields the rows from the last to the first.
func (t *table[R]) latest(yield func(R) bool) {
	for at := t.last; at != nil; at = at.previous {
		if !yield(at.row) {
			return
		}
	}
}
