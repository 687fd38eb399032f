package gatewaytest_test

import (
	"testing"

	"github.com/opencortex-go/cortex/gateways"
	"github.com/opencortex-go/cortex/gateways/gatewaytest"
)

func TestMemory(t *testing.T) {
	gatewaytest.Run(t, func(*testing.T) gatewaytest.Setup {
		m := gatewaytest.NewMemory()
		return gatewaytest.Setup{
			Gateway: func() gateways.Gateway { return m }, Service: m,
			People: [3]gatewaytest.Person{{User: "1", Chat: "c1"}, {User: "2", Chat: "c2"}, {User: "3", Chat: "c3"}},
		}
	})
}
