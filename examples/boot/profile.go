package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/requestspec"
)

// ensureProfile makes the device profile unless Cyborg has it, and says whether it made it. Another profile of that name
// is never used: the devices would not be those of the file.
func ensureProfile(ctx context.Context, cyborg *cyborgclient.Client, profile cyborgclient.DeviceProfileCreate) (bool, error) {
	there, err := cyborg.DeviceProfileByName(ctx, profile.Name)
	if errors.Is(err, cyborgclient.ErrNotFound) {
		_, err = cyborg.CreateDeviceProfile(ctx, profile)
		return err == nil, err
	}
	if err != nil || slices.EqualFunc(there.Groups, profile.Groups, sameGroup) {
		return false, err
	}
	return false, fmt.Errorf("device profile %s is already there with other groups: %s, the file has %s: rename yours, "+
		"in its file and in the flavor", profile.Name, groupsText(there.Groups), groupsText(profile.Groups))
}

// sameGroup compares without regard to the order of keys; Cyborg keeps numbers as texts.
func sameGroup(a, b requestspec.ProfileGroup) bool { return maps.Equal(groupTexts(a), groupTexts(b)) }

func groupTexts(group requestspec.ProfileGroup) map[string]string {
	texts := make(map[string]string, len(group))
	for _, property := range group {
		texts[property.Key] = fmt.Sprint(property.Value)
	}
	return texts
}

func groupsText(groups []requestspec.ProfileGroup) string {
	text, err := json.Marshal(groups)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
