package driver

import "fmt"

// Image is a bitstream in the image service.
type Image struct {
	// ID is the image's UUID; a device profile asks for it by accel:bitstream_id.
	ID string
	// FunctionID is the property accel:function_id: what the image makes of the
	// region, and what a device profile can ask for instead. May be empty.
	FunctionID string
	// RegionID is the region that the image is made for, empty when it fits any.
	RegionID string
}

// Images are what the image service holds.
type Images []Image

// ByID returns the image of that UUID, or [ErrImage].
// It mirrors cyborg/objects/extarq/fpga_ext_arq.py:FPGAExtARQ._get_bitstream_md_from_bitstream_id.
func (i Images) ByID(id string) (Image, error) {
	return i.only("bitstream "+id, func(image Image) bool { return image.ID == id })
}

// ByFunction returns the one image with that function id; none, or more than
// one, is [ErrImage].
// It mirrors cyborg/objects/extarq/fpga_ext_arq.py:FPGAExtARQ._get_bitstream_md_from_function_id.
func (i Images) ByFunction(id string) (Image, error) {
	return i.only("function "+id, func(image Image) bool { return image.FunctionID == id })
}

func (i Images) only(what string, matches func(Image) bool) (Image, error) {
	var found []Image
	for _, image := range i {
		if matches(image) {
			found = append(found, image)
		}
	}
	if len(found) != 1 {
		return Image{}, fmt.Errorf("find the image of %s: %w, there are %d", what, ErrImage, len(found))
	}
	return found[0], nil
}
