// Command tour takes a recorded conversation through the whole of Cortex and
// explains what happens: a model's proposals are allowed, rewritten, refused and
// corrected, held for a person, approved, denied. Everything is real: it builds
// cortex, starts `cortex serve` on a folder of its own, and talks to it over its
// sockets, as two users and an operator at the same time, and as a second operator
// through a stand-in for Telegram; commands run in a shell, and what was done is on
// disk. All of it is removed at the end. With -short it shows one scene for each of
// the five outcomes, four of plans, and two of the guard.
//
// The model is a recording (script.lisp), which checks what it is shown. All that
// is printed is compared with what was recorded in transcript.txt, or in short.txt:
// tokens, digests and times by their shape. A difference ends with exit code 1.
package main

import (
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

// What was recorded.
var (
	//go:embed transcript.txt
	transcript string
	//go:embed short.txt
	short string
)

func main() {
	program := flag.String("cortex", "", "the program; by default it is built")
	skills := flag.String("skills", "",
		"the folder of the skills that are processes, as make skills builds them; by default they are built")
	brief := flag.Bool("short", false, "one scene for each of the five outcomes, four of plans, and two of the guard")
	update := flag.String("write", "", "write the transcript to this file, instead of comparing")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout, parts{*program, *skills}, *brief, *update)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "tour:", err)
		os.Exit(1)
	}
}

// patience is how long a tour may take; it is seconds where nothing is stuck, and
// much more on a machine that has much else to do.
const patience = 10 * time.Minute

// run gives the tour on out, whole or its short form.
func run(ctx context.Context, out io.Writer, made parts, brief bool, update string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	text, err := give(ctx, painted(out), made, brief)
	if err != nil {
		return err
	}
	if update != "" {
		return os.WriteFile(update, []byte(text), 0o644)
	}
	recorded, again := transcript, "go run ./examples/tour -write examples/tour/transcript.txt"
	if brief {
		recorded, again = short, "go run ./examples/tour -short -write examples/tour/short.txt"
	}
	if err := same(text, recorded); err != nil {
		return fmt.Errorf("%w\nIf the change is meant, record it again: %s", err, again)
	}
	if brief {
		_, err := fmt.Fprintln(out, "\nAll of this is as it was recorded. make tour shows much more.")
		return err
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
