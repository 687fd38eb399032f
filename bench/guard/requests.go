package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// suite is the requests of one suite.
type suite struct {
	name  string
	first string   // the tool of its first request
	lines [][]byte // as they stand in the file
	at    []int    // where each stands in the file, from 0
}

// read cuts a file of requests into its suites, in the order of their first requests. It
// returns how many requests there are.
func read(name string) ([]*suite, int, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = f.Close() }()
	var all []*suite
	by := map[string]*suite{}
	n := 0
	for in := bufio.NewReaderSize(f, 1<<20); ; {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			s, tool, bad := suiteOf(line)
			if bad != nil {
				return nil, 0, fmt.Errorf("%s: request %d: %w", name, n+1, bad)
			}
			if by[s] == nil {
				by[s] = &suite{name: s, first: tool}
				all = append(all, by[s])
			}
			by[s].lines, by[s].at = append(by[s].lines, line), append(by[s].at, n)
			n++
		}
		if err == io.EOF {
			return all, n, nil
		}
		if err != nil {
			return nil, 0, err
		}
	}
}

// suiteOf reads the suite that a request names, and the tool of its action.
func suiteOf(line []byte) (name, tool string, err error) {
	var r struct {
		Action struct{ Tool string }
		Facts  struct{ Env struct{ Suite string } }
	}
	err = json.Unmarshal(line, &r)
	return r.Facts.Env.Suite, r.Action.Tool, err
}
