package facts

import (
	"strings"

	"github.com/opencortex-go/cortex/skills/facts/internal/options"
	"github.com/opencortex-go/cortex/skills/facts/internal/shell"
	"github.com/opencortex-go/cortex/skills/facts/internal/usage"
)

// byTable adds the paths in the options of a program of the table, which stand
// where [pathList.word] cannot tell them: right behind a bundle of flags. It
// notes the words that are flags alone, and returns the paths.
func (p *pathList) byTable(cmd *shell.Command) (values []string) {
	use, listed := usage.Of(cmd)
	if !listed {
		return nil
	}
	u := usage.Reader{Program: use.Program, Section: use.Section}
	u.Bundle = func(text string) { p.flags = append(p.flags, text) }
	u.Visit = func(kind options.Kind, option string, w shell.Word) {
		if option == "" || !w.Known || w.Pattern || w.Tilde {
			return // a word of its own: see command
		}
		switch kind {
		case options.Path, options.List:
			values = append(values, w.Text)
			if strings.Contains(w.Text, ":") { // a volume, or a certificate and its password
				values = append(values, strings.Split(w.Text, ":")...)
			}
		case options.Data:
			if strings.HasPrefix(w.Text, "@") {
				values = append(values, w.Text)
			}
		case options.Hides:
			p.unknown = "which files " + usage.Opens(&u, option, w) + " brings in"
		}
	}
	u.Read(use.Args)
	return values
}
