package openstack

import (
	"context"
	"encoding/base64"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/userdata"
)

// mostUserData is what Nova takes, encoded (nova/api/openstack/compute/schemas/servers.py: user_data, maxLength).
const mostUserData = 65535

// userData fills in the template of the class.
func (p *Provider) userData(ctx context.Context, op string, spec elasticpool.ServerSpec) ([]byte, error) {
	text, err := userdata.Fill(ctx, op, spec, p.settings.JoinToken)
	if err != nil {
		return nil, err
	}
	if size := base64.StdEncoding.EncodedLen(len(text)); size > mostUserData {
		return nil, invalid(op, "the user data of class %s is %d bytes long when encoded; Nova takes %d", spec.Class.Name, size, mostUserData)
	}
	return []byte(text), nil
}
