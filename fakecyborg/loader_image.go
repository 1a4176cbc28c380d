package fakecyborg

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// What ids of functions and regions may hold.
var (
	functionRule = regexp.MustCompile(`^[0-9A-Za-z_-]{0,200}$`)
	regionRule   = regexp.MustCompile(`^[0-9A-Fa-f-]{0,200}$`)
)

// loadImages checks the images of a seed.
func (l *loader) loadImages(images driver.Images) error {
	for i, image := range images {
		path := fmt.Sprintf("images[%d]", i)
		switch {
		case image.ID == "":
			return l.fail(path+".id", errors.New("an image needs an id"))
		case !looksLikeUUID(image.ID):
			return l.fail(path+".id", fmt.Errorf("%q is not a uuid", image.ID))
		case !functionRule.MatchString(image.FunctionID):
			return l.fail(path+".function_id", fmt.Errorf("%q: want at most 200 letters, digits, underscores and dashes", image.FunctionID))
		case !regionRule.MatchString(image.RegionID):
			return l.fail(path+".region_id", fmt.Errorf("%q: want hexadecimal digits and dashes", image.RegionID))
		}
		if err := l.claim(path+".id", "image", image.ID); err != nil {
			return err
		}
	}
	return nil
}
