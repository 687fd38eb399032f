// Command cortex judges what language models propose, and keeps, shows and
// replays the record of it.
//
// Every command is one file here. All of them share the exit codes of
// [program]: 0 done, 1 error, 2 denied, 3 pending approval, 4 no daemon, 5
// differences found. With --json they print JSON, without it text for people;
// colour only on a terminal, and never as the only sign.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
