package elasticpool

import (
	"fmt"

	"github.com/novacyborg/novacyborg/elasticpool/classad"
)

// deviceAd returns the ad of one device with the given properties, as YAML and JSON give them.
func deviceAd(properties map[string]any) (classad.Ad, error) {
	var ad classad.Ad
	for _, name := range sortedKeys(properties) {
		value, err := deviceProperty(properties[name])
		if err != nil {
			return classad.Ad{}, fmt.Errorf("%s: %w", name, err)
		}
		ad.Set(name, value)
	}
	return ad, nil
}

func deviceProperty(value any) (classad.Value, error) {
	switch value := value.(type) {
	case string:
		return classad.Text(value), nil
	case bool:
		return classad.Bool(value), nil
	case int:
		return classad.Int(int64(value)), nil
	case int64:
		return classad.Int(value), nil
	case float64:
		return classad.Real(value), nil
	}
	return classad.Value{}, fmt.Errorf("%v is neither text, number nor truth", value)
}
