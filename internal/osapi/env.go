package osapi

import (
	"cmp"
	"os"
	"strconv"
)

// envAuth maps the keys of an auth section to the variables that give them,
// the preferred one first.
var envAuth = map[string][]string{
	"auth_url":                      {"OS_AUTH_URL"},
	"username":                      {"OS_USERNAME"},
	"user_id":                       {"OS_USER_ID", "OS_USERID"},
	"password":                      {"OS_PASSWORD"},
	"token":                         {"OS_TOKEN", "OS_AUTH_TOKEN"},
	"project_id":                    {"OS_PROJECT_ID", "OS_TENANT_ID"},
	"project_name":                  {"OS_PROJECT_NAME", "OS_TENANT_NAME"},
	"user_domain_id":                {"OS_USER_DOMAIN_ID"},
	"user_domain_name":              {"OS_USER_DOMAIN_NAME"},
	"project_domain_id":             {"OS_PROJECT_DOMAIN_ID"},
	"project_domain_name":           {"OS_PROJECT_DOMAIN_NAME"},
	"domain_id":                     {"OS_DOMAIN_ID"},
	"domain_name":                   {"OS_DOMAIN_NAME"},
	"default_domain":                {"OS_DEFAULT_DOMAIN"},
	"system_scope":                  {"OS_SYSTEM_SCOPE"},
	"trust_id":                      {"OS_TRUST_ID"},
	"application_credential_id":     {"OS_APPLICATION_CREDENTIAL_ID"},
	"application_credential_name":   {"OS_APPLICATION_CREDENTIAL_NAME"},
	"application_credential_secret": {"OS_APPLICATION_CREDENTIAL_SECRET"},
	"endpoint":                      {"OS_ENDPOINT", "OS_ENDPOINT_OVERRIDE"},
}

// envPlace maps the keys of an entry that say which endpoint to take and how to
// trust it. These variables also go over an entry of clouds.yaml.
var envPlace = map[string][]string{
	"region_name":   {"OS_REGION_NAME"},
	"endpoint_type": {"OS_INTERFACE", "OS_ENDPOINT_TYPE"},
	"cacert":        {"OS_CACERT"},
	"cert":          {"OS_CERT"},
	"key":           {"OS_KEY"},
}

// accountFromEnv reads the OS_* variables as an entry of clouds.yaml, so that
// both ways in behave alike.
func accountFromEnv() (*account, error) {
	entry := placeFromEnv()
	entry["auth"] = fromEnv(envAuth)
	entry["auth_type"] = os.Getenv("OS_AUTH_TYPE")
	if insecure, ok := truth(os.Getenv("OS_INSECURE")); ok {
		entry["insecure"] = strconv.FormatBool(insecure)
	}
	return newAccount("OS_* variables", entry)
}

func placeFromEnv() cloudEntry { return fromEnv(envPlace) }

func fromEnv(names map[string][]string) map[string]any {
	values := make(map[string]any)
	for key, variables := range names {
		var value string
		for _, variable := range variables {
			value = cmp.Or(value, os.Getenv(variable))
		}
		if value != "" {
			values[key] = value
		}
	}
	return values
}
