// Command rewrite rewrites the orders that attackers have put into what an agent reads, in
// every way that it knows, and counts what a guard does about them:
//
//	rewrite [--tools FILE] CASES OUT             writes OUT/cases.jsonl and OUT/requests.jsonl
//	rewrite --count DECISIONS OUT   reads OUT/cases.jsonl and prints a table
//
// CASES holds labelled calls, one a line, in the shape that ./internal/scenarios/expand
// writes. The injected text is what an attacked result says and the clean run's result does
// not. What the attacker wants is said anew, from the calls of the attack alone: so a
// rewriting says what its frame and the calls can say, and nothing else of the first wording
// is left. The same cases give the same rewritings.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	tools := flag.String("tools", "", "the `file` of tools, by suite; for rewritings that need another call")
	count := flag.String("count", "", "count these `decisions`")
	flag.Parse()
	err := fmt.Errorf("usage: rewrite [--tools FILE] CASES OUT | rewrite --count DECISIONS OUT")
	switch {
	case *count != "" && flag.NArg() == 1:
		err = table(os.Stdout, *count, flag.Arg(0))
	case *count == "" && flag.NArg() == 2:
		err = rewrite(*tools, flag.Arg(0), flag.Arg(1))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "rewrite:", err)
		os.Exit(1)
	}
}
