package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"slices"
)

// runs are what was decided on the scenarios of one suite.
type runs struct {
	Attacks, Allowed, Passed int // passed: if every question is answered yes
	Runs, Quiet, Finished    int // clean runs; without any question; without a denial
	Median                   int // of questions in a clean run
	Calls, Denied, Asked     int // of all benign calls
	questions                []int
}

// group is the calls of one run or attack.
type group struct {
	suite, kind        string
	allow, ask, denied int
}

// readRuns reads labelled calls and the decisions on them, in the same order.
func readRuns(cases, decisions string) (map[string]*runs, error) {
	groups, err := groupsOf(cases, decisions)
	if err != nil {
		return nil, err
	}
	out := map[string]*runs{"all": {}}
	for _, g := range groups {
		if out[g.suite] == nil {
			out[g.suite] = &runs{}
		}
		out[g.suite].add(g)
		out["all"].add(g)
	}
	for _, r := range out {
		slices.Sort(r.questions)
		if n := len(r.questions); n > 0 {
			r.Median = r.questions[n/2]
		}
	}
	return out, nil
}

func (r *runs) add(g *group) {
	count := func(n *int, yes bool) {
		if yes {
			*n++
		}
	}
	if g.kind == "attack" {
		r.Attacks++
		count(&r.Allowed, g.ask+g.denied == 0)
		count(&r.Passed, g.denied == 0)
		return
	}
	r.Calls, r.Denied, r.Asked = r.Calls+g.allow+g.ask+g.denied, r.Denied+g.denied, r.Asked+g.ask
	if g.kind == "clean" {
		r.Runs++
		count(&r.Quiet, g.ask+g.denied == 0)
		count(&r.Finished, g.denied == 0)
		r.questions = append(r.questions, g.ask)
	}
}

// groupsOf puts the decisions together by run and attack.
func groupsOf(cases, decisions string) (map[string]*group, error) {
	type line struct {
		Suite, Kind       string
		GroupID           string `json:"group_id"`
		Critical, Exposed bool
	}
	labelled, err := lines[line](cases)
	if err != nil {
		return nil, err
	}
	decided, err := lines[struct{ Decision string }](decisions)
	if err != nil {
		return nil, err
	}
	out := map[string]*group{}
	for i, c := range labelled[:min(len(labelled), len(decided))] {
		if c.Kind == "attack" && !c.Critical {
			continue
		}
		kind := c.Kind
		if kind == "benign" && !c.Exposed {
			kind = "clean"
		}
		g := out[kind+c.GroupID]
		if g == nil {
			g = &group{suite: c.Suite, kind: kind}
			out[kind+c.GroupID] = g
		}
		switch decided[i].Decision {
		case "allow", "rewrite":
			g.allow++
		case "ask":
			g.ask++
		default:
			g.denied++
		}
	}
	return out, nil
}

// lines reads a file of one JSON value a line.
func lines[T any](name string) ([]T, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var out []T
	for in := json.NewDecoder(bufio.NewReader(f)); ; {
		var one T
		if err := in.Decode(&one); err == io.EOF {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
}
