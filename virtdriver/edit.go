package virtdriver

import (
	"bytes"
	"slices"
)

// edit puts a text in the place of the bytes between two offsets.
type edit struct {
	from, to int
	text     string
}

// apply makes the edits, which do not overlap. Those at one place keep their
// order.
func (d *domain) apply(edits []edit) []byte {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b edit) int { return a.from - b.from })
	size := len(d.text)
	for _, e := range edits {
		size += len(e.text)
	}
	result, done := make([]byte, 0, size), 0
	for _, e := range edits {
		result = append(append(result, d.text[done:e.from]...), e.text...)
		done = e.to
	}
	return append(result, d.text[done:]...)
}

// insert gives the text with the devices in it: each kind after the last of its
// kind, or else before the white space that ends <devices>. Nothing is put after
// a device, so what was put before it tells all that must go when it is taken out.
func (d *domain) insert(devices []device) ([]byte, error) {
	if len(devices) == 0 {
		return bytes.Clone(d.text), nil
	}
	var edits []edit
	for _, tag := range []string{tagInterface, tagHostdev} {
		of := slices.DeleteFunc(slices.Clone(devices), func(other device) bool { return other.tag != tag })
		if len(of) == 0 {
			continue
		}
		fragment, err := d.style(tag).write(of)
		if err != nil {
			return nil, err
		}
		at := d.contentEnd()
		if last, ok := d.last(tag); ok {
			at = last.end
		}
		edits = append(edits, edit{at, at, fragment})
	}
	if opened, isEmpty := d.open(); isEmpty {
		edits = slices.Insert(edits, 0, opened...)
		edits = append(edits, edit{d.inner, d.inner, d.closingTag()})
	}
	text := d.apply(edits)
	return text, checkSize(text)
}

const emptyEnd = "/>"

// open turns the slash of <devices/> into a blank, by which remove knows it again.
func (d *domain) open() (edits []edit, isEmpty bool) {
	if !bytes.HasSuffix(d.text[:d.inner], []byte(emptyEnd)) {
		return nil, false
	}
	return []edit{{d.inner - len(emptyEnd), d.inner, openedEnd}}, true
}

const openedEnd = " >"

func (d *domain) closingTag() string {
	outer := styleAt(d.text, d.devices.start)
	return outer.newline + outer.indent + "</devices>"
}

// removal takes a device out with the white space before it.
func (d *domain) removal(at place) edit { return d.cut(d.inner, at.start, at.end) }

// cut takes out what lies between two offsets, with the white space before it but
// nothing before inner.
func (d *domain) cut(inner, start, end int) edit {
	return edit{from: inner + len(bytes.TrimRight(d.text[inner:start], blanks)), to: end}
}

// remove makes edits and closes a <devices > again that is empty thereby.
func (d *domain) remove(edits []edit) []byte {
	left := d.contentEnd() - d.inner
	for _, e := range edits {
		left -= e.to - e.from - len(e.text)
	}
	opened := bytes.HasSuffix(d.text[:d.inner], []byte(openedEnd)) && string(d.text[d.contentEnd():d.devices.end]) == d.closingTag()
	if left == 0 && len(edits) > 0 && opened {
		return d.apply([]edit{{d.inner - len(openedEnd), d.devices.end, emptyEnd}})
	}
	return d.apply(edits)
}
