package requestspec

import (
	"maps"
	"slices"
	"strings"
)

// readImage adds the traits that the image requires to the unsuffixed group
// (nova/objects/image_meta.py:ImageMetaProps, nova/scheduler/utils.py:ResourceRequest._process_image_meta).
func (b *builder) readImage() error {
	for _, key := range slices.Sorted(maps.Keys(b.in.Image)) {
		trait, ok := strings.CutPrefix(key, "trait:")
		if !ok {
			continue
		}
		p := Property{Key: key, Value: b.in.Image[key]}
		if p.Value == "required" {
			b.addTrait(b.group(""), "image", trait, p)
			continue
		}
		b.note(newFinding("image", p, ErrTrait, "a trait of an image can only be required; Nova ignores it"))
	}
	return nil
}
