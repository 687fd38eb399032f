package facts

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	outside "github.com/opencortex-go/cortex/internal/judge"
)

var (
	diffLines = flag.Int("diff.lines", 300, "generated command lines to run in bash")
	diffSeed  = flag.Int64("diff.seed", 1, "seed of the generator")
)

// judge runs command lines in real bash. PATH leads to stubs that note how they
// were called and do nothing, and to a few real programs that run others.
type judge struct {
	t              testing.TB
	root, log, env string
	home, work     string
}

const stub = `#!/bin/sh
printf '%%s\0' "${0##*/}" "$PWD" "$@" >> %s/$$
`

// sudoStub understands the few options that the lines below use.
const sudoStub = `#!/bin/sh
while :; do case $1 in -u) shift 2;; -n|-E|-H|--) shift;; *=*) shift;; *) break;; esac; done
exec "$@"
`

var stubNames = strings.Fields("rm ls cat dd mkfs curl wget cp mv touch grep evil wc tee chmod git python3 id true2")

func newJudge(t testing.TB) *judge {
	bash := outside.Find(t, "bash")
	root := t.TempDir()
	j := &judge{t: t, root: root, log: filepath.Join(root, "log"), env: filepath.Join(root, "bin"), home: filepath.Join(root, "home"), work: filepath.Join(root, "work")}
	for _, d := range []string{j.log, j.env, j.home, filepath.Join(j.work, "sub", "deep"), filepath.Join(j.home, "sub")} {
		require.NoError(t, os.MkdirAll(d, 0o755))
	}
	for _, f := range []string{"a.txt", "b.txt", "-rf", "sub/c.txt"} {
		require.NoError(t, os.WriteFile(filepath.Join(j.work, f), []byte("rm from-a-file\n"), 0o644))
	}
	for _, name := range stubNames {
		require.NoError(t, os.WriteFile(filepath.Join(j.env, name), fmt.Appendf(nil, stub, j.log), 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(j.env, "sudo"), []byte(sudoStub), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(j.env, "busybox"), []byte("#!/bin/sh\nexec \"$@\"\n"), 0o755))
	for _, name := range strings.Fields("env xargs nohup timeout nice setsid stdbuf find sh bash sleep base64") {
		if real, err := exec.LookPath(name); err == nil {
			require.NoError(t, os.Symlink(real, filepath.Join(j.env, name)))
		}
	}
	require.NoError(t, os.Symlink(bash, filepath.Join(root, "bash")))
	return j
}

// ran is one process that bash started: its name, folder and operands.
type ran struct {
	name, dir string
	args      []string
}

func (j *judge) run(line string) []ran {
	j.clear()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(j.root, "bash"), "--noprofile", "--norc", "-c", line)
	cmd.Dir = j.work
	cmd.Env = []string{"HOME=" + j.home, "PATH=" + j.env, "PWD=" + j.work}
	// Every process of the line inherits descriptor 3: when it reads as closed,
	// the last of them has ended, background jobs too.
	r, w, err := os.Pipe()
	require.NoError(j.t, err)
	defer r.Close()
	cmd.ExtraFiles = []*os.File{w}
	cmd.WaitDelay = time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	_ = cmd.Run() // many lines fail on purpose
	require.NoError(j.t, w.Close())
	require.NoError(j.t, r.SetReadDeadline(time.Now().Add(3*time.Second)))
	_, err = r.Read(make([]byte, 1))
	require.ErrorIs(j.t, err, io.EOF, "a process of %q goes on", line)
	var out []ran
	files, err := os.ReadDir(j.log)
	require.NoError(j.t, err)
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(j.log, f.Name()))
		require.NoError(j.t, err)
		fields := strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
		if len(fields) >= 2 {
			out = append(out, ran{fields[0], fields[1], fields[2:]})
		}
	}
	return out
}

func (j *judge) clear() {
	files, err := os.ReadDir(j.log)
	require.NoError(j.t, err)
	for _, f := range files {
		require.NoError(j.t, os.Remove(filepath.Join(j.log, f.Name())))
	}
}

// check holds what bash ran against what we say it runs: every process must be
// in the list, with words that fit, or the list must say that it is not whole.
func (j *judge) check(line string) (exact bool) {
	j.t.Helper()
	e := env{cwd: j.work, home: j.home, vars: map[string]string{"HOME": j.home, "PATH": j.env}}
	got, err := readLine(line, e)
	if err != nil {
		return false
	}
	if _, err := got.records(); err != nil || got.rest != "" {
		return false
	}
	for _, r := range j.run(line) {
		if !listed(got, r) {
			j.t.Errorf("bash ran %q in %s\nfor    %q\nbut the list is %s", append([]string{r.name}, r.args...), r.dir, line, describe(got))
		}
	}
	return true
}

func listed(l *line, r ran) bool {
	for _, c := range l.commands {
		if c.name.known && c.name.text == r.name && fitsWords(c.args, c.more != "", r.args) && fitsDir(c.dirs, r.dir) {
			return true
		}
		if !c.name.known {
			return true
		}
	}
	return false
}

func fitsDir(dirs []string, dir string) bool {
	if len(dirs) == 0 {
		return true
	}
	for _, d := range dirs {
		if d == dir {
			return true
		}
	}
	return false
}

// fitsWords reports whether args are what words may turn out as.
func fitsWords(ws []word, more bool, args []string) bool {
	if len(ws) == 0 {
		return more || len(args) == 0
	}
	w := ws[0]
	switch {
	case w.tilde: // ~name is left to the system's list of users
		return len(args) > 0 && fitsWords(ws[1:], more, args[1:])
	case w.known && !w.pattern:
		return len(args) > 0 && args[0] == w.text && fitsWords(ws[1:], more, args[1:])
	case !w.known && !w.many:
		return len(args) > 0 && fitsWords(ws[1:], more, args[1:])
	}
	for n := 0; n <= len(args); n++ {
		if fitsWords(ws[1:], more, args[n:]) {
			return true
		}
	}
	return false
}

func describe(l *line) string {
	var b strings.Builder
	for _, c := range l.commands {
		fmt.Fprintf(&b, "\n  %q via %q in %q:", c.name.text+c.name.why, c.via, c.dirs)
		for _, w := range c.args {
			fmt.Fprintf(&b, " [%s%s]", w.text, w.why)
		}
	}
	return b.String()
}

// hostile are lines that hide what they run. The note after it says what we do:
// "=" lists all of it, "?" says that the list is not whole, "!" is an error.
var hostile = []struct{ want, line string }{
	{"=", `rm -rf /nowhere`}, {"=", `r\m -rf /nowhere`}, {"=", `$'\x72m' -rf /nowhere`}, {"=", `{rm,-rf,/nowhere}`},
	{"=", `"r"m 'x y'`}, {"=", `$'\162\155' x`}, {"=", `r""m x`}, {"=", `\rm x`},
	{"=", `eval "rm -rf /nowhere"`}, {"=", `sh -c 'rm -rf /nowhere'`}, {"=", `bash -ec "rm x"`}, {"=", `bash --norc -c 'rm x' a b`},
	{"?", `echo cm0geA== | base64 -d | sh`}, {"?", `echo 'rm x' | sh`}, {"?", `sh < a.txt`}, {"?", `. ./a.txt`}, {"?", `source a.txt`},
	{"=", `env -i PATH=$PATH rm x`}, {"=", `ls | xargs rm`}, {"=", `echo a b | xargs -n1 rm -f`}, {"?", `echo a | xargs -I{} sh -c 'rm {}'`},
	{"=", `echo a | xargs -I{} rm {} b`}, {"=", `find . -maxdepth 1 -exec rm {} \;`}, {"=", `find . -maxdepth 1 -exec rm -f {} +`},
	{"=", `find . -maxdepth 1 -name a.txt -exec cat {} \; -exec rm {} \;`}, {"?", `X='. -maxdepth 0 -exec rm {} ;'; find $X`},
	{"=", `sudo -u root rm x`}, {"=", `sudo -n env A=b timeout 5 nice -n 5 nohup rm x`}, {"=", `nice -5 rm x`}, {"=", `timeout -k 1 5 rm x`},
	{"?", `X=rm; $X -rf /nowhere`}, {"?", `"$(echo rm)" x`}, {"?", `$(echo rm x)`}, {"?", "`echo rm` x"},
	{"?", "shopt -s expand_aliases\nalias ls=rm\nls x"}, {"=", `trap 'rm x' EXIT`}, {"=", `coproc rm x; wait`}, {"=", `coproc { rm x; }; wait`},
	{"=", `: ${x:-$(rm x)}`}, {"=", `cat <(rm x)`}, {"=", `ls > >(rm x); wait`}, {"=", "cat <<E\n$(rm x)\nE"}, {"=", "cat <<'E'\n$(rm x)\nE"},
	{"=", `[[ $(rm x) ]]`}, {"=", `case $(rm x) in *) cat y;; esac`}, {"=", `for f in $(rm x); do ls y; done`}, {"=", `while rm x; do break; done`},
	{"=", `if rm x; then ls; else cat; fi`}, {"=", `! rm x`}, {"=", `time rm x`}, {"=", `time -p rm x`}, {"=", `busybox rm x`},
	{"=", `command rm x`}, {"=", `command -v rm`}, {"=", `builtin command rm x`}, {"=", `exec rm x`}, {"=", `(exec -a foo cat x)`},
	{"?", `echo $(( $(rm x) + 1 ))`}, {"?", `x='a[$(rm y)]'; echo $((x))`}, {"?", `x='a[$(rm y)]'; [[ $x -eq 0 ]]`}, {"?", `x='a[$(rm y)]'; ((x))`},
	{"?", `x='a[$(rm y)]'; let x+=1`}, {"?", `x='$(rm y)'; echo "${x@P}"`}, {"?", `declare -i x; x='a[$(rm y)]'`}, {"!", `[[ -v a[\$(rm y)] ]]`}, {"?", `[[ -v 'a[$(rm y)]' ]]`},
	{"?", `test -v 'a[$(rm y)]'`}, {"?", `read 'a[$(rm y)]' <<< 1`}, {"?", `printf -v 'a[$(rm y)]' 1`}, {"?", `unset 'a[$(rm y)]'`},
	{"?", `x='a[$(rm y)]'; echo ${!x}`}, {"?", `a=(1); echo ${a[$(rm y)]}`}, {"?", `RANDOM='a[$(rm y)]'`}, {"?", `SECONDS='a[$(rm y)]'`},
	{"?", `PS4='$(rm y)'; set -x; ls`}, {"?", `BASH_ENV=a.txt bash -c ls`}, {"?", `env BASH_ENV=$PWD/a.txt bash -c ls`}, {"?", `env 'BASH_FUNC_ls%%=() { rm y; }' bash -c ls`},
	{"?", `hash -p $PWD/../bin/rm ls; ls x`}, {"?", `mapfile -C 'rm' -c 1 < a.txt`}, {"?", `jobs -x rm y`}, {"?", `compgen -C 'rm y'`},
	{"!", `f() { rm x; }; f`}, {"!", `function ls { rm x; }; ls`}, {"!", `:(){ :|:& };:`}, {"!", `!(rm x)`}, {"!", `ls '`},
	{"=", `HOME=/nowhere; rm $HOME`}, {"=", `rm $HOME ~ ~/x "$HOME/y" $PWD`}, {"=", `rm ~root`}, {"=", `IFS=/; rm $HOME`}, {"=", `rm "$@" $* x`},
	{"=", `cd sub && rm x`}, {"=", `cd sub; rm x`}, {"=", `cd nowhere; rm x`}, {"=", `cd nowhere || rm x`}, {"=", `cd sub && cd deep; rm x`}, {"=", `(cd sub; rm x); rm y`},
	{"=", `for i in 1 2; do cd ..; rm x; done`}, {"=", `cd sub | rm x`}, {"=", `cd; rm x`}, {"=", `cd - ; rm x`}, {"=", `cd sub & rm x; wait`}, {"=", `if cd sub; then rm x; fi; rm y`},
	{"=", `eval 'cd sub'; rm x`}, {"=", `command cd sub; rm x`}, {"=", `env cd sub; rm x`}, {"?", `C=cd; $C sub; rm x`}, {"=", `pushd sub; rm x; popd; rm y`},
	{"=", `case a in a) cd sub;& b) rm x;; esac; rm y`}, {"=", `! cd sub || rm x; rm y`}, {"=", `{ cd sub; } && rm x`}, {"=", `cd sub/.. && rm x`},
	{"=", `rm *`}, {"=", `rm *.txt`}, {"=", `rm [ab].txt ?.txt`}, {"=", `rm '*' \* "?"`}, {"=", `rm {a,b}{1,2}.txt {1..3} {a..c}`}, {"=", `rm {01..03} x{y`},
	{"=", `dd of=~/x if={a,b}`}, {"=", `rm ~"/x" '~/x' \~/x`}, {"=", `sh -c 'rm "$1"' _ x`}, {"=", `sh -c 'rm $0' x`}, {"?", `sh -c "$(cat a.txt)"`},
	{"=", `bash <<< 'rm x'`}, {"?", "bash <<E\nread l\nrm x\nE"}, {"=", "bash -s a <<E\nrm x\nE"}, {"?", `bash <(echo rm x)`}, {"?", `bash /dev/stdin <<< "rm x"`},
	{"=", `ls & rm x & wait`}, {"=", `ls | tee a | wc`}, {"=", `ls |& rm x`}, {"=", `ls 2>&1 >out.log`}, {"=", `ls &>out.log`}, {"=", `exec 8<a.txt; rm x`},
	{"=", `setsid -w rm x`}, {"=", `stdbuf -oL rm x`}, {"=", `env -u FOO -- rm x`}, {"?", `env -S "rm x"`}, {"?", `env --split-string="rm x"`}, {"?", `env $X rm x`},
	{"=", `A=b rm x`}, {"=", `A=$(rm x)`}, {"=", `a=(x $(rm y)); ls`}, {"=", `export A=$(rm x)`}, {"=", `local A=$(rm x)`},
	{"=", "while read -r f; do cat $f ~; done < a.txt"}, {"=", `read HOME <<< /x; rm $HOME`}, {"=", `command read HOME <<< /x; rm $HOME ~`}, {"=", `printf -v HOME /x; rm $HOME`},
	{"=", `unset HOME; rm x$HOME ~`}, {"=", `for HOME in /x; do rm $HOME; done`}, {"=", `builtin printf "%s" -vHOME; rm $HOME`}, {"?", `X=-vHOME; printf $X /x; rm $HOME; ((x))`},
	{"?", `X=-vHOME; printf "$X" /x; rm $HOME`}, {"=", `printf "%s" "$X"; rm $HOME`}, {"=", `export HOME=/x; rm $HOME`}, {"=", `: $((HOME=5)); rm $HOME`}, {"=", `: ${HOME:=x}; rm $HOME`},
	{"!", ">& -ls"}, {"!", "ls <&-rm x"}, {"=", "ls 2>&- x"}, {"!", "ls # \\\nrm x"}, {"=", "ls # x\nrm x"}, {"=", "ls x# \\\ny"}, {"?", `set -k; ls x`}, {"=", `set -euo pipefail; ls x`}, {"?", `set -- rm x; "$@"`}, {"=", `until ls; do rm x; break; done`},
	{"=", "rm \\\n x"}, {"=", "rm x # rm y"}, {"=", `rm x#y`}, {"=", `echo "$(echo "$(rm x)")"`}, {"=", "echo `echo \\`rm x\\``"}, {"=", `rm "a\"b" "a\$b" 'a\b'`},
	{"=", `rm $"x"`}, {"=", `select x in a; do rm y; break; done <<< 1`}, {"=", `for ((i=0;i<2;i++)); do rm x; done`}, {"=", `i=1; while ((i<3)); do rm x; i=$((i+1)); done`},
	{"=", `{ rm x; ls y; } > out.log`}, {"=", `rm x;rm y`}, {"!", `(((1)) && rm x)`}, {"!", `cat $(( (rm x) ))`}, {"=", `((1)) || rm x`}, {"=", `rm {$HOME,x}`},
	{"?", `enable -n echo; echo x`}, {"=", `>out.log rm x`}, {"=", `<a.txt rm x`}, {"=", `2>out.log rm x`}, {"=", `{fd}<a.txt rm x`},
	{"=", `nohup sh -c 'rm x' >/dev/null 2>&1 &`}, {"=", `timeout 5 bash -c 'cd sub && rm x'`}, {"=", `find . -maxdepth 1 -execdir rm {} \;`},
	{"=", "cat <<-E\n\t$(rm x)\n\tE\n"}, {"=", "cat <<E <<F\n$(rm x)\nE\n$(rm y)\nF"}, {"=", `echo ${x:=$(rm y)} ${x/a/$(rm z)} ${x#$(rm w)}`}, {"=", `rm ${HOME:-x} ${HOME%/*}`},
	{"?", `echo ${x:$(rm y)}`}, {"=", `sudo A=b rm x`}, {"?", `sh -c 'sh -c "$0"' 'rm x'`}, {"=", `eval eval rm x`}, {"=", `eval 'eval "rm x"'`}, {"=", `trap 'cd sub; rm x' EXIT; cd /`},
}

func TestShell_ListsEverythingThatBashRuns(t *testing.T) {
	j := newJudge(t)
	for _, tt := range hostile {
		e := env{cwd: j.work, home: j.home, vars: map[string]string{"HOME": j.home, "PATH": j.env}}
		got, err := readLine(tt.line, e)
		is := "="
		switch {
		case err != nil:
			is = "!"
		case got.rest != "":
			is = "?"
		}
		if is != tt.want {
			t.Errorf("%q: %q, expected %q (%v)", tt.line, is, tt.want, err)
		}
		j.check(tt.line)
	}
}

// TestShell_ListsEverythingThatBashRuns_Generated does the same with random
// lines. The share of lines that we can tell exactly keeps the test honest: a
// reader that calls everything unknown would pass it otherwise.
func TestShell_ListsEverythingThatBashRuns_Generated(t *testing.T) {
	j := newJudge(t)
	g := &lineGen{rand.New(rand.NewSource(*diffSeed))}
	exact := 0
	for range *diffLines {
		line := g.list(3)
		if j.check(line) {
			exact++
		}
	}
	t.Logf("%d of %d lines told exactly, seed %d", exact, *diffLines, *diffSeed)
	require.Greater(t, exact, *diffLines/4, "too few lines are told exactly for the comparison to mean anything")
}

// TestShell_ReadsTokensAsBashDoes throws the tokens of the language together, to
// find lines that bash and our parser take apart in different ways.
func TestShell_ReadsTokensAsBashDoes(t *testing.T) {
	j := newJudge(t)
	g := &lineGen{rand.New(rand.NewSource(*diffSeed))}
	exact := 0
	for range *diffLines {
		var b strings.Builder
		for range 2 + g.Intn(14) {
			b.WriteString(g.pick("rm", "ls", "cat", "x", "y", " ", " ", " ", " ", ";", "&&", "||", "|", "&", "(", ")", "{ ", "; }", "\"", "'", "`", "$(", "<<E\n", "\nE\n",
				"#", "\\", "\n", "[[ ", " ]]", "((", "))", "! ", "if ", ";then ", ";fi", "case x in ", "x)", ";;", " esac", "=", "$", "${", "}", "*", ">", "<", "2>&1", "$'", "$\"",
				"<(", "time ", "{a,", "b}", "~", "[", "]", "-", "@(", "<<<", ">&", "|&", "a=(", "rm x", "ls y", "eval ", "\\\n", "\t", "sh -c ", "xargs ", "env ", "exec "))
		}
		if j.check(b.String()) {
			exact++
		}
	}
	t.Logf("%d of %d lines told exactly, seed %d", exact, *diffLines, *diffSeed)
}

// lineGen makes command lines.
type lineGen struct{ *rand.Rand }

func (g *lineGen) pick(s ...string) string { return s[g.Intn(len(s))] }

func (g *lineGen) list(depth int) string {
	parts := make([]string, 1+g.Intn(3))
	for i := range parts {
		parts[i] = g.stmt(depth)
	}
	return strings.Join(parts, g.pick("; ", "\n", " && ", " || ", " | ", " & "))
}

func (g *lineGen) stmt(depth int) string {
	if depth == 0 {
		return g.simple(0)
	}
	in := func() string { return g.list(depth - 1) }
	switch g.Intn(24) {
	case 0:
		return "( " + in() + " )"
	case 1:
		return "{ " + in() + "\n}"
	case 2:
		return "if " + in() + "\nthen " + in() + "\nelse " + in() + "\nfi"
	case 3:
		return "for i in " + g.word(depth) + " " + g.word(depth) + "; do " + in() + "\ndone"
	case 4:
		return "while " + in() + "\ndo " + in() + "\nbreak\ndone"
	case 5:
		return "case " + g.word(depth) + " in a*) " + in() + "\n;& *) " + in() + "\n;; esac"
	case 6:
		return "! " + g.simple(depth)
	case 7:
		return "sh -c " + quoteSingle(in())
	case 8:
		return "eval " + quoteSingle(in())
	case 9:
		return "cat <<EOT\n" + g.word(depth) + " $(" + in() + "\n)\nEOT\n"
	case 10:
		return "trap " + quoteSingle(in()) + " EXIT"
	case 11:
		return "bash <<< " + quoteSingle(g.simple(0))
	case 12:
		return "[[ -n " + g.word(depth) + " ]]"
	case 13:
		return "cd " + g.pick("sub", "..", "$PWD/sub", "nowhere", "~", "./sub/deep", "-", "", "sub/../sub", "$X")
	case 14:
		return g.pick("X=rm", "HOME=/nowhere", "X="+g.word(depth), "export Y="+g.word(depth), "unset HOME")
	}
	return g.simple(depth)
}

func (g *lineGen) simple(depth int) string {
	var b strings.Builder
	b.WriteString(g.pick("", "", "", "A=b ", ">out.log ", "sudo ", "sudo -u root ", "env ", "env -u A B=c ", "nice -n 3 ", "timeout 5 ", "nohup ", "xargs ", "xargs -n 1 ", "command ", "exec ", "time ", "busybox "))
	b.WriteString(g.pick("rm", "ls", "cat", `r\m`, "'rm'", `$'\x72m'`, `"l"s`, "{rm,x}", "$X", "${X:-rm}", "wc", "cp"))
	for range g.Intn(4) {
		b.WriteString(" " + g.word(depth))
	}
	b.WriteString(g.pick("", "", "", " >out.log", " 2>&1", " < a.txt", " <<< x"))
	return b.String()
}

func (g *lineGen) word(depth int) string {
	if depth > 0 && g.Intn(5) == 0 {
		return g.pick(`"$(`, "$(", "<(") + g.list(depth-1) + "\n)" + g.pick("", "")
	}
	return g.pick("-rf", "--", "a.txt", "'x y'", `"a  b"`, "*", "*.txt", "[ab].txt", "?", "~", "~/x", "$HOME", `"$HOME/x"`, "$X", `"$X"`, "{a,b}", "{1..3}",
		`\*`, "--recursive", "sub/../x", "$PWD", "${HOME}/y", "$((1+2))", "${X:-z}", `$'\t'`, "''", "of=~/x", "{$HOME,~}", "a\\ b", `"\$X"`, "~nobody/x", "x=~:~", "'~'", `~"/x"`, "{a,'b c'}", "{~,x}")
}

func quoteSingle(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
