// Command expand writes the scenarios as labelled calls:
//
//	expand [-aside] SCENARIOS OUT
//
// It reads the folder SCENARIOS, or with -aside what was put aside there, and writes into the
// folder OUT cases.jsonl (one call a line, with its label), requests.jsonl (the same calls for
// `cortex decide`, without labels) and tools.json (the tools by suite). The same scenarios
// give the same bytes.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/opencortex-go/cortex/internal/scenarios"
)

func main() {
	aside := flag.Bool("aside", false, "expand what was put aside, which is scored once, at the end")
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: expand [-aside] SCENARIOS OUT")
		os.Exit(2)
	}
	if err := write(flag.Arg(0), *aside, flag.Arg(1)); err != nil {
		fmt.Fprintln(os.Stderr, "expand:", err)
		os.Exit(1)
	}
}

func write(from string, aside bool, to string) error {
	tools, err := scenarios.LoadTools(filepath.Join(from, "tools"))
	if err != nil {
		return err
	}
	folder, split := from, "dev"
	if aside {
		folder, split = filepath.Join(from, "aside"), "aside"
	}
	all, err := scenarios.Load(folder)
	if err != nil {
		return err
	}
	var cases, requests, list bytes.Buffer
	for _, s := range all {
		if err := s.Check(tools); err != nil {
			return err
		}
		expanded, err := s.Expand(split)
		if err != nil {
			return err
		}
		for i := range expanded {
			err = errors.Join(line(&cases, expanded[i]), line(&requests, expanded[i].Request()))
			if err != nil {
				return err
			}
		}
	}
	if err := line(&list, tools); err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(to, "cases.jsonl"), cases.Bytes(), 0o644),
		os.WriteFile(filepath.Join(to, "requests.jsonl"), requests.Bytes(), 0o644),
		os.WriteFile(filepath.Join(to, "tools.json"), list.Bytes(), 0o644))
}

func line(to *bytes.Buffer, v any) error {
	e := json.NewEncoder(to)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
