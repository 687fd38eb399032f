package act_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/sexpr"
)

// shell returns a real shell in a folder of its own. Without bash the test
// fails: the tool cannot do without, and neither can its tests.
func shell(t testing.TB, opt act.ShellOptions) (act.Tool, string) {
	t.Helper()
	if opt.Dir == "" {
		opt.Dir = t.TempDir()
	}
	s, err := act.NewShell(opt)
	require.NoError(t, err)
	dir, err := filepath.EvalSymlinks(opt.Dir)
	require.NoError(t, err)
	return s.Tool(), dir
}

func TestShell(t *testing.T) {
	tests := map[string]struct {
		cmd    string
		state  act.State
		text   string
		err    string
		result string // canonical
	}{
		"output": {"printf hello", act.Done, "hello", "",
			`(:exit-code 0 :stderr "" :stdout "hello")`},
		"no output": {"true", act.Done, "", "",
			`(:exit-code 0 :stderr "" :stdout "")`},
		"both streams": {"echo out; echo err >&2", act.Done, "out\nAlso on stderr:\nerr\n", "",
			`(:exit-code 0 :stderr "err\n" :stdout "out\n")`},
		"stderr alone": {"echo err >&2", act.Done, "err\n", "",
			`(:exit-code 0 :stderr "err\n" :stdout "")`},
		"failure keeps its output": {"echo out; echo err >&2; exit 3", act.Failed,
			"ERROR [3]: err\nOutput:\nout\n", "exit status 3",
			`(:exit-code 3 :stderr "err\n" :stdout "out\n")`},
		"no such command": {"nonesuch-xyzzy", act.Failed,
			"ERROR [127]: bash: line 1: nonesuch-xyzzy: command not found\n", "exit status 127",
			`(:exit-code 127 :stderr "bash: line 1: nonesuch-xyzzy: command not found\n" :stdout "")`},
		"killed by a signal": {"kill -9 $$", act.Failed, "ERROR [137]: ", "exit status 137",
			`(:exit-code 137 :stderr "" :stdout "")`},
		"a script of lines": {"x=1\nif [ $x = 1 ]; then\n  echo one\nfi", act.Done, "one\n", "",
			`(:exit-code 0 :stderr "" :stdout "one\n")`},
		"a script like an option": {"-x", act.Failed, "ERROR [127]: bash: line 1: -x: command not found\n", "exit status 127",
			`(:exit-code 127 :stderr "bash: line 1: -x: command not found\n" :stdout "")`},
		"bash and no other shell": {"a=(1 2 3); [[ abc == a* ]] && echo ${#a[@]} $0", act.Done, "3 bash\n", "",
			`(:exit-code 0 :stderr "" :stdout "3 bash\n")`},
		"empty input": {"cat; echo end", act.Done, "end\n", "",
			`(:exit-code 0 :stderr "" :stdout "end\n")`},
		"invalid UTF-8 and NUL": {`printf 'a\xff\x00b'`, act.Done, "a\uFFFD\uFFFDb", "",
			"(:exit-code 0 :stderr \"\" :stdout \"a\uFFFD\uFFFDb\")"},
		"syntax error": {"echo (", act.Failed,
			"ERROR [2]: bash: -c: line 1: syntax error near unexpected token `newline'\nbash: -c: line 1: `echo ('\n",
			"exit status 2",
			"(:exit-code 2 :stderr \"bash: -c: line 1: syntax error near unexpected token `newline'\\nbash: -c: line 1: " +
				"`echo ('\\n\" :stdout \"\")"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool, dir := shell(t, act.ShellOptions{})
			r := run(t, tool, "cmd", text(tt.cmd))
			assert.Equal(t, tt.state, r.State)
			// bash names itself by the path it was started with.
			fix := strings.NewReplacer(dir, "DIR", bashPath(t)+":", "bash:", bashPath(t)+"\n", "bash\n")
			assert.Equal(t, tt.text, fix.Replace(r.Text))
			assert.Equal(t, tt.err, r.Error)
			got, err := sexpr.Canonical(r.Result)
			require.NoError(t, err)
			assert.Equal(t, tt.result, strings.NewReplacer(bashPath(t)+":", "bash:", bashPath(t)+`\n`, `bash\n`).Replace(got))
		})
	}
}

// bashPath is how bash calls itself in messages.
func bashPath(t testing.TB) string {
	tool, _ := shell(t, act.ShellOptions{})
	return strings.TrimSuffix(run(t, tool, "cmd", text("echo $0")).Text, "\n")
}

// Row 79: a command over its time is ended, also inside a substitution (W39).
func TestRow079_Timeout(t *testing.T) {
	for _, cmd := range []string{"sleep 50",
		"echo $(sleep 40)", "trap '' TERM INT HUP; sleep 50; sleep 50", "sleep 50 | cat", "(sleep 50) & wait",
		"exec 9<>/dev/null; sleep 50 <&9"} {
		t.Run(cmd, func(t *testing.T) {
			t.Parallel()
			tool, _ := shell(t, act.ShellOptions{})
			r := run(t, tool, "cmd", text(cmd), "timeout", sexpr.Int64(1))
			assert.Equal(t, act.Failed, r.State)
			assert.Equal(t, "timed out after 1 seconds", r.Error)
			assert.Equal(t, "ERROR: Command timed out after 1 seconds", r.Text)
			assert.True(t, r.Result.GetTrue("timed-out"))
			assert.EqualValues(t, 137, r.Result.GetInt("exit-code"))
		})
	}
}

func TestTimeoutKeepsTheOutput(t *testing.T) {
	t.Parallel()
	tool, _ := shell(t, act.ShellOptions{})
	r := run(t, tool, "cmd", text("echo so far; echo oops >&2; sleep 50"), "timeout", sexpr.Int64(1))
	assert.Equal(t, "ERROR: Command timed out after 1 seconds\nOutput until then:\nso far\noops\n", r.Text)
	assert.Equal(t, "so far\n", r.Result.GetText("stdout"))
}

func TestDefaultTimeout(t *testing.T) {
	t.Parallel()
	tool, _ := shell(t, act.ShellOptions{Timeout: 50 * time.Millisecond})
	assert.Equal(t, "timed out after 50ms", run(t, tool, "cmd", text("sleep 50")).Error)
}

// W39: the timeout was given to a shell inside another, which expanded the
// command first. Here there is one shell, and it is the one that is timed.
func TestW39_NoOuterShell(t *testing.T) {
	t.Parallel()
	tool, _ := shell(t, act.ShellOptions{})
	assert.Equal(t, "$HOME `id` $(id)\n", run(t, tool, "cmd", text("echo '$HOME `id` $(id)'")).Text)
	r := run(t, tool, "cmd", text("echo $(sleep 40)"), "timeout", sexpr.Int64(1))
	assert.Equal(t, "timed out after 1 seconds", r.Error)
}

// Row 80: a failure is its code and what it said.
func TestRow080_ExitCode(t *testing.T) {
	tool, _ := shell(t, act.ShellOptions{})
	r := run(t, tool, "cmd", text("printf stderr >&2; exit 3"))
	assert.Equal(t, "ERROR [3]: stderr", r.Show("shell"))
	feedback(t, registry(t, tool), "shell", r,
		`(:sensor :tool-error :tool "shell" :state :failed :message "ERROR [3]: stderr")`)
}

// Row 81: output over the cap is cut, with a notice, and the command is not
// stopped by it.
func TestRow081_OutputCap(t *testing.T) {
	tool, _ := shell(t, act.ShellOptions{})
	limit := func(n int64) []any { return []any{"max-output", sexpr.Int64(n)} }
	tests := map[string]struct {
		cmd  string
		max  int64
		want string
	}{
		"over":            {"printf abcdefghij", 4, "abcd\n... (output truncated to 4 chars)"},
		"just":            {"printf abcd", 4, "abcd"},
		"characters":      {"printf äöüß", 3, "äöü\n... (output truncated to 3 chars)"},
		"wide characters": {"printf '😀😀😀'", 2, "😀😀\n... (output truncated to 2 chars)"},
		"broken ones":     {`printf '\xff\xff\xff'`, 2, "\uFFFD"},
		"stderr too":      {"printf abcdefghij >&2; exit 1", 4, "ERROR [1]: abcd\n... (output truncated to 4 chars)"},
		"more than pipes": {"head -c 3000000 /dev/zero | tr '\\0' x; exit 0", 5, "xxxxx\n... (output truncated to 5 chars)"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := run(t, tool, append(limit(tt.max), "cmd", text(tt.cmd))...)
			assert.Equal(t, tt.want, r.Text)
			assert.Equal(t, strings.Contains(tt.want, "truncated"), r.Result.GetTrue("stdout-truncated") ||
				r.Result.GetTrue("stderr-truncated"))
		})
	}
	small, _ := shell(t, act.ShellOptions{MaxOutput: 4})
	assert.Equal(t, "abcd\n... (output truncated to 4 chars)", run(t, small, "cmd", text("printf abcdefghij")).Text)
}

// Row 82: quotes mean what they say, and a timeout is an integer.
func TestRow082_QuotesAndIntegers(t *testing.T) {
	tool, dir := shell(t, act.ShellOptions{})
	assert.Equal(t, "$HOME", run(t, tool, "cmd", text("printf %s '$HOME'")).Text)
	for _, bad := range []sexpr.Value{
		text("1"), text("1; touch pwned"), sexpr.Float64(1.5), sexpr.Float64(1), sexpr.Int64(0), sexpr.Int64(-1),
		sexpr.Int64(1 << 40), sexpr.Null(), sexpr.T(), sexpr.Nil(),
	} {
		r := run(t, tool, "cmd", text("touch ran"), "timeout", bad)
		assert.Equal(t, act.Nothing, r.State, bad)
		assert.Equal(t, ":timeout is an integer from 1 to 86400", r.Error)
		r = run(t, tool, "cmd", text("touch ran"), "max-output", bad)
		assert.Equal(t, act.Nothing, r.State, bad)
		assert.Equal(t, ":max-output is an integer from 1 to 1000000", r.Error)
	}
	assert.NoFileExists(t, filepath.Join(dir, "ran"))
	assert.NoFileExists(t, filepath.Join(dir, "pwned"))
}

func TestShellTakesNoOtherArguments(t *testing.T) {
	tool, dir := shell(t, act.ShellOptions{})
	for _, kv := range [][]any{
		{},
		{"cmd", sexpr.ListOf(text("touch"), text("ran"))},
		{"cmd", sexpr.Null()},
		{"cmd", text("touch ran"), "cwd", text("/")},
		{"cmd", text("touch ran"), "CMD", text("true")},
	} {
		r := run(t, tool, kv...)
		assert.Equal(t, act.Nothing, r.State)
		assert.NotEmpty(t, r.Error)
	}
	assert.NoFileExists(t, filepath.Join(dir, "ran"))
}

func TestScriptsThatCannotBeStarted(t *testing.T) {
	tool, dir := shell(t, act.ShellOptions{})
	r := run(t, tool, "cmd", text(": "+strings.Repeat("x", 200_000)))
	assert.Equal(t, act.Nothing, r.State)
	assert.Contains(t, r.Error, "argument list too long")
	require.NoError(t, os.Remove(dir))
	r = run(t, tool, "cmd", text("true"))
	assert.Equal(t, act.Nothing, r.State)
	assert.Contains(t, r.Error, "could not be started")
}

// Row 83: nothing of this process's environment reaches a command.
func TestRow083_NoInheritedEnvironment(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-canary")
	t.Setenv("BASH_ENV", "/nonexistent/canary")
	t.Setenv("LD_PRELOAD", "")
	t.Setenv("HOME", "/nonexistent/canary")
	tool, dir := shell(t, act.ShellOptions{Env: map[string]string{"GOFLAGS": "-mod=mod"}})
	// /proc shows what bash was given; env would show what bash adds, too.
	r := run(t, tool, "cmd", text("tr '\\0' '\\n' </proc/$$/environ"))
	assert.Equal(t, "GOFLAGS=-mod=mod\nHOME="+dir+"\nLANG=C.UTF-8\nPATH=/usr/local/bin:/usr/bin:/bin\nPWD="+dir+"\n",
		r.Text)
	r = run(t, tool, "cmd", text("env; set"))
	assert.NotContains(t, r.Text, "canary")
}

// W40: no splicing, no inherited keys, a fixed folder. That nothing survives and
// that there is no terminal stand in kill_linux_test.go.
func TestW40_ShellIsContained(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-canary")
	tool, dir := shell(t, act.ShellOptions{})
	r := run(t, tool, "cmd", text("pwd; cd /; pwd; env"))
	assert.True(t, strings.HasPrefix(r.Text, dir+"\n/\n"), r.Text)
	assert.NotContains(t, r.Text, "canary")
	assert.Equal(t, dir+"\n", run(t, tool, "cmd", text("pwd")).Text, "one command's cd is not the next one's")
	r = run(t, tool, "cmd", text("touch ran"), "timeout", text("1 bash -c 'touch pwned' #"))
	assert.Equal(t, act.Nothing, r.State)
	assert.NoFileExists(t, filepath.Join(dir, "ran"))
	assert.NoFileExists(t, filepath.Join(dir, "pwned"))
}

func TestNewShellRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, []byte("not a program"), 0o600))
	tests := map[string]struct {
		opt  act.ShellOptions
		want string
	}{
		"no folder":        {act.ShellOptions{}, "act: working folder of the shell: none given"},
		"missing folder":   {act.ShellOptions{Dir: filepath.Join(dir, "nope")}, "no such file"},
		"file as folder":   {act.ShellOptions{Dir: file}, "is not a folder"},
		"no bash":          {act.ShellOptions{Dir: dir, Bash: filepath.Join(dir, "bash")}, "act: the shell tool needs bash"},
		"no program":       {act.ShellOptions{Dir: dir, Bash: file}, "act: the shell tool needs bash"},
		"negative timeout": {act.ShellOptions{Dir: dir, Timeout: -1}, "out of range"},
		"negative output":  {act.ShellOptions{Dir: dir, MaxOutput: -1}, "out of range"},
		"too much output":  {act.ShellOptions{Dir: dir, MaxOutput: 1_000_001}, "out of range"},
		"no name":          {act.ShellOptions{Dir: dir, Env: map[string]string{"": "x"}}, `"" is not the name`},
		"name with =":      {act.ShellOptions{Dir: dir, Env: map[string]string{"A=B": "x"}}, `"A=B" is not the name`},
		"digit first":      {act.ShellOptions{Dir: dir, Env: map[string]string{"1A": "x"}}, `"1A" is not the name`},
		"NUL":              {act.ShellOptions{Dir: dir, Env: map[string]string{"A": "x\x00y"}}, "holds NUL"},
		"own field":        {act.ShellOptions{Dir: dir, Env: map[string]string{"HOME": "/"}}, "has an option of its own"},
		"start-up file": {act.ShellOptions{Dir: dir, Env: map[string]string{"BASH_ENV": "x"}},
			"changes what a script means"},
		"shell function": {act.ShellOptions{Dir: dir, Env: map[string]string{"BASH_FUNC_ls%%": "() { id; }"}},
			"is not the name"},
		"function value": {act.ShellOptions{Dir: dir, Env: map[string]string{"ls": "() { id; }"}},
			"changes what a script runs"},
		"preload": {act.ShellOptions{Dir: dir, Env: map[string]string{"LD_PRELOAD": "x.so"}},
			"changes what a script runs"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, err := act.NewShell(tt.opt)
			require.ErrorContains(t, err, tt.want)
			assert.Nil(t, s)
		})
	}
	t.Setenv("PATH", dir)
	_, err := act.NewShell(act.ShellOptions{Dir: dir})
	require.ErrorContains(t, err, "act: the shell tool needs bash")
	require.ErrorContains(t, err, "install it, give its path, or leave the tool out")
}

// The path of bash is found once: a PATH or a folder that changes later does not
// matter.
func TestBashIsFixedWhenTheShellIsMade(t *testing.T) {
	tool, dir := shell(t, act.ShellOptions{})
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bash"), []byte("#!/bin/sh\necho impostor\n"), 0o700))
	t.Setenv("PATH", dir)
	assert.Equal(t, "real\n", run(t, tool, "cmd", text("echo real")).Text)
}

func TestShellEnvForRules(t *testing.T) {
	s, err := act.NewShell(act.ShellOptions{Dir: t.TempDir(), Home: "/home/agent", Path: "/bin", Lang: "C"})
	require.NoError(t, err)
	env := s.Env()
	dir := env.GetText("cwd")
	assert.Equal(t, "/home/agent", env.GetText("home"))
	vars, _ := env.Get("vars")
	for name, want := range map[string]string{"HOME": "/home/agent", "PATH": "/bin", "LANG": "C", "PWD": dir} {
		assert.Equal(t, want, vars.GetText(name))
	}
	r := run(t, s.Tool(), "cmd", text("echo ~ $PATH $LANG $PWD"))
	assert.Equal(t, "/home/agent /bin C "+dir+"\n", r.Text)
}
