package wire

import (
	"context"
	"errors"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	skillpb "github.com/opencortex-go/cortex/plugins/proto"
)

// Name is the name of the one plugin in a skill process.
const Name = "skill"

// Handshake returns what host and skill show each other before they speak.
func Handshake() plugin.HandshakeConfig {
	return plugin.HandshakeConfig{
		ProtocolVersion: skillpb.Protocol, MagicCookieKey: skillpb.Cookie, MagicCookieValue: skillpb.Service,
	}
}

// Plugins returns cortex.skill.v1 as go-plugin knows it. A host's server is nil.
func Plugins(server skillpb.SkillServer) map[int]plugin.PluginSet {
	return map[int]plugin.PluginSet{skillpb.Protocol: {Name: &service{server: server}}}
}

// Serve serves a skill to the host that started this process, until it is told to
// end. newServer makes the gRPC server.
func Serve(server skillpb.SkillServer, newServer func([]grpc.ServerOption) *grpc.Server) {
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig:  Handshake(),
		VersionedPlugins: Plugins(server),
		Logger:           hclog.NewNullLogger(),
		GRPCServer:       newServer,
	})
}

type service struct {
	plugin.NetRPCUnsupportedPlugin
	server skillpb.SkillServer
}

// GRPCServer is called in the skill.
func (w *service) GRPCServer(_ *plugin.GRPCBroker, s *grpc.Server) error {
	if w.server == nil {
		return errors.New("plugins: nothing to serve")
	}
	skillpb.RegisterSkillServer(s, w.server)
	return nil
}

// GRPCClient is called in the host.
func (w *service) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return skillpb.NewSkillClient(conn), nil
}
