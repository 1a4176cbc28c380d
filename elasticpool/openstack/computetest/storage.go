package computetest

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
)

// Volume is a volume of Cinder.
type Volume struct {
	ID       string
	Status   string
	Size     int
	Metadata map[string]string
	Server   string // that it is attached to
}

// AddVolume puts a volume into the project.
func (s *Server) AddVolume(volume Volume) string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if volume.ID == "" {
		volume.ID = uuid.NewString()
	}
	s.volumes = append(s.volumes, &volume)
	return volume.ID
}

// Volumes returns the volumes.
func (s *Server) Volumes() []Volume {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.pass()
	all := make([]Volume, len(s.volumes))
	for i, volume := range s.volumes {
		all[i] = *volume
	}
	return all
}

// attach makes the boot volume of a server.
func (s *Server) attach(instance *Instance, devices []bootDevice) {
	for _, device := range devices {
		volume := &Volume{ID: uuid.NewString(), Status: "in-use", Size: device.Size, Server: instance.ID}
		s.volumes = append(s.volumes, volume)
		if device.Dies {
			instance.Volumes = append(instance.Volumes, volume.ID)
		}
	}
}

func (s *Server) listVolumes(w http.ResponseWriter, r *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.pass()
	// The filter is a dictionary as Python prints it.
	filter := r.URL.Query().Get("metadata")
	list := []map[string]any{}
	for _, v := range s.volumes {
		attachments := []map[string]string{}
		if v.Server != "" && v.Status == "in-use" {
			attachments = append(attachments, map[string]string{"server_id": v.Server, "volume_id": v.ID})
		}
		if filterPasses(filter, v.Metadata) {
			list = append(list, map[string]any{
				"id": v.ID, "status": v.Status, "size": v.Size, "metadata": v.Metadata, "attachments": attachments,
			})
		}
	}
	reply(w, http.StatusOK, map[string]any{"volumes": list})
}

func filterPasses(filter string, metadata map[string]string) bool {
	filter = strings.Trim(filter, "{} ")
	if filter == "" {
		return true
	}
	for pair := range strings.SplitSeq(filter, ",") {
		key, value, _ := strings.Cut(pair, ":")
		if metadata[strings.Trim(key, "' ")] != strings.Trim(value, "' ") {
			return false
		}
	}
	return true
}

func (s *Server) volume(id string) *Volume {
	s.pass()
	for _, volume := range s.volumes {
		if volume.ID == id {
			return volume
		}
	}
	return nil
}

func (s *Server) tagVolume(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Metadata map[string]string `json:"metadata"`
	}
	if !read(w, r, &request) {
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	volume := s.volume(chi.URLParam(r, "id"))
	if volume == nil {
		refuse(w, http.StatusNotFound, "Volume could not be found.")
		return
	}
	if volume.Metadata == nil {
		volume.Metadata = make(map[string]string)
	}
	maps.Copy(volume.Metadata, request.Metadata)
	reply(w, http.StatusOK, map[string]any{"metadata": volume.Metadata})
}

func (s *Server) deleteVolume(w http.ResponseWriter, r *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	volume := s.volume(chi.URLParam(r, "id"))
	switch {
	case volume == nil:
		refuse(w, http.StatusNotFound, "Volume could not be found.")
	case volume.Status == "in-use":
		refuse(w, http.StatusBadRequest, "Invalid volume: Volume status must be available or error or error_restoring or error_extending or error_managing.")
	default:
		s.volumes = slices.DeleteFunc(s.volumes, func(v *Volume) bool { return v == volume })
		reply(w, http.StatusAccepted, nil)
	}
}

func (s *Server) listImages(w http.ResponseWriter, r *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	list := []map[string]any{}
	for _, image := range s.images {
		// Like a Glance that filters by a part of the name: the client has to compare.
		if strings.Contains(image.Name, r.URL.Query().Get("name")) {
			list = append(list, map[string]any{"id": image.ID, "name": image.Name, "status": image.Status, "min_disk": image.MinDisk})
		}
	}
	reply(w, http.StatusOK, map[string]any{"images": list})
}

// SetImages replaces the images.
func (s *Server) SetImages(images ...Image) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.images = images
}
