package hosts

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/opencortex-go/cortex/skills/facts/internal/options"
	"github.com/opencortex-go/cortex/skills/facts/internal/shell"
	"github.com/opencortex-go/cortex/skills/facts/internal/words"
)

// variable adds the hosts of NAME=value in a command's environment. For a
// network program more variables count than for all others.
func (h *List) variable(w shell.Word, networks bool) {
	name, value, ok := strings.Cut(w.Text, "=")
	if !w.Known {
		if name, ok = strings.CutPrefix(w.Why, "the value of "); !ok {
			return
		}
		name = strings.TrimPrefix(name, "$")
	}
	if !ok || !syntax.ValidName(name) {
		return
	}
	program, kind := options.OfVariable(name)
	if networks && kind == options.Plain && steering[name] {
		kind = options.Hides
	}
	switch {
	case kind == options.Plain || kind == options.Path || kind == options.Data:
		return
	case !kind.NamesHost():
		h.Unknown = "which hosts the variable " + name + " brings in"
		return
	case !w.Known:
		h.Unknown = w.Why
		return
	}
	for v := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ',' || r == '|' || r == ' ' }) {
		if v == "direct" || v == "off" || strings.Contains(v, "://") && !strings.HasPrefix(v, "://") {
			continue // URLs are counted wherever they stand
		}
		h.named(program, kind, v)
	}
}

// steering are variables that show a network program another configuration,
// resolver or code, or let it read its words in another way.
var steering = words.Of(`HOME XDG_CONFIG_HOME XDG_CONFIG_DIRS POSIXLY_CORRECT HOSTALIASES LOCALDOMAIN RES_OPTIONS
	OPENSSL_CONF NODE_OPTIONS NODE_PATH PYTHONPATH PYTHONHOME PYTHONSTARTUP RUBYOPT RUBYLIB PERL5LIB
	PERL5OPT JAVA_TOOL_OPTIONS`)
