package facts

import (
	"strings"

	"github.com/opencortex-go/cortex/skills/facts/internal/options"
)

// byTable adds the paths in the options of a program of the table, which stand
// where [pathList.word] cannot tell them: right behind a bundle of flags. It
// notes the words that are flags alone, and returns the paths.
func (p *pathList) byTable(cmd *command) (values []string) {
	use, listed := programOf(cmd)
	if !listed {
		return nil
	}
	u := usage{program: use.program, section: use.section}
	u.bundle = func(text string) { p.flags = append(p.flags, text) }
	u.visit = func(kind options.Kind, option string, w word) {
		if option == "" || !w.known || w.pattern || w.tilde {
			return // a word of its own: see command
		}
		switch kind {
		case options.Path, options.List:
			values = append(values, w.text)
			if strings.Contains(w.text, ":") { // a volume, or a certificate and its password
				values = append(values, strings.Split(w.text, ":")...)
			}
		case options.Data:
			if strings.HasPrefix(w.text, "@") {
				values = append(values, w.text)
			}
		case options.Hides:
			p.unknown = "which files " + opens(&u, option, w) + " brings in"
		}
	}
	u.read(use.args)
	return values
}
