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
)

// A signal ends the process as it stands: what a command has recorded is
// durable, and nothing else needs tidying up.
func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
