package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// completionCmd prints a script for a shell, made from the commands that there are.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help says how the scripts are used.
func (completionCmd) Help() string {
	return "bash: source <(cortex completion bash). zsh: source <(cortex completion zsh), behind compinit. " +
		"fish: cortex completion fish | source."
}

// Run prints the script.
func (c *completionCmd) Run(p *program, k *kong.Context) error {
	all := spots(k.Model.Node, "cortex")
	p.Raw(map[string]func([]spot) string{"bash": bashScript, "zsh": zshScript, "fish": fishScript}[c.Shell](all))
	return p.Unsaid
}

// spot is somewhere on the command line: a command, and the words that may follow it.
type spot struct {
	at    string // "cortex rules"
	words []word
}

type word struct{ text, help string }

// spots are a command and all below it.
func spots(n *kong.Node, at string) []spot {
	here := spot{at: at}
	var below []spot
	for _, c := range n.Children {
		if c.Hidden || c.Type != kong.CommandNode {
			continue
		}
		here.words = append(here.words, word{c.Name, c.Help})
		below = append(below, spots(c, at+" "+c.Name)...)
	}
	for _, group := range n.AllFlags(true) {
		for _, f := range group {
			here.words = append(here.words, word{"--" + f.Name, f.Help})
			if f.Negated || f.Tag.Negatable != "" {
				here.words = append(here.words, word{"--no-" + f.Name, f.Help})
			}
		}
	}
	for _, a := range n.Positional {
		for _, text := range a.EnumSlice() {
			here.words = append(here.words, word{text, ""})
		}
	}
	return append([]spot{here}, below...)
}

// quoted is text in the single quotes of a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// cases are the two tables of bash and zsh: which words lead where, and what may
// follow there, by a function of the shell's own.
func cases(all []spot, list func([]word) string) string {
	var to, what strings.Builder
	for _, x := range all {
		if x.at != "cortex" {
			fmt.Fprintf(&to, "      %s) at=\"$at $word\" ;;\n", quoted(x.at))
		}
		fmt.Fprintf(&what, "    %s) found=(%s) ;;\n", quoted(x.at), list(x.words))
	}
	return "    case \"$at $word\" in\n" + to.String() +
		"    esac\n  done\n  case \"$at\" in\n" + what.String() + "  esac\n"
}

func bashScript(all []spot) string {
	return `# completion of cortex for bash
_cortex() {
  local cur=${COMP_WORDS[COMP_CWORD]} at=cortex word found=()
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
` + cases(all, func(words []word) string {
		var list []string
		for _, w := range words {
			list = append(list, w.text)
		}
		return strings.Join(list, " ")
	}) + `  COMPREPLY=($(compgen -W "${found[*]}" -- "$cur"))
}
complete -o default -F _cortex cortex
`
}

func zshScript(all []spot) string {
	return `#compdef cortex
# completion of cortex for zsh
_cortex_words() {
  local at=cortex word
  for word in "$@"; do
` + cases(all, func(words []word) string {
		var list []string
		for _, w := range words {
			list = append(list, quoted(strings.ReplaceAll(w.text, ":", `\:`)+":"+w.help))
		}
		return strings.Join(list, " ")
	}) + `}
_cortex() {
  local -a found
  _cortex_words "${(@)words[2,CURRENT-1]}"
  _describe cortex found || _files
}
compdef _cortex cortex
`
}

func fishScript(all []spot) string {
	var b strings.Builder
	b.WriteString("# completion of cortex for fish\nfunction __cortex_at\n  set -l at cortex\n" +
		"  for word in (commandline -opc)[2..-1]\n    switch \"$at $word\"\n      case")
	for _, x := range all[1:] {
		b.WriteString(" " + quoted(x.at))
	}
	b.WriteString("\n        set at \"$at $word\"\n    end\n  end\n  test \"$at\" = \"$argv[1]\"\nend\n")
	for _, x := range all {
		for _, w := range x.words {
			flag, long := strings.CutPrefix(w.text, "--")
			if flag = "-l " + flag; !long {
				flag = "-f -a " + quoted(w.text)
			}
			help := strings.ReplaceAll(strings.ReplaceAll(w.help, `\`, `\\`), "'", `\'`)
			fmt.Fprintf(&b, "complete -c cortex -n '__cortex_at \"%s\"' %s -d '%s'\n", x.at, flag, help)
		}
	}
	return b.String()
}

// manual is the man page, in the language of man(7), from the same model.
func manual(k *kong.Kong) string {
	var b strings.Builder
	esc := func(text string) string {
		text = strings.ReplaceAll(strings.ReplaceAll(text, `\`, `\e`), "-", `\-`)
		if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
			text = `\&` + text
		}
		return text
	}
	fmt.Fprintf(&b, ".TH CORTEX 1\n.SH NAME\ncortex \\- %s\n.SH SYNOPSIS\n.B cortex\nCOMMAND [FLAGS]\n.SH COMMANDS\n",
		esc(strings.ToLower(k.Model.Help[:1])+strings.TrimSuffix(k.Model.Help[1:], ".")))
	for _, leaf := range k.Model.Leaves(true) {
		fmt.Fprintf(&b, ".SS %s\n%s\n", esc(leaf.FullPath()), esc(leaf.Help))
		if leaf.Detail != "" {
			fmt.Fprintf(&b, ".PP\n%s\n", esc(strings.Join(strings.Fields(leaf.Detail), " ")))
		}
		for _, a := range leaf.Positional {
			fmt.Fprintf(&b, ".TP\n.I %s\n%s\n", esc(a.Name), esc(a.Help))
		}
		groups := leaf.AllFlags(true)
		slices.Reverse(groups) // the command's own first
		for _, group := range groups {
			for _, f := range group {
				if f.Name != "help" && f.Name != "json" {
					fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", esc(f.String()), esc(f.Help))
				}
			}
		}
	}
	b.WriteString(".SH FLAGS OF ALL COMMANDS\n.TP\n.B \\-\\-json\nPrint JSON, for programs.\n.TP\n.B \\-\\-help\n" +
		"Say what there is.\n.SH EXIT STATUS\n0 allowed or done, 1 error, 2 denied, 3 pending approval, 4 no daemon, " +
		"5 differences found.\n.SH SEE ALSO\n.BR \"cortex paths\" ,\nand the folder docs of the source.\n")
	return b.String()
}
