package gateways_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways"
	"github.com/opencortex-go/cortex/gateways/gatewaytest"
)

// dying is a messenger whose process dies at a warning: before it is said, or
// after, when it is not yet on record that it was.
type dying struct {
	called
	after  bool
	at     chan struct{} // closed when it is about to die; nil to live on
	reach  *sync.Once
	refuse string // a chat that has blocked us
}

func (d dying) Say(ctx context.Context, chat, text string) error {
	if !strings.Contains(text, "is suspended") {
		return d.called.Say(ctx, chat, text)
	}
	if chat == d.refuse {
		return &gateways.Permanent{Err: errors.New("blocked")}
	}
	if d.at == nil {
		return d.called.Say(ctx, chat, text)
	}
	if d.after {
		if err := d.called.Say(ctx, chat, text); err != nil {
			return err
		}
	}
	d.reach.Do(func() { close(d.at) })
	<-ctx.Done()
	return ctx.Err()
}

// elsewhere is suspends by another name.
type elsewhere struct {
	suspends
	name string
}

func (e elsewhere) Name() string { return e.name }

// That an account is suspended is on record before anybody is told, and told from
// there: after a crash in between all are still told, whichever messenger they
// are on. Who was told in the instant of the crash may be told again.
func TestThreat22_ASuspensionIsToldThoughTheBridgeDiesInBetween(t *testing.T) {
	for name, after := range map[string]bool{"before it is said": false, "before it is noted as said": true} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			a, b := gatewaytest.NewMemory(), gatewaytest.NewMemory()
			one, two := called{a, "a"}, called{b, "b"}
			operator := []string{"operator"}
			accounts := []gateways.Account{
				{Gateway: "a", User: "1", Chat: "c1", Principal: "ann", Classes: operator},
				{Gateway: "a", User: "2", Chat: "c2", Principal: "ben", Classes: operator},
				{Gateway: "b", User: "3", Chat: "c3", Principal: "cat", Classes: operator},
				{Gateway: "b", User: "4", Chat: "c3", Principal: "dan", Classes: operator}, // in the same room
				{Gateway: "b", User: "5", Chat: "c5", Principal: "eve", Classes: operator},
				{Gateway: "b", User: "6", Chat: "c6", Principal: "fay"}, // answers no cards
			}
			run := func(list []gateways.Gateway, until func(*cortex.Engine)) {
				e, err := cortex.Open(t.Context(), cortex.Options{Dir: dir})
				require.NoError(t, err)
				d, err := gateways.New(gateways.Options{Engine: e, Gateways: list, Accounts: accounts, Backoff: time.Millisecond})
				require.NoError(t, err)
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- d.Run(ctx) }()
				until(e)
				cancel()
				assert.NoError(t, <-ended)
				require.NoError(t, e.Close())
			}
			// A first life, so that the cursors stand before what happens.
			run([]gateways.Gateway{elsewhere{suspends{a, "2"}, "a"}, two}, func(e *cortex.Engine) {
				require.Eventually(t, func() bool {
					n, err := e.Hosts().Cursors().Of("b sent")
					return err == nil && n > 0
				}, 20*time.Second, time.Millisecond)
			})
			at := make(chan struct{})
			a.Write("2", "c2", "it is me")
			run([]gateways.Gateway{elsewhere{suspends{a, "2"}, "a"},
				dying{called: two, after: after, at: at, reach: new(sync.Once)}}, func(*cortex.Engine) {
				<-at
			})
			said := func(m *gatewaytest.Memory, chat string) (n int) {
				for _, x := range m.Shown(chat) {
					if strings.Contains(x.Text, "ben on a is suspended: their key has changed") {
						n++
					}
				}
				return n
			}
			require.Zero(t, said(b, "c5"), "only the first one was told, or the test tries nothing")
			run([]gateways.Gateway{one, dying{called: two, refuse: "c5"}}, func(e *cortex.Engine) {
				last := int64(e.Journal().Last())
				a.Write("1", "c1", "/deny nothing") // whose answer stands behind it
				require.Eventually(t, func() bool {
					n, err := e.Hosts().Cursors().Of("b sent")
					return err == nil && n > last
				}, 20*time.Second, time.Millisecond)
			})
			assert.Positive(t, said(a, "c1"))
			assert.Equal(t, map[bool]int{false: 1, true: 2}[after], said(b, "c3"),
				"once a room, and again only where a crash leaves it open")
			for _, chat := range []string{"c5", "c6"} {
				assert.Zero(t, said(b, chat), "dropped, as blocked; or not an approver's")
			}
			assert.Zero(t, said(a, "c2"), "not to the account itself")
		})
	}
}
