package runs_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/runs"
	"github.com/opencortex-go/cortex/runs/library"
	"github.com/opencortex-go/cortex/runs/tools"
	"github.com/opencortex-go/cortex/skills"
)

// docs/embedding.md shows the code between the lines that begin with "page:".

var greeting = fstest.MapFS{"rules.lisp": {Data: []byte(`(deftool greet :params (:word string) :tier :allow)`)}}

// page: workflow
var flows = fstest.MapFS{"greet.lisp": {Data: []byte(`
(:id "my.greet" :name "Greet" :version "1.0.0"
 :steps ((:id "think" :title "Choose a word" :prompt "Choose a word that greets." :gives ("word"))
         (:id "say" :title "Say it" :tool "greet" :args (:word "{{word}}"))
         (:id "look" :title "Look back" :prompt "Say how {{word}} was taken.")))`)}} // usually os.DirFS("flows")

// page: end

func greet(_ context.Context, call act.Call) (act.Receipt, error) {
	fmt.Println("saying", call.Action.Args().GetText("word"))
	return act.Receipt{State: act.Done}, nil
}

// A workflow is carried out: the program hands in two steps, and the engine takes the one between them.
func Example() {
	ctx := context.Background()
	actuators := []act.Tool{{Schema: &skills.Tool{Name: "greet"}, Actuator: act.Func(greet)}}
	// page: open
	driver := &runs.Driver{} // takes the steps of tools and people
	eng, err := cortex.Open(ctx, cortex.Options{Rules: greeting, Tools: actuators, Live: true, Driver: driver})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	shelf := library.Load([]library.Root{{FS: flows, Kind: plans.KindProject}}, plans.Options{})
	all, err := runs.New(runs.Options{Logs: eng.Hosts().Logs(), Library: shelf, Driver: driver, Try: eng.Hosts().Try})
	if err != nil {
		log.Fatal(err)
	}
	// page: end
	// page: carry
	run, err := all.Begin(ctx, runs.Caller{Principal: "ana"}, &tools.StartWorkflow{WorkflowID: "my.greet", Goal: "try it"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(run.Reply().Pending.Title)
	reply, err := run.Continue(ctx, &tools.Output{NotesMarkdown: "I chose hello."}, map[string]any{"word": "hello"})
	for err == nil && reply.NextIntent == tools.OnlyRehydrate { // the engine is at it
		time.Sleep(10 * time.Millisecond)
		reply, err = run.Read(ctx)
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(reply.Pending.Title)
	reply, err = run.Continue(ctx, &tools.Output{NotesMarkdown: "With a smile."}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(reply.IsComplete)
	// page: end

	// Output:
	// Choose a word
	// saying hello
	// Look back
	// true
}
