package main

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// takes says whether an option has a value.
type takes uint8

const (
	none     takes = iota
	optional       // only when attached: --color=always
	required       // attached, or the next word
)

// option is one entry of a help text: every spelling of one option.
type option struct {
	names []string // with their dashes
	takes takes
	text  string // the line that says so, for messages
}

// section is what a program says of itself or of one of its subcommands.
type section struct {
	name    string // "git clone"
	options []option
}

// program is one file of help/.
type program struct {
	name, layout, version string
	sections              []section
}

// programs reads every file of help/.
func programs(files fs.FS) ([]program, error) {
	names, err := fs.Glob(files, "help/*.txtar")
	if err != nil {
		return nil, err
	}
	var out []program
	for _, name := range names {
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		p, err := parse(strings.TrimSuffix(path.Base(name), ".txtar"), txtar.Parse(data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, p)
	}
	return out, nil
}

// parse reads one program's texts by their layout.
func parse(name string, a *txtar.Archive) (program, error) {
	p := program{name: name}
	for line := range strings.Lines(string(a.Comment)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "layout":
			p.layout = value
		case "version":
			p.version = value
		}
	}
	read, ok := layouts[p.layout]
	if !ok {
		return p, fmt.Errorf("unknown layout %q", p.layout)
	}
	for _, f := range a.Files {
		p.sections = append(p.sections, section{f.Name, merge(read(string(f.Data)))})
	}
	return p, nil
}

// layouts are the ways in which programs write their help.
var layouts = map[string]func(string) []option{
	"angle":   columns(angleValue),  // --output <file>
	"equals":  columns(equalsValue), // --output=FILE
	"bare":    columns(bareValue),   // --output file   Description
	"usage":   usage,                // [-46Aa] [-o option]
	"man":     manual,
	"go":      goHelp,
	"npm":     npmConfig,
	"kubectl": kubectl,
}

// merge joins entries that share a name; the one that takes a value wins.
func merge(in []option) []option {
	var out []option
	for _, o := range in {
		i := slices.IndexFunc(out, func(x option) bool {
			return slices.ContainsFunc(x.names, func(n string) bool { return slices.Contains(o.names, n) })
		})
		if i < 0 {
			out = append(out, o)
			continue
		}
		for _, n := range o.names {
			if !slices.Contains(out[i].names, n) {
				out[i].names = append(out[i].names, n)
			}
		}
		out[i].takes = max(out[i].takes, o.takes)
	}
	return out
}
