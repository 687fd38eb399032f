package plugins

import (
	"context"
	"errors"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	skillpb "github.com/opencortex-go/cortex/plugins/proto"
)

// What host and guest must agree on before they can speak.
const (
	// Protocol is the number of cortex.skill.v1 that this package speaks.
	Protocol = 1
	// Service is the name of the protocol; a host puts it into the environment
	// of a skill as CORTEX_SKILL, so that a skill started by hand can say so.
	Service   = "cortex.skill.v1"
	cookieKey = "CORTEX_SKILL"
	skillName = "skill" // of the one plugin in a skill process
)

// MaxMessage is the size of the largest message, either way, in bytes.
const MaxMessage = 1 << 20

func handshake() plugin.HandshakeConfig {
	return plugin.HandshakeConfig{ProtocolVersion: Protocol, MagicCookieKey: cookieKey, MagicCookieValue: Service}
}

// wire is cortex.skill.v1 as go-plugin knows it. A guest sets server, a host
// leaves it nil.
type wire struct {
	plugin.NetRPCUnsupportedPlugin
	server skillpb.SkillServer
}

// GRPCServer is called in the guest.
func (w *wire) GRPCServer(_ *plugin.GRPCBroker, s *grpc.Server) error {
	if w.server == nil {
		return errors.New("plugins: nothing to serve")
	}
	skillpb.RegisterSkillServer(s, w.server)
	return nil
}

// GRPCClient is called in the host.
func (w *wire) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return skillpb.NewSkillClient(conn), nil
}
