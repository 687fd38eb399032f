package shell

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/oracle"
	"github.com/opencortex-go/cortex/skills/facts/internal/words"
)

// shells are asked what they know themselves: names of commands, one a line or a
// word, and names of variables.
var shells = []struct {
	name, commands, variables string
	argv                      []string
}{
	{"bash", `compgen -k; compgen -b`, `compgen -v`, []string{"bash", "--noprofile", "--norc", "-c"}},
	{"zsh", `zmodload zsh/parameter; print -l -- ${(k)reswords} ${(k)builtins} ${(k)aliases}`,
		`print -l -- ${(k)parameters}`, []string{"zsh", "-fc"}},
	{"mksh", `alias | cut -d= -f1; print . : [ alias bg bind break builtin cat cd command continue echo eval exec exit export false fc fg getopts global jobs kill let mknod print pwd read readonly realpath rename return set shift source suspend test times trap true typeset ulimit umask unalias unset wait whence`,
		`set | sed -n 's/^\([A-Za-z_0-9]*\)[=[].*/\1/p'`, []string{"mksh", "-c"}},
	{"dash", `echo . : [ alias bg break cd chdir command continue echo eval exec exit export false fg getopts hash jobs kill local printf pwd read readonly return set shift test times trap true type ulimit umask unalias unset wait`,
		`set | sed -n 's/^\([A-Za-z_0-9]*\)=.*/\1/p'`, []string{"dash", "-c"}},
	{"busybox", `help | sed 1,2d`, `set | sed -n 's/^\([A-Za-z_0-9]*\)=.*/\1/p'`, []string{"busybox", "ash", "-c"}},
}

// Every name that some shell gives a meaning of its own is in one of our lists.
func TestNames_AreThoseOfTheShells(t *testing.T) {
	for _, sh := range shells {
		oracle.Find(t, sh.name)
		ask := func(script string) []string {
			cmd := exec.Command(sh.argv[0], append(sh.argv[1:], script)...)
			cmd.Env = []string{"PATH=/usr/bin:/bin"}
			out, err := cmd.Output()
			require.NoError(t, err, "%s: %s", sh.name, script)
			return strings.Fields(string(out))
		}
		commands := ask(sh.commands)
		assert.Greater(t, len(commands), 25, sh.name)
		for _, name := range commands {
			_, wraps := wrappers[name]
			assert.True(t, syntaxWords[name] || reserved[name] || changing[name] || sameEverywhere[name] ||
				wraps, "%s knows %s", sh.name, name)
		}
		for _, name := range ask(sh.variables) {
			if strings.Trim(name, "0123456789!#$*?@-") == "" || name == "_" {
				continue // no name that a line could assign
			}
			assert.True(t, specialVariable(name), "%s uses $%s", sh.name, name)
		}
	}
}

// syntaxWords are the reserved words that are on the list, or that no command
// begins with.
var syntaxWords = words.Of("if then else elif fi for in do done while until case esac ! { }")
