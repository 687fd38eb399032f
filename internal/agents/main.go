package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	var opt options
	flag.StringVar(&opt.cortex, "cortex", "", "the program")
	flag.StringVar(&opt.tools, "tools", ".tools/agents", "the folder that the agents are installed in")
	flag.StringVar(&opt.rules, "rules", "examples/skills", "the folder of the rules that ship")
	flag.StringVar(&opt.host, "host", "", "only this agent")
	flag.StringVar(&opt.only, "case", "", "only cases whose name holds this")
	flag.BoolVar(&opt.keep, "keep", false, "keep the folders of the runs, and print where they are")
	flag.BoolVar(&opt.verbose, "v", false, "print what the agents print")
	flag.Parse()
	if err := opt.all(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "agents:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	cortex, tools, rules, host, only string
	verbose, keep                    bool
}

// all runs every trial on every host, and prints a table.
func (o options) all(ctx context.Context) error {
	for _, path := range []*string{&o.cortex, &o.tools, &o.rules} {
		var err error
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	bad := 0
	for _, h := range hosts() {
		if o.host != "" && h.name != o.host {
			continue
		}
		version, err := o.version(h)
		if err != nil {
			return err
		}
		for _, t := range trials() {
			if !strings.Contains(t.name, o.only) || t.only != "" && t.only != h.name {
				continue
			}
			began := time.Now()
			said, err := o.one(ctx, h, t)
			if err != nil {
				said = err.Error()
			}
			if said == "" {
				said = "ok"
			} else {
				bad++
			}
			_, _ = fmt.Fprintf(table, "%s %s\t%s\t%s\t%.1f s\n", h.name, version, t.name, said, time.Since(began).Seconds())
			_ = table.Flush()
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d trials failed", bad)
	}
	return nil
}

// version is the installed one.
func (o options) version(h host) (string, error) {
	raw, err := os.ReadFile(filepath.Join(o.tools, h.name, "node_modules", filepath.FromSlash(h.pkg), "package.json"))
	if err != nil {
		return "", fmt.Errorf("%s is not installed: %w", h.pkg, err)
	}
	return field(raw, "version"), nil
}

// one runs a trial, and says what is wrong; "" if nothing is.
func (o options) one(ctx context.Context, h host, t trial) (said string, err error) {
	s, err := newScene(o.cortex)
	if err != nil {
		return "", err
	}
	if o.keep {
		fmt.Println(s.root)
	} else {
		defer func() { err = errors.Join(err, os.RemoveAll(s.root)) }()
	}
	steps := []step{h.shell(t.command)}
	if t.then != "" {
		steps = append(steps, h.shell(t.then))
	}
	m, err := serve(steps, h.model)
	if err != nil {
		return "", err
	}
	defer m.close()
	args, env, err := h.setUp(s, m.url(), cmp.Or(t.prompt, usual))
	if err != nil {
		return "", err
	}
	args = slices.DeleteFunc(args, func(a string) bool { return a == t.drop })
	if err := s.settings(o.rules); err != nil {
		return "", err
	}
	if !t.bare {
		for _, line := range [][]string{{"approvals", "pair", "--dir", s.record()},
			{"hook", "install", "--dialect", h.name, "--wait", "16s"}} {
			if _, err := s.run(ctx, env, s.program, line...); err != nil {
				return "", err
			}
		}
		defer func() { err = errors.Join(err, s.stop()) }()
	}
	if t.answer != "" {
		answering, done := context.WithCancel(ctx)
		defer done()
		go s.answer(answering, t.answer)
	}
	if t.spoil != nil {
		m.spoil = func() error { return t.spoil(s) }
	}
	if t.forge != "" {
		m.spoil = func() error { return s.forge(ctx, h, t.forge) }
		m.pause = 4 * time.Second
	}
	out, err := s.run(ctx, env, filepath.Join(o.tools, h.name, "node_modules", ".bin", h.bin), args...)
	if o.verbose {
		fmt.Printf("--- %s, %s: asked %d times, told %q\n%s\n", h.name, t.name, m.asked, m.results, out)
	}
	if m.asked == 0 {
		return "", errors.Join(errors.New("the host asked the model nothing"), err)
	}
	return t.verdict(s, m.told(len(steps)-1)), m.spoiled
}
