// Guarded is a shop's assistant: a model with one tool, and Cortex between them. It runs
// offline, against a scripted server that speaks OpenAI's API, and streams. Give it another
// URL, a model and a key_env, and it talks to a real one.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/adapters/llm"
	"github.com/opencortex-go/cortex/adapters/llm/guard"
	"github.com/opencortex-go/cortex/adapters/llm/llmtest"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/skills"
)

const shop = `
(deftool refund :doc "Pays money back for an order." :params (:order string :amount integer)
  :required (:order :amount) :tier :allow)
(defskill refunds :trigger (= action.tool "refund")
  :gate ((deny too-much :when (> action.args.amount 500) :reason "refunds stop at 500")
         (ask large :when (> action.args.amount 50) :reason "more than 50 needs a yes")))`

var tools = []act.Tool{{Schema: &skills.Tool{Name: "refund"}, Actuator: act.Func(refund)}}

func refund(_ context.Context, call act.Call) (act.Receipt, error) {
	args := call.Action.Native()
	fmt.Println("paying back", args["amount"], "for", args["order"])
	return act.Receipt{State: act.Done}, nil
}

func main() {
	server := llmtest.Serve(llmtest.Chat,
		llmtest.Answer{Calls: []llmtest.Call{
			{ID: "c1", Name: "refund", Arguments: `{"order":"A1","amount":40}`},
			{ID: "c2", Name: "refund", Arguments: `{"order":"B2","amount":900}`},
			{ID: "c3", Name: "refund", Arguments: `{"order":"C3","amount":100}`}}},
		llmtest.Answer{Text: "A1 and C3 are paid back. For B2 it was too much."})
	defer server.Close()
	if err := run(context.Background(), server.URL); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, url string) (err error) {
	eng, err := cortex.Open(ctx, cortex.Options{Live: true, Rules: fstest.MapFS{"shop.lisp": {Data: []byte(shop)}},
		Approvals: cortex.ApprovalOptions{Classes: map[string][]string{"operator": {"ana"}}}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, eng.Close()) }()
	// page: model
	client, err := llm.New(llm.Config{Name: "local", Kind: llm.OpenAI, URL: url, Model: "llama3.2", Stream: true})
	if err != nil {
		return err
	}
	g, err := guard.New(eng, client, tools, guard.Options{})
	if err != nil {
		return err
	}
	chat := guard.Chat{Session: "chat-7", Principal: "bo", System: "You serve the customers of a shop."}
	answer, err := g.Say(ctx, &chat, "Pay back 40 for A1, 900 for B2 and 100 for C3.")
	if err != nil {
		return err
	}
	// page: end
	defer func() { err = errors.Join(err, g.Close(), llm.CloseAll([]model.Provider{client})) }()
	// page: held
	for _, h := range answer.Held {
		fmt.Println(h.Tool, "waits:", h.Reason)
		if err := eng.Approve(ctx, h.Token, cortex.Approver{Name: "ana", Via: "desk"}); err != nil {
			return err
		}
	}
	answer, err = g.Resume(ctx, &chat) // here, or in another process that has the chat
	if err != nil {
		return err
	}
	fmt.Println(answer.Text)
	// page: end
	return nil
}
