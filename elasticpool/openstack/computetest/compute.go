package computetest

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
)

func (s *Server) listServers(w http.ResponseWriter, r *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.pass()
	query := r.URL.Query()
	name, err := regexp.Compile(query.Get("name"))
	if err != nil {
		refuse(w, http.StatusBadRequest, "Invalid regular expression")
		return
	}
	// Nova begins with the newest.
	newest := slices.Clone(s.instances)
	slices.Reverse(newest)
	begin := 0
	if marker := query.Get("marker"); marker != "" {
		at := slices.IndexFunc(newest, func(i *Instance) bool { return i.ID == marker })
		if at < 0 {
			refuse(w, http.StatusBadRequest, "marker ["+marker+"] not found")
			return
		}
		begin = at + 1
	}
	page := []map[string]any{}
	for _, instance := range newest[begin:] {
		if name.MatchString(instance.Name) && len(page) < s.pageSize {
			page = append(page, s.view(instance))
		}
	}
	answer := map[string]any{"servers": page}
	if len(page) == s.pageSize {
		query.Set("marker", fmt.Sprint(page[len(page)-1]["id"]))
		answer["servers_links"] = []map[string]string{{
			"rel": "next", "href": "http://behind.the.proxy.invalid/compute/v2.1/servers/detail?" + query.Encode(),
		}}
	}
	reply(w, http.StatusOK, answer)
}

func (s *Server) showServer(w http.ResponseWriter, r *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	id := chi.URLParam(r, "id")
	instance := s.instance(id)
	if instance == nil {
		refuse(w, http.StatusNotFound, "Instance "+id+" could not be found.")
		return
	}
	reply(w, http.StatusOK, map[string]any{"server": s.view(instance)})
}

// view is a server as Nova shows it at 2.69.
func (s *Server) view(i *Instance) map[string]any {
	if s.cellDown {
		return map[string]any{"id": i.ID, "status": "UNKNOWN", "tenant_id": Project, "created": second(i.Created)}
	}
	addresses := map[string]any{}
	for _, id := range i.Networks {
		for n, network := range s.networks {
			if network.ID == id && i.Status == "ACTIVE" {
				addresses[network.Name] = []map[string]any{{"addr": "10." + strconv.Itoa(n) + ".0." + i.ID[:2], "version": 4}}
			}
		}
	}
	volumes := []map[string]any{}
	for _, id := range i.Volumes {
		volumes = append(volumes, map[string]any{"id": id, "delete_on_termination": true})
	}
	view := map[string]any{
		"id": i.ID, "name": i.Name, "status": i.Status, "tenant_id": Project, "metadata": i.Metadata,
		"OS-EXT-STS:task_state": nullable(i.Task), "created": second(i.Created), "updated": second(i.Created),
		"hostId": i.Host, "OS-EXT-AZ:availability_zone": cmp.Or(i.Zone, "nova"), "addresses": addresses,
		"os-extended-volumes:volumes_attached": volumes, "image": "",
		"flavor": map[string]any{
			"vcpus": i.Flavor.VCPUs, "ram": i.Flavor.RAM, "disk": i.Flavor.Disk, "original_name": i.Flavor.Name, "extra_specs": i.Flavor.ExtraSpecs,
		},
	}
	if !s.plain {
		view["OS-EXT-SRV-ATTR:host"] = nullable(i.Host)
	}
	if i.Fault != "" && i.Status == "ERROR" {
		view["fault"] = map[string]any{"code": http.StatusInternalServerError, "created": second(i.Created), "message": i.Fault}
	}
	return view
}

func second(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func nullable(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// creation is the request for a server.
type creation struct {
	Server struct {
		Name     string            `json:"name"`
		Flavor   string            `json:"flavorRef"`
		Image    string            `json:"imageRef"`
		Metadata map[string]string `json:"metadata"`
		Networks any               `json:"networks"`
		UserData string            `json:"user_data"`
		Zone     string            `json:"availability_zone"`
		Boot     []bootDevice      `json:"block_device_mapping_v2"`
	} `json:"server"`
}

type bootDevice struct {
	UUID string `json:"uuid"`
	Size int    `json:"volume_size"`
	Dies bool   `json:"delete_on_termination"`
}

func (s *Server) createServer(w http.ResponseWriter, r *http.Request) {
	var request creation
	if !read(w, r, &request) {
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.pass()
	instance, status, refusal := s.made(request)
	if refusal != "" {
		refuse(w, status, refusal)
		return
	}
	s.instances = append(s.instances, instance)
	reply(w, http.StatusAccepted, map[string]any{"server": map[string]any{"id": instance.ID, "adminPass": "adminPass-of-" + instance.ID}})
}

// made checks a request as Nova's API does, and makes the server.
func (s *Server) made(request creation) (*Instance, int, string) {
	want := request.Server
	flavorAt := slices.IndexFunc(s.flavors, func(f Flavor) bool { return f.ID == want.Flavor })
	if flavorAt < 0 {
		return nil, http.StatusNotFound, "Flavor " + want.Flavor + " could not be found."
	}
	flavor := s.flavors[flavorAt]
	if status, refusal := s.checkImage(request, flavor); refusal != "" {
		return nil, status, refusal
	}
	if _, err := base64.StdEncoding.DecodeString(want.UserData); err != nil {
		return nil, http.StatusBadRequest, "Invalid input for field/attribute user_data. Value is not base64."
	}
	if refusal := s.overQuota(flavor); refusal != "" {
		return nil, http.StatusForbidden, refusal
	}
	instance := &Instance{
		ID: uuid.NewString(), Name: want.Name, Status: "BUILD", Task: "scheduling", Metadata: want.Metadata, Flavor: flavor,
		Host: "compute-" + strconv.Itoa(len(s.instances)+1), Zone: want.Zone, UserData: want.UserData, Created: time.Now(),
	}
	instance.ready = instance.Created.Add(s.build)
	if refusal := s.connect(instance, want.Networks); refusal != "" {
		return nil, http.StatusBadRequest, refusal
	}
	s.attach(instance, want.Boot)
	instance.Fault = s.faultOf(instance)
	return instance, 0, ""
}

func (s *Server) checkImage(request creation, flavor Flavor) (int, string) {
	id := request.Server.Image
	for _, device := range request.Server.Boot {
		id = device.UUID
	}
	at := slices.IndexFunc(s.images, func(i Image) bool { return i.ID == id })
	switch {
	case at < 0:
		return http.StatusBadRequest, "Can not find requested image"
	case s.images[at].MinDisk > flavor.Disk && len(request.Server.Boot) == 0:
		return http.StatusBadRequest, "Flavor's disk is too small for requested image. Flavor disk is smaller than the minimum size specified in image metadata."
	}
	return 0, ""
}

// overQuota is nova/compute/utils.py:check_num_instances_quota.
func (s *Server) overQuota(flavor Flavor) string {
	cores, ram, instances := s.used()
	for _, resource := range []struct {
		name             string
		want, used, most int
	}{
		{"cores", flavor.VCPUs, cores, s.quota.Cores},
		{"ram", flavor.RAM, ram, s.quota.RAM},
		{"instances", 1, instances, s.quota.Instances},
	} {
		if resource.most >= 0 && resource.used+resource.want > resource.most {
			return fmt.Sprintf("Quota exceeded for %s: Requested %d, but already used %d of %d %s",
				resource.name, resource.want, resource.used, resource.most, resource.name)
		}
	}
	return ""
}

func (s *Server) used() (cores, ram, instances int) {
	for _, instance := range s.instances {
		if instance.Status == "SOFT_DELETED" {
			continue
		}
		cores += instance.Flavor.VCPUs
		ram += instance.Flavor.RAM
		instances++
	}
	return cores, ram, instances
}

// faultOf is what becomes of the next build.
func (s *Server) faultOf(next *Instance) string {
	if len(s.broken) > 0 {
		fault := s.broken[0]
		s.broken = s.broken[1:]
		return fault
	}
	for _, network := range s.networks {
		if slices.Contains(next.Networks, network.ID) && s.addressesUsed(network.ID) >= network.Total {
			return "Build of instance " + next.ID + " aborted: Failed to allocate the network(s) with error No more IP addresses available on network " +
				network.ID + "., not rescheduling."
		}
	}
	running := 0
	for _, instance := range s.instances {
		if instance.Status != "ERROR" {
			running++
		}
	}
	if s.hosts >= 0 && running >= s.hosts {
		return "No valid host was found. There are not enough hosts available."
	}
	return ""
}

func (s *Server) deleteServer(w http.ResponseWriter, r *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	id := chi.URLParam(r, "id")
	instance := s.instance(id)
	switch {
	case instance == nil:
		refuse(w, http.StatusNotFound, "Instance "+id+" could not be found.")
		return
	case s.soft:
		instance.Status = "SOFT_DELETED"
	case instance.Task != "deleting":
		instance.Task = "deleting"
		if !s.stuck {
			instance.ends = time.Now().Add(s.deletion)
		}
	}
	reply(w, http.StatusNoContent, nil)
}

func (s *Server) actOnServer(w http.ResponseWriter, r *http.Request) {
	var action map[string]any
	if !read(w, r, &action) {
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	id := chi.URLParam(r, "id")
	instance := s.instance(id)
	if instance == nil {
		refuse(w, http.StatusNotFound, "Instance "+id+" could not be found.")
		return
	}
	if _, force := action["forceDelete"]; force {
		instance.Task, instance.ends = "deleting", time.Now()
		reply(w, http.StatusAccepted, nil)
		return
	}
	becomes := map[string][2]string{
		"os-stop": {"ACTIVE", "SHUTOFF"}, "os-start": {"SHUTOFF", "ACTIVE"}, "shelve": {"ACTIVE", "SHELVED_OFFLOADED"},
		"unshelve": {"SHELVED_OFFLOADED", "ACTIVE"}, "resume": {"SUSPENDED", "ACTIVE"}, "unpause": {"PAUSED", "ACTIVE"},
	}
	for name := range action {
		change, known := becomes[name]
		switch {
		case !known:
			refuse(w, http.StatusBadRequest, "There is no such action: "+name)
		case instance.Status != change[0]:
			refuse(w, http.StatusConflict, "Cannot '"+name+"' instance "+id+" while it is in vm_state "+instance.Status)
		default:
			instance.Status = change[1]
			reply(w, http.StatusAccepted, nil)
		}
		return
	}
	refuse(w, http.StatusBadRequest, "Malformed request body")
}

func (s *Server) listFlavors(w http.ResponseWriter, _ *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	list := []map[string]any{}
	for _, f := range s.flavors {
		list = append(list, map[string]any{
			"id": f.ID, "name": f.Name, "vcpus": f.VCPUs, "ram": f.RAM, "disk": f.Disk, "swap": "", "extra_specs": f.ExtraSpecs,
		})
	}
	reply(w, http.StatusOK, map[string]any{"flavors": list})
}

func (s *Server) showLimits(w http.ResponseWriter, _ *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.pass()
	cores, ram, instances := s.used()
	reply(w, http.StatusOK, map[string]any{"limits": map[string]any{"rate": []any{}, "absolute": map[string]int{
		"maxTotalCores": s.quota.Cores, "totalCoresUsed": cores, "maxTotalRAMSize": s.quota.RAM, "totalRAMUsed": ram,
		"maxTotalInstances": s.quota.Instances, "totalInstancesUsed": instances,
	}}})
}
