// Package minikeystone is a Keystone in memory for the fake Cyborg: clients log in
// at it with what a clouds.yaml says, find Cyborg in its catalog, and Cyborg knows
// them by the tokens that it gave.
//
//	identity := minikeystone.ForTest(t)
//	cyborg := fakecyborg.Start(t, fakecyborg.WithAuthenticator(identity))
//	t.Setenv("OS_CLIENT_CONFIG_FILE", identity.CloudsFile(t, cyborg.URL()))
//
// A [Server] is a [fakecyborg.IdentityService]: the fake Cyborg serves it below
// /identity on its own address, and its tokens expire by the fake's clock, which
// the control API can put forward.
//
// # Users
//
// They come from a file of the form that fakecyborg.WithTokens has, where an entry
// says what one user may do in one project. Fixed tokens in it are good here too,
// and never expire:
//
//	tokens:
//	  - {user: demo, password: secret, project: 5f0c…, project_name: demo, roles: [member]}
//	  - {user: demo, project: 77aa…, project_name: other, roles: [reader], token: fixed}
//	  - user: robot
//	    project: 5f0c…
//	    project_name: demo
//	    roles: [member]
//	    application_credential: {id: robot-1, name: robot, secret: secret-2}
//
// A user's password may stand in any of his entries. Without a file there are
// admin, demo and nova (with the role "service"), all with the password "secret".
//
// # What is there
//
// Below /identity: the version documents; POST, GET, HEAD and DELETE
// /v3/auth/tokens with the methods password, token and application_credential and
// the scopes project, system and unscoped; /v3/auth/catalog, /v3/auth/projects,
// /v3/auth/system and /v3/auth/domains; and, to be read only, /v3/projects,
// /v3/users, /v3/roles, /v3/domains, /v3/services and /v3/endpoints. Errors have
// Keystone's form. Tokens are random texts, at most 100,000 of them are
// remembered.
//
// # What is not
//
// Domain scope, trusts, federation, two factors, groups, limits, access rules,
// creation of anything but tokens, and everything that keeps guessers out: it must
// not be reachable by others.
package minikeystone
