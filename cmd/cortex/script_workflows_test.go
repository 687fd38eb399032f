package main

import (
	"context"
	"fmt"
	"os"
	"regexp"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/opencortex-go/cortex/gateways/client"
	"github.com/opencortex-go/cortex/runs/tools"
)

// callTool calls a tool for workflows of the daemon on run/c.sock as an agent does, and prints
// what a model reads: call TOOL [JSON]. It fails where the tool says so.
func callTool() {
	params := ""
	if len(os.Args) > 2 {
		params = os.Args[2]
	}
	c, err := client.Dial(context.Background(), "run/c.sock")
	if err == nil {
		var a tools.Answer
		if a, err = c.Workflow(context.Background(), tools.Name(os.Args[1]), []byte(params)); err == nil {
			fmt.Println(a.Text)
			if a.Failed {
				os.Exit(1)
			}
			return
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(2)
}

var ticketForm = regexp.MustCompile(`ct1-[a-z0-9-]+`)

// ticket puts the last ticket that stands in the output of the last program into $TICKET.
func ticket(ts *testscript.TestScript, _ bool, _ []string) {
	all := ticketForm.FindAllString(ts.ReadFile("stdout"), -1)
	if len(all) == 0 {
		ts.Fatalf("there is no ticket in the output")
	}
	ts.Setenv("TICKET", all[len(all)-1])
}
