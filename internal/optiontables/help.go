package main

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
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

// value is what follows the name of an option on its line: whether it takes one,
// and how much of the line that was.
type value func(rest string) (takes, int)

var (
	spelling = regexp.MustCompile(`^--?(\[no-\])?[A-Za-z0-9#?:@][-A-Za-z0-9_.]*`)
	angle    = regexp.MustCompile(`^(?: |=)?(?:<[^>]*>|\((?:[a-z-]+\|)+[a-z-]+\))(?:\.\.\.)?(?:\[:?[^\]]*\])?|^ \S*<[^>]*>\S*|^ \[\S+\]\S+`)
	angleOpt = regexp.MustCompile(`^\[=?[<(][^\]]*\]| \[(?:<[^>]*>(?:\.\.\.)?|bool|prod)\]`)
	equals   = regexp.MustCompile(`^=\S+`)
	equalOpt = regexp.MustCompile(`^\[=[^\]]*\]`)
	bare     = regexp.MustCompile(`^ [^ (-]\S*( \S+)*(  |$)`)
	bareOpt  = regexp.MustCompile(`^ ?\[[^\]]*\]|^ string\[="[^"]*"\]`)
)

func angleValue(rest string) (takes, int) {
	if m := angleOpt.FindStringIndex(rest); m != nil && m[0] == 0 {
		return optional, m[1]
	}
	if m := angle.FindString(rest); m != "" {
		return required, len(m)
	}
	return none, 0
}

func equalsValue(rest string) (takes, int) {
	if m := equalOpt.FindString(rest); m != "" {
		return optional, len(m)
	}
	if m := equals.FindString(rest); m != "" {
		return required, len(strings.TrimSuffix(m, ","))
	}
	return none, 0
}

func bareValue(rest string) (takes, int) {
	if m := bareOpt.FindString(rest); m != "" {
		return optional, len(m)
	}
	if m := bare.FindString(rest); m != "" {
		return required, len(strings.TrimRight(m, " "))
	}
	return none, 0
}

// columns reads lines that begin with an option's spellings. A text without any
// shows its options in brackets, behind "usage:".
func columns(read value) func(string) []option {
	return func(text string) []option {
		var out []option
		for line := range strings.Lines(text) {
			if o, ok := entry(strings.TrimRight(line, "\n"), read); ok {
				out = append(out, o)
			}
		}
		if len(out) == 0 {
			for _, m := range bracketed.FindAllString(text, -1) {
				if o, ok := entry(m, read); ok {
					out = append(out, o)
				}
			}
		}
		return out
	}
}

// bracketed is an option as a usage line shows it: [-C <path>], [-f|--force].
var bracketed = regexp.MustCompile(`--?[A-Za-z][-A-Za-z]*((?: \| |\|)--?[A-Za-z][-A-Za-z]*)*(?:\[=<[^>]*>\]|[= ]<[^>]*>(?:=<[^>]*>)?)?`)

// maxIndent is how far in the help texts an option may begin.
const maxIndent = 20

// between are what stands between two spellings of one option.
var between = regexp.MustCompile(`^(, +|,| \| |\|| / )-`)

// entry reads one line of columns.
func entry(line string, read value) (option, bool) {
	rest := strings.TrimLeft(line, " ")
	if len(line)-len(rest) > maxIndent {
		return option{}, false // a sentence that goes on
	}
	o := option{text: strings.TrimSpace(line)}
	for {
		m := spelling.FindString(rest)
		if m == "" {
			return o, len(o.names) > 0
		}
		rest = rest[len(m):]
		m = strings.TrimRight(m, ".") // --verbose... may be given more than once
		if long, ok := strings.CutPrefix(m, "--[no-]"); ok {
			o.names = append(o.names, "--"+long, "--no-"+long)
		} else {
			o.names = append(o.names, m)
		}
		t, n := read(rest)
		o.takes, rest = max(o.takes, t), rest[n:]
		sep := between.FindString(rest)
		if sep == "" {
			return o, true
		}
		rest = rest[len(sep)-1:]
	}
}

// usage reads a line such as [-46Aa] [-o option] [-D [address:]port].
func usage(text string) []option {
	var out []option
	for rest := text; ; {
		start := strings.Index(rest, "[-")
		if start < 0 {
			return out
		}
		rest = rest[start+1:]
		depth, end := 1, 0
		for end < len(rest) && depth > 0 {
			switch rest[end] {
			case '[':
				depth++
			case ']':
				depth--
			}
			end++
		}
		letters, value, _ := strings.Cut(rest[1:end-1], " ")
		for _, c := range letters {
			o := option{names: []string{"-" + string(c)}, text: rest[:end-1]}
			if value != "" {
				o.takes = required
			}
			out = append(out, o)
		}
		rest = rest[end:]
	}
}

// manual reads a manual page: the names of options stand alone on a line, and
// what they take is prose, which review/ tells.
func manual(text string) []option {
	var out []option
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "       -") {
			if o, ok := entry(strings.TrimRight(line, "\n"), equalsValue); ok {
				out = append(out, o)
			}
		}
	}
	return out
}

var (
	goLine  = regexp.MustCompile(`(?m)^(?: {8})-([A-Za-z0-9]+)( .+)?$`)
	goUsage = regexp.MustCompile(`\[-([a-z0-9]+)(=\S+| [a-z]\S*)?\]`)
	goProse = regexp.MustCompile(`(?:The|and) -([a-z0-9]+)(=\S+)? flags?\b`)
)

// goHelp reads the go command's help: its usage, its lists, and its sentences.
func goHelp(text string) []option {
	var out []option
	for _, re := range []*regexp.Regexp{goLine, goUsage, goProse} {
		for _, m := range re.FindAllStringSubmatch(text, -1) {
			o := option{names: []string{"-" + m[1]}, text: m[0]}
			if m[2] != "" {
				o.takes = required
			}
			out = append(out, o)
		}
	}
	return out
}

var (
	npmName  = regexp.MustCompile("(?m)^#### `([a-z0-9-]+)`$")
	npmShort = regexp.MustCompile("(?m)^\\* `(--?[A-Za-z?-]+)`: `--([a-z-]+)( [a-z]+)?`$")
)

// npmConfig reads npm's manual page config: every option, its type, and the
// shorthands.
func npmConfig(text string) []option {
	var out []option
	at := map[string]int{}
	for _, m := range npmName.FindAllStringSubmatchIndex(text, -1) {
		name := text[m[2]:m[3]]
		rest := text[m[1]:]
		_, kind, _ := strings.Cut(rest, "* Type: ")
		kind, _, _ = strings.Cut(kind, "\n\n")
		kind, _, _ = strings.Cut(kind, "\n* ")
		o := option{names: []string{"--" + name}, takes: required, text: name + ": " + strings.Join(strings.Fields(kind), " ")}
		switch words := strings.Fields(kind); {
		case words[len(words)-1] == "Boolean" && (len(words) == 1 || words[0] == "null"):
			o.takes = none
			o.names = append(o.names, "--no-"+name)
		case strings.Contains(kind, "Boolean") || strings.Contains(kind, "true") || strings.Contains(kind, "false"):
			o.takes = optional
		}
		at[name] = len(out)
		out = append(out, o)
	}
	for _, m := range npmShort.FindAllStringSubmatch(text, -1) {
		i, ok := at[strings.TrimPrefix(m[2], "no-")]
		if !ok {
			continue
		}
		if m[3] != "" || strings.HasPrefix(m[2], "no-") {
			out = append(out, option{names: []string{m[1]}, text: m[0]}) // it brings its value along
			continue
		}
		out[i].names = append(out[i].names, m[1])
	}
	return out
}

var kubectlLine = regexp.MustCompile(`(?m)^ {4}(?:(-[A-Za-z]), )?(--[a-z0-9-]+)=(.*):$`)

// kubectl reads --name=default: lines; a default of true or false takes no value.
func kubectl(text string) []option {
	var out []option
	for _, m := range kubectlLine.FindAllStringSubmatch(text, -1) {
		o := option{names: []string{m[2]}, takes: required, text: strings.TrimSpace(m[0])}
		if m[1] != "" {
			o.names = append(o.names, m[1])
		}
		if m[3] == "true" || m[3] == "false" {
			o.takes = none
		}
		out = append(out, o)
	}
	return out
}
