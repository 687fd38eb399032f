// Command tour takes a recorded conversation through the whole of Cortex and
// explains what happens: a model's proposals are allowed, rewritten, refused and
// corrected, held for a person, approved, denied. Everything is real: it builds
// cortex, starts `cortex serve` on a folder of its own, and talks to it over its
// sockets, as two users and an operator at the same time, and as a second operator
// through a stand-in for Telegram; commands run in a shell, and what was done is on
// disk. All of it is removed at the end.
//
// The model is a recording (script.lisp), which checks what it is shown. All that
// is printed is compared with transcript.txt; a difference ends with exit code 1.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	_ "embed"

	"github.com/mattn/go-isatty"
)

//go:embed transcript.txt
var transcript string

func main() {
	program := flag.String("cortex", "", "the program; by default it is built")
	skills := flag.String("skills", "",
		"the folder of the skills that are processes, as make skills builds them; by default they are built")
	update := flag.String("write", "", "write the transcript to this file, instead of comparing")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout, parts{*program, *skills}, *update)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "tour:", err)
		os.Exit(1)
	}
}

// patience is how long a tour may take; it is seconds where nothing is stuck, and
// much more on a machine that has much else to do.
const patience = 10 * time.Minute

// run gives the tour on out.
func run(ctx context.Context, out io.Writer, made parts, update string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var text bytes.Buffer
	if err := give(ctx, io.MultiWriter(&text, painted(out)), made); err != nil {
		return err
	}
	if update != "" {
		return os.WriteFile(update, text.Bytes(), 0o644)
	}
	if err := same(text.String(), transcript); err != nil {
		return fmt.Errorf("%w\nIf the change is meant, record it again: go run ./examples/tour -write "+
			"examples/tour/transcript.txt", err)
	}
	if _, err := fmt.Fprintln(out, "\nAll of this is as it was recorded."); err != nil {
		return err
	}
	return encore(ctx, out, made)
}

// painted colours what goes to a terminal. The text says everything without it.
func painted(out io.Writer) io.Writer {
	f, ok := out.(*os.File)
	if !ok || !isatty.IsTerminal(f.Fd()) || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return out
	}
	return colours{out}
}
