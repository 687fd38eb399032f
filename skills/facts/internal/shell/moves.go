package shell

import (
	"path"
	"strings"

	"github.com/opencortex-go/cortex/skills/facts/internal/words"
)

// move is a place that an earlier command of the line gives what is at another: escaped globs.
type move struct{ to, from string }

// maxMoves bounds the moves of a line that are followed.
const maxMoves = 64

// movers give a place what is at another, links included.
var movers = words.Of("cp mv")

// moves notes for each command what the earlier ones of the line have moved and copied.
func (l *Line) moves() {
	var all []move
	for i := range l.Commands {
		c := &l.Commands[i]
		c.moved = all[:len(all):len(all)]
		if movers[c.Name.Text] && i+1 < len(l.Commands) {
			all = append(c.moved, c.moving()...)
			all = all[:min(len(all), maxMoves)]
		}
	}
}

// moving returns what a command that moves or copies gives which place. A folder that it moves to may exist, so that
// what it moves lies in there.
func (c *Command) moving() (out []move) {
	var operands []Word
	var folder *Word
	for i := 0; i < len(c.Args); i++ {
		switch w := c.Args[i]; {
		case w.Text == "-t" || w.Text == "--target-directory":
			if i++; i < len(c.Args) {
				folder = &c.Args[i]
			}
		case !strings.HasPrefix(w.Text, "-"):
			operands = append(operands, w)
		}
	}
	if n := len(operands); folder == nil && n > 0 {
		folder, operands = &operands[n-1], operands[:n-1]
	}
	for _, w := range operands {
		for _, from := range c.Places(w) {
			for _, to := range folder.Globs(c.Dirs) {
				out = append(out, move{to, from}, move{path.Join(to, path.Base(from)), from})
			}
		}
	}
	return out
}

// Places returns the paths that a word of the command may name: as it is written, and where what lies there has been
// until an earlier command of the line moved or copied it.
func (c *Command) Places(w Word) []string {
	out := w.Globs(c.Dirs)
	for _, m := range c.moved {
		for _, g := range out[:len(out):len(out)] {
			if rest, ok := strings.CutPrefix(g, m.to); ok && (rest == "" || rest[0] == '/') && len(out) < maxMoves {
				out = append(out, m.from+rest)
			}
		}
	}
	return out
}

// Origin returns the place that an earlier command of the line moved or copied, if the path g lies there; else "".
func (c *Command) Origin(g string) string {
	for _, m := range c.moved {
		if rest, ok := strings.CutPrefix(g, m.from); ok && (rest == "" || rest[0] == '/') {
			return m.from
		}
	}
	return ""
}

// Moved reports whether the command names something that an earlier one of the line moved or copied.
func (c *Command) Moved(w Word) bool {
	return len(c.moved) > 0 && len(c.Places(w)) > len(w.Globs(c.Dirs))
}
