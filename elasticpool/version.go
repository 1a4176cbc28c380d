package elasticpool

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Version returns a word that is the same for classes of the same image, flavor and user data, as the policy names them: an
// image that is replaced under its name is not seen.
func (c *Class) Version() string {
	text, _ := json.Marshal([]string{c.Image, c.Flavor, c.UserData}) //nolint:errchkjson // strings can always be written
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6])
}

// outdated says whether a VM was made of another version of its class than the policy has.
func (d *deciding) outdated(vm *VM) bool {
	return vm.Made != "" && d.classOf(vm) != nil && vm.Made != d.versions[vm.Class]
}
