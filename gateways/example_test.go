package gateways_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"testing/fstest"
	"time"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways"
	"github.com/opencortex-go/cortex/gateways/gatewaytest"
)

// A bridge shows what waits for a person in the chats of those who may answer, and takes
// their answers. The messenger here is the one in memory; telegram and signal have real ones.
func Example() {
	ctx, stop := context.WithCancel(context.Background())
	eng, err := cortex.Open(ctx, cortex.Options{Live: true, Rules: fstest.MapFS{"refunds.lisp": {Data: []byte(
		`(deftool refund :params (:order string) :required (:order) :tier :ask)`)}}})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	messenger := gatewaytest.NewMemory()
	bridge, err := gateways.New(gateways.Options{Engine: eng, Gateways: []gateways.Gateway{messenger},
		Accounts: []gateways.Account{
			{Gateway: "memory", User: "17", Chat: "17", Principal: "ana", Classes: []string{"operator"}},
		}})
	if err != nil {
		log.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- bridge.Run(ctx) }()
	for at := int64(0); at == 0; time.Sleep(time.Millisecond) { // a new messenger gets what comes from now on
		if at, err = eng.Hosts().Cursors().Of("memory sent"); err != nil {
			log.Fatal(err)
		}
	}

	action, err := cortex.NewAction("refund", map[string]any{"order": "A1"}, "")
	if err != nil {
		log.Fatal(err)
	}
	d, err := eng.Decide(ctx, action, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Kind, d.Key)
	for len(messenger.Shown("17")) == 0 { // ana sees a card ...
		time.Sleep(time.Millisecond)
	}
	card := messenger.Shown("17")[0]
	messenger.Press("17", "17", card.ID, card.Nonce, true) // ... and presses its button
	for messenger.Shown("17")[0].Open {
		time.Sleep(time.Millisecond)
	}
	d, err = eng.Decide(ctx, action, nil)
	fmt.Println(d.Kind, d.Key, err)
	stop()
	if err := <-served; err != nil && !errors.Is(err, context.Canceled) {
		log.Fatal(err)
	}
	// Output:
	// ask tier/refund
	// allow tier/refund <nil>
}
