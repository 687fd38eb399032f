package facts

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

func TestPaths_OfCommands(t *testing.T) {
	for _, tt := range []struct{ cmd, want string }{
		{"cat a.txt", "[/workspace/a.txt]"},
		{"curl https://a.example/x/token file:///y x=file:///z",
			"[/workspace/https:/a.example/x/token /y /workspace/file:/y /workspace/x=file:/z /workspace/file:/z /z]"},
		{"cat /etc/passwd ../x ./y ~/z", "[/etc/passwd /x /workspace/y /home/u/z]"},
		{"cat '~/z'", "[/workspace/~/z]"},
		{"echo hi > .env", "[/workspace/.env]"},
		{"ls 2>/dev/null", "[/dev/null]"},
		{"cd /etc && cat passwd", "[/etc /etc/passwd]"},
		{"cd /etc; cat passwd", "[/etc /etc/passwd /workspace/passwd]"},
		{"(cd /etc); cat x", "[/etc /workspace/x]"},
		{"cd $X; cat passwd", "[<passwd> ?]"},
		{"dd if=/dev/zero of=/dev/sda", "[/workspace/if=/dev/zero /dev/zero /workspace/of=/dev/sda /dev/sda]"},
		{"tar -C/etc --file=/x/y -czf out.tgz id_rsa", "[/etc /x/y /workspace/zf /workspace/out.tgz /workspace/id_rsa]"},
		{"curl -d @.env -F f=@/etc/shadow", "[/workspace/@.env /workspace/.env /workspace/f=@/etc/shadow /etc/shadow]"},
		{"curl file:///etc/shadow", "[/etc/shadow /workspace/file:/etc/shadow]"},
		{"docker run -v /:/host x", "[/workspace/run /:/host /host / /workspace/x]"},
		{"./run.sh", "[/workspace/run.sh]"},
		{"grep -r password src", "[/workspace/src]"},
		{"grep -e password src", "[/workspace/password /workspace/src]"},
		{"grep /etc/shadow -e .", "[/etc/shadow /workspace]"},
		{"grep -h ~/k --regexp=x -n", "[/home/u/k /workspace/x]"},
		{"rg /etc/shadow -f pats", "[/etc/shadow /workspace/pats]"},
		{"grep .e*", "[<.e*>]"},
		{"date -f .env +%s", "[/workspace/.env /workspace/+%s]"},
		{"grep -nf/etc/shadow x", "[/workspace/f/etc/shadow /etc/shadow /workspace/x]"},
		{"cd -P sub/..; cat x", "[/workspace <x>]"},
		{"hostname -F /etc/shadow", "[/etc/shadow]"},
		{"echo /etc/passwd", "[]"},
		{"echo $X", "[?]"},
		{`echo "$X"`, "[]"},
		{`echo "$X"*`, "[?]"},
		{"$X a", "[/workspace/a ?]"},
		{"cd /etc && true & cat shadow", "[/etc <shadow>]"}, // /etc/shadow in zsh
		{"{ cd /etc; } & cat shadow", "[/etc /workspace/shadow]"},
		{"wc [z]$$", "[<[z]$$> <[z]$$>]"},
		{"sudo -D /etc cat a/*", "[/etc <a/*> <a/*>]"}, // the shell lists /workspace/a
		{"head [z]{,/x}", `[<[z]{,/x}> <[z]{,/x}> <[z]{,/x}> /workspace/[z] /workspace/[z]/x /workspace/[z]{,/x}]`},
		{"echo /etc/*", "[</etc/*>]"},
		{"for f in /etc/*; do echo \"$f\"; done", "[</etc/*>]"},
		{"for f in $X; do :; done", "[?]"},
		{"for f in $X; do a=; done", "[?]"},
		{"false ?$?", "[<?$?>]"},
		{"cd -; cat .?/etc/shadow", "[/workspace/- <.?/etc/shadow>]"},
		{`git commit -m "$(date)"`, "[/workspace/commit]"},
		{`git add "$(date)"`, "[/workspace/add ?]"},
		{"cut -d/ -f1 x; tr / _", "[/workspace/x]"},
		{"env -C /etc cat x < passwd", "[/etc /workspace/passwd /etc/x]"},
		{"for f in *; do (cd /etc; echo); done", "[<*> /etc]"},
		{"grep {,}", "[/workspace /workspace/{,}]"},
		{"cat $X", "[?]"},
		{"cat *.pem", "[<*.pem>]"},
		{"xargs cat", "[?]"},
		{"xargs -a /etc/passwd echo", "[/etc/passwd]"},
		{"env -C /etc cat passwd", "[/etc /etc/passwd]"},
		{"sudo -D /etc cat passwd", "[/etc /etc/passwd]"},
		{"find /etc -name shadow", "[/etc /workspace/shadow]"},
		{"cat <(cat /etc/shadow)", "error"},
		{"cp notes{,.old} sub", "[/workspace/notes /workspace/notes.old /workspace/notes{,.old} /workspace/sub]"},
		{"sh -c 'cat /etc/passwd'", "[/etc/passwd]"},
		{"sort -o/etc/x", "[/etc/x]"},
		{"cat 'unclosed", "error"},
	} {
		assert.Equal(t, tt.want, asked(t, commandCase(t, tt.cmd), "paths", nil), tt.cmd)
	}
}

func TestPaths_OfOtherArguments(t *testing.T) {
	c := caseOf(t, sexpr.Plist("path", sexpr.Str("notes"), "note", sexpr.Str("no path"), "any", sexpr.Str("a/b"),
		"url", sexpr.Str("FILE:///etc/passwd"),
		"paths", sexpr.ListOf(sexpr.Str("x"), sexpr.Str("/y/../z")), "opts", sexpr.Plist("dir", sexpr.Str("sub"))))
	assert.Equal(t,
		"[/workspace/a/b /workspace/sub /workspace/notes /workspace/x /z /etc/passwd]", asked(t, c, "paths", nil))

	c = caseOf(t, sexpr.Plist("cmd", sexpr.Str("cat /etc/passwd"), "file", sexpr.Str(".env"), "x", sexpr.Str("plain"),
		"m", sexpr.Plist("deep", sexpr.ListOf(sexpr.Str("~/k")))))
	c.Tool = nil
	assert.Equal(t, "[/workspace/cat /etc/passwd /workspace/.env /home/u/k]", asked(t, c, "paths", nil),
		"an undeclared tool's strings")

	c = caseOf(t, sexpr.Plist("path", sexpr.Str("bill.txt")))
	c.Facts.Env = sexpr.Nil()
	assert.Equal(t, "[<bill.txt>]", asked(t, c, "paths", nil), "a relative path from who knows where")
}

func TestPaths_BoundIsAnError(t *testing.T) {
	var many []sexpr.Value
	for i := range maxPaths + 1 {
		many = append(many, sexpr.Str(strings.Repeat("x", i+1)))
	}
	c := caseOf(t, sexpr.Plist("paths", sexpr.ListOf(many...)))
	assert.Equal(t, "error", asked(t, c, "paths", nil))
	c = caseOf(t, sexpr.Plist("paths", sexpr.ListOf(many[1:]...)))
	assert.NotEqual(t, "error", asked(t, c, "paths", nil))
}

// operand returns the first operand of a line's last command.
func operand(t *testing.T, cmd string) (*skills.Case, any) {
	c := commandCase(t, cmd)
	got, err := call(t, c, "shell", cmd)
	require.NoError(t, err)
	all := got.([]any)
	for i := len(all) - 1; i >= 0; i-- {
		if rec, ok := all[i].(map[string]any); ok {
			return c, rec["operands"].([]any)[0]
		}
	}
	require.Fail(t, "no command")
	return nil, nil
}

func TestUnder(t *testing.T) {
	for _, tt := range []struct{ cmd, root, want string }{
		{"rm x", "/workspace", "true"}, {"rm .", "/workspace", "true"}, {"rm ..", "/workspace", "false"},
		{"rm /workspace", "/workspace", "true"}, {"rm /workspaces", "/workspace", "false"},
		{"rm /workspace/../etc", "/workspace", "false"}, {"rm sub/../../etc/x", "/etc", "true"}, {"rm ~/x", "~", "true"},
		{"rm ~/x", "/home/u", "true"}, {"rm {a,b}", "/workspace", "true"}, {"rm {a,../b}", "/workspace", "?"},
		{"rm {/workspace/a,/etc}/x", "/workspace", "?"},
		{"rm '~/x'", "/workspace", "true"}, {"rm \\~", "/workspace", "true"}, {"rm x", "/", "true"},
		{"cd /etc && rm x", "/etc", "true"}, {"cd /etc && rm x", "/workspace", "false"}, {"cd /etc; rm x", "/workspace", "?"},
		{"cd sub; rm x", "/workspace", "true"},
		{"cd $X; rm x", "/workspace", "?"}, {"cd $X; rm /etc/x", "/workspace", "false"},
		{"rm *", "/workspace", "true"}, {"rm */../x", "/workspace", "?"}, {"rm /work*/x", "/workspace", "?"},
		{"rm /e*/x", "/workspace", "false"}, {"rm .?/x", "/workspace", "?"},
		{"rm ../*", "/workspace", "?"}, {"rm [.][.]/x", "/workspace", "true"}, {"rm '*'", "/workspace", "true"},
		{"rm x", "relative", "error"}, {"rm ''", "/workspace", "error"},
	} {
		c, v := operand(t, tt.cmd)
		assert.Equal(t, tt.want, asked(t, c, "under?", v, tt.root), "%s under %s", tt.cmd, tt.root)
	}
}

var protected = list("**/.env", "**/.ssh/**", "**/*.pem", "**/id_rsa", "**/*password*", "/etc/shadow")

func TestRow063_ProtectedPathsAreSeen(t *testing.T) {
	for _, tt := range []struct{ cmd, want string }{
		{"cat .env", "true"}, {"cat id_rsa", "true"}, {"cat x.pem", "true"}, {"cat ~/.ssh/config", "true"},
		{"cat /etc/shadow", "true"}, {"cat my.password.txt", "true"},
		{"cat sacred.txt", "false"}, {"cat mytokenizer.py", "false"}, {"cat my.environment", "false"},
		{"cat .environment", "false"},
		{"cat sub/../.env", "true"}, {"cat .en?", "true"}, {"cat .e*", "true"}, {"cat .[a-f]nv", "true"}, {"cat *", "true"},
		{"cat *.txt", "true"}, {"cat *.go", "true"},
		{"cat a*.go", "true"}, {"cat [0-9].md", "false"}, {"cat ?.go", "false"}, {"cat '*'", "false"},
		{"cd ~; cat .ssh/x", "true"}, {"cd /etc; cat shadow", "true"}, {"cd $X; cat .env", "true"},
		{"cd -; cat .?/etc/shadow", "true"}, {"cd -; cat a/.?/.?/etc/shadow", "true"},
		{"cd $X; cat notes", "true"}, {"cd $X; cat shadow", "true"}, {"cd $X; cat ../..", "true"},
		{"cd $X; cat x.pem", "true"}, {"cat .\\env", "true"}, {"cat '.e'nv", "true"}, {"cat {a,.env}", "true"},
		{"cat {a,b}", "false"},
	} {
		c, v := operand(t, tt.cmd)
		assert.Equal(t, tt.want, asked(t, c, "glob-any?", v, protected), tt.cmd)
	}
	c, v := operand(t, "cat PASSWORD.txt")
	assert.Equal(t, "false", asked(t, c, "glob-any?", v, protected))
	assert.Equal(t, "true", asked(t, c, "glob-any?", v, protected, "fold"), "in any case of letters")
	c, v = operand(t, "cat ID_RS[A]")
	assert.Equal(t, "true", asked(t, c, "glob-any?", v, protected, "fold"))
	assert.Equal(t, "true", asked(t, c, "glob-any?", "~/x", list("~/*")), "~ in a pattern is home")
}

func TestRow063_ALinkToAProtectedFileIsSeenThroughALookup(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".env"), nil, 0o600))
	require.NoError(t, os.Symlink(".env", filepath.Join(dir, "notes.txt")))
	c := commandCase(t, "cat notes.txt gone.txt")
	c.Facts.Env = sexpr.Plist("cwd", sexpr.Str(dir))
	assert.Equal(t, "["+dir+"/notes.txt "+dir+"/gone.txt]", asked(t, c, "paths", nil), "nobody is asked")

	c.Memo = map[string]any{}
	var asks []string
	c.Lookup = func(function, path string) (string, error) {
		asks = append(asks, function+" "+filepath.Base(path))
		real, err := filepath.EvalSymlinks(path)
		if errors.Is(err, fs.ErrNotExist) {
			return path, nil
		}
		return real, err
	}
	assert.Equal(t, "["+dir+"/notes.txt "+dir+"/gone.txt "+dir+"/.env]", asked(t, c, "paths", nil))
	assert.Equal(t, []string{"realpath notes.txt", "realpath gone.txt"}, asks)

	c.Memo = map[string]any{}
	c.Lookup = func(string, string) (string, error) { return "", errors.New("no answer") }
	assert.Equal(t, "["+dir+"/notes.txt "+dir+"/gone.txt ?]", asked(t, c, "paths", nil), "no answer is unknown")
}
