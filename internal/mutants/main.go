package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"time"
)

func main() {
	log.SetFlags(0)
	only := flag.String("only", "", "try those alone whose file, tests or sentence this regular expression finds")
	timeout := flag.Duration("timeout", time.Minute, "for the tests of one mutant; what hangs is killed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	all, err := read(os.DirFS("internal/mutants/table"))
	if err == nil {
		err = try(ctx, ".", some(all, *only), *timeout, os.Stdout)
	}
	if err != nil {
		stop()
		log.Fatal("mutants: ", err)
	}
}

// some returns the mutants that a regular expression finds.
func some(all []mutant, only string) []mutant {
	re := regexp.MustCompile(only)
	return slices.DeleteFunc(slices.Clone(all), func(m mutant) bool {
		return !re.MatchString(fmt.Sprint(m.at, m.file, m.breaks, m.tests))
	})
}

// try returns an error unless all mutants on the module at root are killed or
// explained. It prints the outcome of each.
func try(ctx context.Context, root string, all []mutant, timeout time.Duration, out io.Writer) (err error) {
	if root, err = filepath.Abs(root); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }() // a folder for temporary files
	r := runner{root: root, work: work, timeout: timeout, out: out}
	n, err := r.run(ctx, all)
	if err != nil {
		return err
	}
	wrong := n[noCompile] + n[noApply] + n[noTest] + n[seen]
	_, _ = fmt.Fprintf(out, "%d mutants: %d killed, %d explained, %d survived, %d wrong in the table\n",
		len(all), n[killed], n[explained], n[survived], wrong)
	if len(all) == 0 || n[survived]+wrong > 0 {
		return fmt.Errorf("%d of %d are not in order", n[survived]+wrong, len(all))
	}
	return nil
}
