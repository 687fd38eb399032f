package facts

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills/facts/internal/glob"
	"github.com/opencortex-go/cortex/skills/facts/internal/shell"
	"github.com/opencortex-go/cortex/skills/facts/internal/words"
)

// pathless are commands whose operands are text, not files.
var pathless = words.Of("tr echo printf true false : sleep seq kill pkill killall whoami id uname exit return break " +
	"continue shift expr basename dirname yes wait export declare typeset readonly local unset alias umask ulimit read")

// patternFirst are commands whose first operand is a pattern, unless a flag
// brings one.
var patternFirst = words.Of("grep egrep fgrep rg ag ack")

// attaches are commands with file names right behind the letter of a flag. For
// all others, -la is taken for two flags.
var attaches = words.Of("curl wget tar bsdtar sort cc gcc clang ld patch openssl scp ssh")

// command adds the paths of one command: its own, if it is named by one, its
// operands, the values in its flags, its redirections and its wrappers' words.
func (p *pathList) command(cmd *shell.Command) {
	switch {
	case !cmd.Name.Known:
		p.unknown = cmd.Name.Why
	case strings.Contains(cmd.Name.Text, "/"):
		p.word(cmd, cmd.Name)
	}
	for _, w := range cmd.Own {
		p.word(cmd, w)
	}
	for _, r := range cmd.Lists {
		p.whole(cmd.Opener(r), r.Target)
	}
	for _, r := range cmd.Redirects {
		if !strings.HasPrefix(r.Op, "<<") {
			p.whole(cmd.Opener(r), r.Target)
		}
	}
	if cmd.Name.Known && pathless[cmd.Name.Text] {
		for _, w := range cmd.Args { // the shell looks for what these match
			if w.Pattern && !w.One || w.Many {
				p.whole(cmd, w)
			}
		}
		return
	}
	if cmd.More != "" {
		p.unknown = cmd.More
	}
	p.flags = p.flags[:0]
	var values []string
	if cmd.Name.Known {
		values = p.byTable(cmd)
	}
	// Flags may stand behind the operands too; and of what a glob matches, only
	// the first name is the pattern.
	skip := cmd.Name.Known && patternFirst[cmd.Name.Text] && !slices.ContainsFunc(cmd.Args, bringsPattern)
	for i, w := range cmd.Args {
		if isText(cmd, cmd.Args[max(i-1, 0)], w) {
			continue
		}
		if skip && w.Known && !isFlag(w) {
			skip = false
			if !w.Pattern {
				continue
			}
		}
		p.word(cmd, w)
	}
	for _, text := range values {
		p.piece(cmd, text)
	}
}

// isText reports whether a word is text for sure: the message that git is given
// with -m, or the one character that cut, sort and awk take behind a letter.
func isText(cmd *shell.Command, before, w shell.Word) bool {
	switch {
	case !cmd.Name.Known:
	case !w.Known && !w.Many:
		return (cmd.Name.Text == "git" || cmd.Name.Text == "gh") && before.Known && !before.Pattern &&
			messageFlags[before.Text]
	case len(w.Text) == 3 && w.Text[0] == '-' && !w.Pattern:
		return strings.Contains(delimiterFlags[cmd.Name.Text], w.Text[1:2])
	}
	return false
}

var messageFlags = words.Of("-m -am --message --title --body")

var delimiterFlags = map[string]string{"cut": "d", "sort": "t", "join": "t", "paste": "d", "awk": "F", "gawk": "F",
	"mawk": "F"}

func isFlag(w shell.Word) bool { return w.Known && len(w.Text) > 1 && w.Text[0] == '-' }

// bringsPattern reports whether a word may be a flag whose value is the pattern,
// so that all operands are files.
func bringsPattern(w shell.Word) bool { return isFlag(w) && strings.ContainsAny(w.Text, "ef") }

// whole adds a word that is a path and nothing else.
func (p *pathList) whole(cmd *shell.Command, w shell.Word) {
	if !w.Known {
		p.unknown = w.Why
		return
	}
	if w.Text != "" {
		p.add(w.Text, cmd.Places(w), cmd.Dirs)
	}
}

// word adds a word and the paths that may stand in it: behind =, :, @ or a
// comma, or right behind the letter of a flag.
func (p *pathList) word(cmd *shell.Command, w shell.Word) {
	if !w.Known {
		p.unknown = w.Why
		return
	}
	if rest, isFile := cutFold(w.Text, "file:"); isFile {
		p.fileURL(w.Text)
		p.add(w.Text, glob.From(glob.Escape(rest), strings.HasPrefix(rest, "/"), cmd.Dirs), nil)
	}
	if len(w.Text) > 1 && w.Text[0] == '-' {
		rest := w.Text[2:]
		if w.Text[1] != '-' && rest != "" && !slices.Contains(p.flags, w.Text) &&
			(attaches[cmd.Name.Text] || strings.ContainsAny(rest, "/.~@=_")) {
			p.bundle(cmd, rest)
		}
	} else {
		p.whole(cmd, w)
	}
	if w.Pattern {
		if strings.ContainsAny(w.Text, "=@") {
			p.unknown = "what " + w.Text + " matches"
		}
		return
	}
	for i := 0; i < len(w.Text) && i < 1024; i++ {
		if c := w.Text[i]; c == '=' || c == ':' || c == '@' || c == ',' {
			end := strings.IndexAny(w.Text[i+1:], ",:")
			rest := w.Text[i+1:]
			if c == ':' && strings.HasPrefix(rest, "//") && !strings.HasSuffix(strings.ToLower(w.Text[:i]), "file") {
				continue // what follows is the host of an address
			}
			if looksLikePath(rest) || c == '=' || c == '@' {
				p.piece(cmd, rest)
			}
			if end > 0 && looksLikePath(rest[:end]) {
				p.piece(cmd, rest[:end])
			}
		}
	}
	if i := strings.IndexAny(w.Text, ":,"); i > 0 && w.Text[0] != '-' && looksLikePath(w.Text[:i]) {
		p.piece(cmd, w.Text[:i])
	}
}

// bundle adds what may be a path among short flags: the value begins right behind
// the first letter, as in -f/etc/passwd, or behind a later one, as in
// -nf/etc/passwd.
func (p *pathList) bundle(cmd *shell.Command, rest string) {
	p.piece(cmd, rest)
	if !strings.ContainsAny(rest, "/.~@=_") {
		return
	}
	for i := 0; i+1 < len(rest) && i < maxBundle && isLetter(rest[i]); i++ {
		p.piece(cmd, rest[i+1:])
	}
}

// maxBundle is how many short flags one word may plausibly hold.
const maxBundle = 8

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func looksLikePath(s string) bool {
	return s != "" && (strings.Contains(s, "/") || s[0] == '~' || s[0] == '.')
}

// piece adds a path inside a word. What it names may itself begin with @ or <,
// as curl reads files.
func (p *pathList) piece(cmd *shell.Command, text string) {
	text = strings.TrimLeft(text, "@<=")
	if text == "" {
		return
	}
	if strings.HasPrefix(text, "~") {
		p.text(text)
		return
	}
	p.add(text, glob.From(glob.Escape(text), strings.HasPrefix(text, "/"), cmd.Dirs), cmd.Dirs)
}
