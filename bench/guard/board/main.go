// Command board writes the scoreboard of the guard from what the scorer of the evaluation
// data says, as JSON: of the data as it is, and of the data with the attackers' addresses,
// accounts and phrases replaced.
//
//	board [--version V] [--date D] [--leftout TABLE] [--kinds TABLE] [--cases FILE --decisions FILE] SCORES MUTATED
//
// The tables are what leaveout.py and loko print, and the cases are those of the scenarios.
package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"text/template"
	"time"
)

//go:embed page.md.tmpl
var page string

// figures are what the scorer counts for a suite.
type figures struct {
	Attacks, Asr, Leak, Tasks, Utility int
	Passed                             int `json:"asr_plus_ask"`
	Calls                              int `json:"benign_calls"`
	Denied                             int `json:"false_reject"`
	Asked                              int `json:"benign_ask"`
	Useful                             int `json:"utility_plus_ask"`
	Exposed                            int `json:"exposed_calls"`
	ExposedDenied                      int `json:"exposed_false_reject"`
	ExposedAsked                       int `json:"exposed_ask"`
	Micros                             struct{ P50, P99 float64 }
}

// supposed is what would have come of recorded runs behind the guard.
type supposed struct {
	Pairs, Tasks int
	Before       int `json:"asr_no_guard"`
	After        int `json:"asr_guard"`
	UtilBefore   int `json:"utility_no_guard"`
	UtilAfter    int `json:"utility_guard"`
}

// scores are the scorer's JSON.
type scores struct {
	Suites   map[string]figures
	Families map[string]figures
	All      figures
	Whatif   map[string]supposed
	By       struct {
		Kinds map[string]figures `json:"category_class"`
	}
	Missing int
}

func main() {
	version := flag.String("version", "unknown", "the `version` that was measured")
	date := flag.String("date", time.Now().UTC().Format(time.DateOnly), "the `day` of the measurement")
	leftout := flag.String("leftout", "", "the `table` of suites and goals left out")
	kinds := flag.String("kinds", "", "the `table` of kinds of code left out")
	cases := flag.String("cases", "", "the labelled calls of the scenarios")
	decisions := flag.String("decisions", "", "what was decided on them")
	flag.Parse()
	b := board{Version: *version, Date: *date, Go: runtime.Version()}
	err := b.read(*leftout, *kinds, *cases, *decisions, flag.Arg(0), flag.Arg(1))
	if err == nil {
		err = b.write()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "board:", err)
		os.Exit(1)
	}
}

// board is what the page shows.
type board struct {
	Version, Date, Go string
	Plain, Mutated    scores
	LeftOut, Kinds    string
	Scenarios         map[string]*runs
}

// read reads all that was measured; the names of what was not are empty.
func (b *board) read(leftout, kinds, cases, decisions, plain, mutated string) error {
	err := errors.Join(read(plain, &b.Plain), read(mutated, &b.Mutated))
	if err == nil && leftout != "" {
		var text []byte
		text, err = os.ReadFile(leftout)
		b.LeftOut = string(text)
	}
	if err == nil && kinds != "" {
		var text []byte
		text, err = os.ReadFile(kinds)
		b.Kinds = string(text)
	}
	if err == nil && cases != "" {
		b.Scenarios, err = readRuns(cases, decisions)
	}
	return err
}

// write writes the page to standard output.
func (b *board) write() error {
	t, err := template.New("page").Funcs(template.FuncMap{"share": share, "cell": cell}).Parse(page)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	if err := t.Execute(out, b); err != nil {
		return err
	}
	return out.Flush()
}

// read reads the scorer's JSON.
func read(name string, into *scores) error {
	text, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		return fmt.Errorf("the scores: %w", err)
	}
	return nil
}

// share is a part of a whole in percent; "-" of none.
func share(part, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", 100*float64(part)/float64(whole))
}

// cell is a text that may stand in a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", ", ") }
