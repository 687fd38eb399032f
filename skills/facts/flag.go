package facts

import (
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills"
)

// synonyms are the spellings of one flag, by command. Rules say one of them and
// mean all.
var synonyms = map[string][]string{
	"rm":    {"r R recursive", "f force", "d dir", "i interactive"},
	"cp":    {"r R recursive a archive", "f force", "l link", "s symbolic-link", "t target-directory"},
	"mv":    {"f force", "n no-clobber", "t target-directory"},
	"ln":    {"s symbolic", "f force"},
	"ls":    {"R recursive", "a all", "A almost-all"},
	"mkdir": {"p parents", "m mode"},
	"chmod": {"R recursive"}, "chown": {"R recursive"}, "chgrp": {"R recursive"},
	"grep": {"r R recursive dereference-recursive", "e regexp", "f file"},
	"tar":  {"c create", "x extract get", "t list", "f file", "C directory", "P absolute-names"},
	"sed":  {"i in-place", "e expression", "f file", "n quiet silent"},
	"curl": {"X request", "d data", "o output", "O remote-name", "T upload-file", "F form", "K config", "x proxy",
		"H header", "u user", "L location", "k insecure"},
	"wget": {"O output-document", "i input-file", "r recursive"},
	"git":  {"f force", "a all", "n dry-run", "m message", "D delete d"},
	"kill": {"s signal", "l list"}, "sort": {"o output"}, "tee": {"a append"},
	"rsync": {"a archive", "r recursive", "n dry-run", "e rsh"},
	"shred": {"u remove", "f force"}, "truncate": {"s size"}, "docker": {"v volume", "f force"},
	"crontab": {"r", "e", "l"}, "sudo": {"u user", "s shell", "i login"},
}

// callFlag answers flag?. It is true once one flag fits, unknown if a word that
// may be a flag is unknown, and false otherwise.
func callFlag(_ *skills.Case, args []any) (any, error) {
	cmd, ok := args[0].(map[string]any)
	want, _ := args[1].(string)
	flags, isList := cmd["flags"].([]any)
	if !ok || !isList {
		return nil, fmt.Errorf("flag? takes a command, such as it in (some (shell cmd) ...)")
	}
	want = strings.TrimLeft(want, "-")
	if want == "" {
		return nil, fmt.Errorf("flag? takes the name of a flag, such as \"r\" or \"recursive\"")
	}
	names := []string{want}
	if name, ok := cmd["name"].(string); ok {
		names = spellings(name, want)
	}
	for _, f := range flags {
		if u, ok := f.(Unknown); ok {
			return u, nil
		}
		text, _ := f.(string)
		if slices.ContainsFunc(names, func(n string) bool { return fits(text, n) }) {
			return true, nil
		}
	}
	return false, nil
}

func spellings(command, flag string) []string {
	for _, group := range synonyms[command] {
		if all := strings.Fields(group); slices.Contains(all, flag) {
			return all
		}
	}
	return []string{flag}
}

// fits reports whether one word of flags holds a flag. A single letter fits
// anywhere in a bundle, and a longer name as -name, --name, --name=value or a
// beginning of --name.
func fits(word, flag string) bool {
	if long, ok := strings.CutPrefix(word, "--"); ok {
		name, _, _ := strings.Cut(long, "=")
		return name != "" && (name == flag || len(flag) > 1 && strings.HasPrefix(flag, name))
	}
	bundle := word[1:]
	if len([]rune(flag)) == 1 {
		return strings.Contains(bundle, flag)
	}
	name, _, _ := strings.Cut(bundle, "=")
	return name == flag
}
