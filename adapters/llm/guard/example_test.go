package guard_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/adapters/llm"
	"github.com/opencortex-go/cortex/adapters/llm/guard"
	"github.com/opencortex-go/cortex/adapters/llm/llmtest"
	"github.com/opencortex-go/cortex/capabilities"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/skills"
)

const plan = `(defcapability greet.twice :version "1.0.0" :owner "team" :scope :project :inputs (:name string)
  :required (:name) :plan ((one :tool "greet" :args (:name "{{name}}") :undo "only reads")
                           (two :tool "greet" :args (:name "{{name}}") :undo "only reads")))`

func ExampleWrap() {
	ctx, caps := context.Background(), capabilities.New()
	server := llmtest.Serve(llmtest.Chat, // in place of a model
		llmtest.Answer{Calls: []llmtest.Call{{ID: "1", Name: "greet_twice", Arguments: `{"name":"Bo"}`}}},
		llmtest.Answer{Text: "I have greeted Bo."})
	defer server.Close()
	client := must(llm.New(llm.Config{Name: "local", Kind: llm.OpenAI, URL: server.URL, Model: "llama3.2"}))
	greet := act.Func(func(_ context.Context, call act.Call) (act.Receipt, error) {
		fmt.Println("hello,", call.Action.Native()["name"])
		return act.Receipt{State: act.Done}, nil
	})
	tools := []act.Tool{{Schema: &skills.Tool{Name: "greet"}, Actuator: greet}}
	rules := fstest.MapFS{"r.lisp": {Data: []byte(`(deftool greet :params (:name string) :tier :allow :effect :none)`)}}
	// page: wrap
	eng := must(cortex.Open(ctx, cortex.Options{Live: true, Rules: rules, Tools: tools, Capabilities: caps}))
	// page: end
	defer eng.Close()
	must(0, inForce(ctx, caps, plan)) // people do that, with cortex capability
	// page: agent
	agent := must(guard.Wrap(eng, client, tools))
	defer agent.Close()
	fmt.Println(must(agent.Run(ctx, "Greet Bo, please.")).Text)
	// page: end
	// Output: hello, Bo
	// hello, Bo
	// I have greeted Bo.
}
