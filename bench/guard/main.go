// Command guard judges a file of requests for `cortex decide` by the rules of the guard:
//
//	guard --cortex PROGRAM --rules FOLDER [--tools FILE] [--reviewed FOLDER] [--lexicon FILE] REQUESTS DECISIONS
//
// The requests of one suite, which facts.env.suite names, are judged together by one
// `cortex decide`: with the rules of examples/skills/guard, and with the declarations that
// `cortex tools declare` drafts from the suite's tools, as they are drafted, or those in the file
// SUITE.lisp of the folder of reviewed ones, if it is there. Where one of
// these has an argument of the role :code, the rules of examples/skills/code for commands and
// the skills of a lock file judge, too, and code runs in /workspace. The file of
// tools is a JSON object, a list of tools with JSON schemas by the name of each suite. A
// suite that it does not name has the tools of the name that its own begins with, or else
// those of the first suite with the tool of its first request. Decisions stand in the order
// of the requests; the same requests give the same decisions.
//
// bench/guard/run builds both programs and calls this one.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
)

func main() {
	b := &bench{}
	flag.StringVar(&b.cortex, "cortex", "cortex", "the `program` that declares tools and decides")
	flag.StringVar(&b.rules, "rules", "examples/skills", "the `folder` of the shipped rules")
	flag.StringVar(&b.tools, "tools", "", "the `file` of tools, by suite")
	flag.StringVar(&b.reviewed, "reviewed", "", "the `folder` of declarations that a person reviewed, by suite")
	flag.StringVar(&b.skills, "skills", "", "the lock `file` of skills that judge code")
	flag.StringVar(&b.lexicon, "lexicon", "", "a `file` of words in place of the English that is built in")
	flag.Usage = func() {
		_, _ = fmt.Fprintln(flag.CommandLine.Output(), "usage: guard [flags] REQUESTS DECISIONS")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}
	if err := b.run(context.Background(), flag.Arg(0), flag.Arg(1)); err != nil {
		fmt.Fprintln(os.Stderr, "guard:", err)
		os.Exit(1)
	}
}
