package gateways

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
)

// named is a gateway of which only the name matters.
type named struct {
	Gateway
	name string
}

func (n named) Name() string { return n.name }

func (named) Receive(context.Context, int64, func(context.Context, Update) error) error { return nil }

// Numbers of users and chats are a service's own: the same ones on another are somebody else.
func TestAnAccountOfAnotherGatewayIsAStranger(t *testing.T) {
	d := &Bridge{opt: Options{Accounts: []Account{
		{Gateway: "one", User: "7", Chat: "8", Principal: "ann"}, {Gateway: "two", User: "7", Chat: "9", Principal: "ben"},
	}}}
	for _, c := range []struct{ gateway, user, chat, want string }{
		{"one", "7", "8", "ann"}, {"two", "7", "9", "ben"}, {"two", "7", "8", ""}, {"one", "7", "9", ""},
		{"three", "7", "8", ""},
		{"one", "8", "8", ""}, {"one", "7", "7", ""},
	} {
		a, ok := d.account(named{name: c.gateway}, Update{User: c.user, Chat: c.chat})
		assert.Equal(t, c.want != "", ok, "%+v", c)
		assert.Equal(t, c.want, a.Principal, "%+v", c)
	}
}
