// Skilltest runs the conformance suite of cortex.skill.v1 against a skill's
// program, whatever it is written in:
//
//	go run github.com/opencortex-go/cortex/plugins/plugintest/skilltest [-transport peer|mtls] [-file FILE] PROGRAM
//	[ARG...]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/opencortex-go/cortex/plugins/plugintest"
)

func main() {
	var o plugintest.Options
	flag.StringVar(&o.Transport, "transport", "", "`peer or mtls`, as in skills.lock; the default is this system's best")
	flag.Func("file", "a `FILE` that the skill finds in its working folder; may be given again", func(f string) error {
		o.Files = append(o.Files, f)
		return nil
	})
	flag.Func("env", "a `NAME=VALUE` of its environment; may be given again", func(e string) error {
		o.Env = append(o.Env, e)
		return nil
	})
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr,
			"usage: skilltest [-transport peer|mtls] [-file FILE]... [-env NAME=VALUE]... PROGRAM [ARG...]")
		os.Exit(2)
	}
	o.Program, o.Args = flag.Arg(0), flag.Args()[1:]
	failed := 0
	for _, r := range plugintest.Check(context.Background(), o) {
		if r.Err != nil {
			failed++
			fmt.Printf("FAIL  %s\n      %s\n", r.Check, r.Err)
			continue
		}
		fmt.Printf("ok    %s\n", r.Check)
	}
	if failed > 0 {
		fmt.Printf("%d checks failed\n", failed)
		os.Exit(1)
	}
}
