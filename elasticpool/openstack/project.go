package openstack

import (
	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"
)

// projectOf returns the id of the project that the login is for, or "" where there is no login.
func projectOf(client *gophercloud.ServiceClient) string {
	login, ok := client.GetAuthResult().(tokens.CreateResult)
	if !ok {
		return ""
	}
	project, err := login.ExtractProject()
	if err != nil || project == nil {
		return ""
	}
	return project.ID
}
