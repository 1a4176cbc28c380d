package requestspec

import (
	"strings"
)

// readImage adds the traits that the image requires to the unsuffixed group
// (nova/objects/image_meta.py:ImageMetaProps, nova/scheduler/utils.py:ResourceRequest._process_image_meta).
func (b *builder) readImage() error {
	for _, key := range sortedKeys(b.in.Image) {
		p := Property{Key: key, Value: b.in.Image[key]}
		trait, ok := strings.CutPrefix(key, "trait:")
		if !ok {
			b.noteImageKey(p)
			continue
		}
		if p.Value == "required" {
			b.addTrait(b.group(""), "image", trait, p)
			continue
		}
		b.note(newFinding("image", p, ErrTrait, "a trait of an image can only be required; Nova ignores it"))
	}
	return nil
}

// noteImageKey finds a key that was probably meant to be a trait or a resource. Of the latter an image can have none, and
// of the former only plain ones.
func (b *builder) noteImageKey(p Property) {
	_, name, found := strings.Cut(p.Key, ":")
	right := meantResourceOrTrait(p.Key, b.in.Image[p.Key])
	switch {
	case !found:
	case strings.HasPrefix(right, prefixTrait):
		b.note(newFinding("image", p, ErrKey, "key is not read: write trait:"+strings.TrimSpace(name)))
	case strings.HasPrefix(right, prefixResources):
		b.note(newFinding("image", p, ErrKey, "an image cannot ask for resources: write it into the flavor"))
	}
}
