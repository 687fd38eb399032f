package usage

import (
	"strings"

	"github.com/opencortex-go/cortex/skills/facts/internal/options"
	"github.com/opencortex-go/cortex/skills/facts/internal/shell"
)

// alike are names of programs in the table.
var alike = map[string]string{
	"slogin": "ssh", "apt": "apt-get", "tnftp": "ftp", "mariadb": "mysql", "pip3": "pip", "yarnpkg": "yarn",
}

// Of finds a command's program in the table.
func Of(cmd *shell.Command) (Use, bool) {
	name, args := cmd.Name.Text, cmd.Args
	switch {
	case name == "npx":
		p := options.Find("npm")
		return Use{p, p.Section("npx"), args}, true
	case strings.HasPrefix(name, "python") && strings.Trim(name[len("python"):], "0123456789.") == "":
		rest, ok := moduleArgs(args, "pip")
		if !ok {
			return Use{}, false
		}
		name, args = "pip", rest
	case strings.HasPrefix(name, "pip") && strings.Trim(name[len("pip"):], "0123456789.") == "":
		name = "pip"
	}
	if same, ok := alike[name]; ok {
		name = same
	}
	p := options.Find(name)
	if p == nil {
		return Use{}, false
	}
	return Use{p, p.Section(name), args}, true
}

// moduleArgs returns the words behind python -m module.
func moduleArgs(args []shell.Word, module string) ([]shell.Word, bool) {
	for i, w := range args {
		if !w.Known || len(w.Text) < 2 || w.Text[0] != '-' || w.Text[1] == '-' {
			continue
		}
		if strings.HasSuffix(w.Text, "m") && i+1 < len(args) && args[i+1].Text == module {
			return args[i+2:], true
		}
		if strings.HasSuffix(w.Text, "m"+module) {
			return args[i+1:], true
		}
	}
	return nil, false
}

// Use is a program of the table and where its words begin.
type Use struct {
	Program *options.Program
	Section *options.Section
	Args    []shell.Word
}
