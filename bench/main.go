// Command bench measures Cortex beside others and writes the table to a file.
//
// Every figure of a row is taken in one run on one machine, ours and theirs in
// turn, so that whatever else the machine does falls on both. What counts is the
// ratio. It is a module of its own: programs that import Cortex do not get the rivals.
//
//	go run . -o ../docs/proof/benchmarks.md         all of it, some minutes
//	go run . -short                           about one minute, coarser
//	go run . -only durable                    the groups whose name contains this
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

func main() {
	guest()
	testing.Init()
	out := flag.String("o", "", "write the table to this `file` as well")
	short := flag.Bool("short", false, "shorter runs and smaller sizes")
	only := flag.String("only", "", "only the groups whose name contains this `text`")
	flag.Parse()
	if err := run(*out, *only, *short); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// group is a set of rows that share a setting.
type group struct {
	name string
	rows func(*report) error
}

func groups() []group {
	return []group{
		{"notation", notation},
		{"decide", decisions},
		{"load", loading},
		{"session", sessions},
		{"growth", growing},
		{"durable", durable},
		{"replay", replaying},
		{"act", acting},
		{"plugins", plugging},
		{"program", program},
	}
}

func run(out, only string, short bool) error {
	r := &report{reps: 6, each: 200 * time.Millisecond, short: short, begun: time.Now(), load: loadAverage()}
	if short {
		r.each = 25 * time.Millisecond
	}
	if err := r.take(1); err != nil {
		return err
	}
	for _, g := range groups() {
		if !strings.Contains(g.name, only) {
			continue
		}
		if err := g.rows(r); err != nil {
			return fmt.Errorf("%s: %w", g.name, err)
		}
	}
	text, err := r.markdown()
	if err != nil {
		return err
	}
	fmt.Print("\n", text)
	if out == "" {
		return nil
	}
	return os.WriteFile(out, []byte(text), 0o644)
}
