package main

import (
	"regexp"
	"strings"
)

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
		o := option{names: []string{"--" + name}, takes: required,
			text: name + ": " + strings.Join(strings.Fields(kind), " ")}
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
