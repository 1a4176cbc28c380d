package fakecyborg

import (
	"math"
	"net/http"
	"strings"
	"time"
)

// profile is a device profile.
// It mirrors cyborg/objects/device_profile.py:DeviceProfile.
type profile struct {
	id          int
	uuid, name  string
	description *string
	// groups hold strings, and nil where an accel: key has null.
	groups  []*object
	created time.Time
	// updated is what the caller of the creation gave: nothing changes a profile.
	updated time.Time
	// arqs counts the accelerator requests made of it.
	arqs int
}

// maxName is the length of the name's column.
const maxName = 255

// maxID is the greatest number that the id's column holds.
const maxID = math.MaxInt32

// addProfile stores a profile under the rules of the database. The id and uuid are
// made here unless the caller chose them.
func (s *store) addProfile(p *profile) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case p.id > maxID || p.id < -maxID-1:
		return outOfColumn(`(1264, "Out of range value for column 'id' at row 1")`)
	case len(p.name) > maxName:
		return outOfColumn(`(1406, "Data too long for column 'name' at row 1")`)
	}
	if p.uuid == "" {
		id, err := s.uuids.next()
		if err != nil {
			return err
		}
		p.uuid = id
	}
	if _, taken := s.profiles.get(p.uuid); taken || p.id != 0 && s.profiles.hasID(p.id) {
		return profileExists(p)
	}
	if _, taken := s.profileName[sameKey(p.name)]; taken {
		return s.release.duplicateName(p)
	}
	if p.created.IsZero() {
		p.created = s.now()
	}
	if p.id == 0 {
		p.id = s.profiles.lastID + 1
	}
	s.profiles.put(p.id, p.uuid, p)
	s.profileName[sameKey(p.name)] = p
	return nil
}

// outOfColumn is a value that a column does not take.
func outOfColumn(text string) *fault {
	return unforeseen(true, "DBDataError", "(pymysql.err.DataError) "+text)
}

// profileExists is the refusal of a second profile of an id or uuid, which are
// looked at before the name; the text is about the uuid in either case.
func profileExists(p *profile) *fault {
	return broken("DeviceProfile with uuid %s already exists.", p.uuid).overRPC()
}

// duplicateName is the refusal of a second profile of a name. Where MySQL's text was
// not understood it is taken for one about the uuid.
func (r Release) duplicateName(p *profile) *fault {
	if !r.DuplicateName {
		return profileExists(p)
	}
	return faultf(http.StatusConflict, "A device_profile with name %s already exists.", p.name).overRPC()
}

// findProfile looks a profile up by uuid if the text looks like one, else by
// name; the caller holds the lock.
func (s *store) findProfile(nameOrUUID string) (*profile, error) {
	if looksLikeUUID(nameOrUUID) {
		if p, ok := s.profiles.get(nameOrUUID); ok {
			return p, nil
		}
		return nil, s.release.missing("Device Profile", "uuid", nameOrUUID)
	}
	return s.namedProfile(nameOrUUID)
}

func (s *store) namedProfile(name string) (*profile, error) {
	if p, ok := s.profileName[sameKey(name)]; ok {
		return p, nil
	}
	return nil, s.release.missing("Device Profile", "name", name)
}

// profile returns a copy, for use without the lock.
func (s *store) profile(nameOrUUID string) (profile, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	p, err := s.findProfile(nameOrUUID)
	if err != nil {
		return profile{}, err
	}
	return *p, nil
}

// listProfiles returns copies in the order of their ids; names narrows the list
// to those names, spelled exactly.
func (s *store) listProfiles(names map[string]bool) []profile {
	s.mu.RLock()
	defer s.mu.RUnlock()
	found := []profile{}
	for p := range s.profiles.all {
		if names == nil || names[p.name] {
			found = append(found, *p)
		}
	}
	return found
}

// deleteProfiles deletes one by one and stops at the first that it cannot;
// those before stay deleted.
func (s *store) deleteProfiles(value string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	find := s.namedProfile
	if looksLikeUUID(value) { // in a list, everything is a name
		find = s.findProfile
	}
	for nameOrUUID := range strings.SplitSeq(value, ",") {
		p, err := find(nameOrUUID)
		if err != nil {
			return err
		}
		if !looksLikeUUID(p.uuid) {
			return notUUID(p.uuid)
		}
		if p.arqs > 0 {
			return profileInUse(p.uuid)
		}
		s.profiles.delete(p.uuid)
		delete(s.profileName, sameKey(p.name))
	}
	return nil
}

// profileInUse is what the foreign key of MariaDB makes of a profile with
// accelerator requests.
func profileInUse(uuid string) *fault {
	return broken("Remote error: DBReferenceError (pymysql.err.IntegrityError) (1451, 'Cannot delete or update a parent row: a foreign key constraint fails (`cyborg`.`extended_accelerator_requests`, CONSTRAINT `extended_accelerator_requests_ibfk_1` FOREIGN KEY (`device_profile_id`) REFERENCES `device_profiles` (`id`))')\n"+
		"[SQL: DELETE FROM device_profiles WHERE device_profiles.uuid = %%(uuid_1)s]\n"+
		"[parameters: {'uuid_1': '%s'}]\n"+
		"(Background on this error at: https://sqlalche.me/e/20/gkpj)", uuid).overRPC()
}
