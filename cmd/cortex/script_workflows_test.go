package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/opencortex-go/cortex/gateways/client"
	"github.com/opencortex-go/cortex/runs/tools"
)

// callTool calls a tool for workflows of the daemon on run/c.sock as an agent does, and prints
// what a model reads: call TOOL [JSON]. It fails where the tool says so.
func callTool(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 || len(args) > 2 {
		ts.Fatalf("usage: call TOOL [JSON]")
	}
	params := strings.Join(args[1:], "")
	c, err := client.Dial(context.Background(), ts.MkAbs("run/c.sock"))
	ts.Check(err)
	defer func() { _ = c.Close() }()
	a, err := c.Workflow(context.Background(), tools.Name(args[0]), []byte(params))
	ts.Check(err)
	_, err = fmt.Fprintln(ts.Stdout(), a.Text)
	ts.Check(err)
	if a.Failed != neg {
		ts.Fatalf("the tool failed: %t, expected %t: %s", a.Failed, neg, a.Text)
	}
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
