package gateways_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways"
	"github.com/opencortex-go/cortex/gateways/gatewaytest"
	"github.com/opencortex-go/cortex/gateways/telegram"
)

// A wrong link is an error that says what would be right.
func TestRow093_WrongLinksAreErrors(t *testing.T) {
	e, err := cortex.Open(t.Context(), cortex.Options{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, e.Close()) }()
	g := []gateways.Gateway{gatewaytest.NewMemory()}
	ok := gateways.Account{Gateway: "memory", User: "1", Chat: "1", Principal: "ann"}
	for want, opt := range map[string]gateways.Options{
		`"myspace", expected one of ["memory"]`: {Engine: e, Gateways: g,
			Accounts: []gateways.Account{{Gateway: "myspace", User: "1", Chat: "1", Principal: "ann"}}},
		"needs a user, a chat and a principal": {Engine: e, Gateways: g,
			Accounts: []gateways.Account{{Gateway: "memory", User: "1", Principal: "ann"}}},
		`is both "ann" and "ben"`: {Engine: e, Gateways: g,
			Accounts: []gateways.Account{ok, {Gateway: "memory", User: "1", Chat: "1", Principal: "ben"}}},
		`the name "memory" is empty, taken`: {Engine: e, Gateways: append(g, g...)},
		"Options.Engine is missing":         {Gateways: g},
	} {
		_, err := gateways.New(opt)
		assert.ErrorContains(t, err, want)
	}
	_, err = telegram.New(telegram.Options{Token: ""})
	assert.ErrorContains(t, err, "as BotFather gives it")
	_, err = gateways.New(gateways.Options{Engine: e, Gateways: g, Accounts: []gateways.Account{ok}})
	assert.NoError(t, err)
}

// A bridge that is stopped while it starts has not failed.
func TestADeskThatIsStoppedAtOnceHasNotFailed(t *testing.T) {
	e, err := cortex.Open(t.Context(), cortex.Options{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, e.Close()) }()
	_, err = e.Submit(t.Context(), cortex.Signal{Text: "what came before", Session: "s", Principal: "ann"})
	require.NoError(t, err)
	d, err := gateways.New(gateways.Options{Engine: e, Gateways: []gateways.Gateway{gatewaytest.NewMemory()}})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.NoError(t, d.Run(ctx))
}
