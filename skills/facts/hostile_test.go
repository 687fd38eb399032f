package facts

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/opencortex-go/cortex/skills/facts/internal/shell"
)

// hostile are lines that hide what they run, and some that look like it. The mark
// in front says what we do: "=" lists all of it, "?" says that the list is not
// whole, "!" is an error. The differential judge runs them all in five shells.
var hostile = []struct{ want, line string }{
	{"=", `rm -rf /nowhere`}, {"=", `r\m -rf /nowhere`}, {"!", `$'\x72m' -rf /nowhere`},
	{"!", `{rm,-rf,/nowhere}`}, {"=", `"r"m 'x y'`}, {"!", `$'\162\155' x`}, {"=", `r""m x`}, {"=", `\rm x`},
	{"?", `eval "rm -rf /nowhere"`}, {"=", `sh -c 'rm -rf /nowhere'`}, {"=", `bash -ec "rm x"`},
	{"=", `bash --norc -c 'rm x' a b`}, {"?", `echo cm0geA== | base64 -d | sh`}, {"?", `echo 'rm x' | sh`},
	{"?", `sh < a.txt`}, {"?", `. ./a.txt`}, {"?", `source a.txt`}, {"?", `env -i PATH=$PATH rm x`},
	{"=", `ls | xargs rm`}, {"=", `echo a b | xargs -n1 rm -f`}, {"?", `echo a | xargs -I{} sh -c 'rm {}'`},
	{"=", `echo a | xargs -I{} rm {} b`}, {"=", `find . -maxdepth 1 -exec rm {} \;`},
	{"=", `find . -maxdepth 1 -exec rm -f {} +`},
	{"=", `find . -maxdepth 1 -name a.txt -exec cat {} \; -exec rm {} \;`},
	{"?", `X='. -maxdepth 0 -exec rm {} ;'; find $X`}, {"=", `sudo -u root rm x`},
	{"=", `sudo -n env A=b timeout 5 nice -n 5 nohup rm x`}, {"=", `nice -5 rm x`}, {"=", `timeout -k 1 5 rm x`},
	{"?", `X=rm; $X -rf /nowhere`}, {"?", `"$(echo rm)" x`}, {"?", `$(echo rm x)`}, {"?", "`echo rm` x"},
	{"?", "shopt -s expand_aliases\nalias ls=rm\nls x"}, {"?", `trap 'rm x' EXIT`}, {"!", `coproc rm x; wait`},
	{"!", `coproc { rm x; }; wait`}, {"!", `: ${x:-$(rm x)}`}, {"!", `cat <(rm x)`}, {"!", `ls > >(rm x); wait`},
	{"=", "cat <<E\n$(rm x)\nE"}, {"=", "cat <<'E'\n$(rm x)\nE"}, {"!", `[[ $(rm x) ]]`},
	{"!", `case $(rm x) in *) cat y;; esac`}, {"=", `for f in $(rm x); do ls y; done`},
	{"=", `while rm x; do break; done`}, {"=", `if rm x; then ls; else cat; fi`}, {"=", `! rm x`},
	{"!", `time rm x`}, {"!", `time -p rm x`}, {"=", `busybox rm x`}, {"=", `command rm x`},
	{"=", `command -v rm`}, {"?", `builtin command rm x`}, {"=", `exec rm x`}, {"?", `(exec -a foo cat x)`},
	{"!", `echo $(( $(rm x) + 1 ))`}, {"!", `x='a[$(rm y)]'; echo $((x))`},
	{"!", `x='a[$(rm y)]'; [[ $x -eq 0 ]]`}, {"!", `x='a[$(rm y)]'; ((x))`}, {"!", `x='a[$(rm y)]'; let x+=1`},
	{"!", `x='$(rm y)'; echo "${x@P}"`}, {"?", `declare -i x; x='a[$(rm y)]'`}, {"!", `[[ -v a[\$(rm y)] ]]`},
	{"!", `[[ -v 'a[$(rm y)]' ]]`}, {"?", `test -v 'a[$(rm y)]'`}, {"!", `read 'a[$(rm y)]' <<< 1`},
	{"?", `printf -v 'a[$(rm y)]' 1`}, {"?", `unset 'a[$(rm y)]'`}, {"!", `x='a[$(rm y)]'; echo ${!x}`},
	{"!", `a=(1); echo ${a[$(rm y)]}`}, {"!", `RANDOM='a[$(rm y)]'`}, {"!", `SECONDS='a[$(rm y)]'`},
	{"!", `PS4='$(rm y)'; set -x; ls`}, {"!", `BASH_ENV=a.txt bash -c ls`},
	{"?", `env BASH_ENV=$PWD/a.txt bash -c ls`}, {"?", `env 'BASH_FUNC_ls%%=() { rm y; }' bash -c ls`},
	{"?", `hash -p $PWD/../bin/rm ls; ls x`}, {"?", `mapfile -C 'rm' -c 1 < a.txt`}, {"?", `jobs -x rm y`},
	{"?", `compgen -C 'rm y'`}, {"!", `f() { rm x; }; f`}, {"!", `function ls { rm x; }; ls`},
	{"!", `:(){ :|:& };:`}, {"!", `!(rm x)`}, {"!", `ls '`}, {"!", `HOME=/nowhere; rm $HOME`},
	{"=", `rm $HOME ~ ~/x "$HOME/y" $PWD`}, {"!", `rm ~root`}, {"!", `IFS=/; rm $HOME`}, {"!", `rm "$@" $* x`},
	{"=", `cd sub && rm x`}, {"=", `cd sub; rm x`}, {"=", `cd nowhere; rm x`}, {"=", `cd nowhere || rm x`},
	{"=", `cd sub && cd deep; rm x`}, {"=", `(cd sub; rm x); rm y`}, {"=", `for i in 1 2; do cd ..; rm x; done`},
	{"=", `cd sub | rm x`}, {"=", `cd; rm x`}, {"=", `cd - ; rm x`}, {"=", `cd sub & rm x; wait`},
	{"=", `if cd sub; then rm x; fi; rm y`}, {"?", `eval 'cd sub'; rm x`}, {"=", `command cd sub; rm x`},
	{"=", `env cd sub; rm x`}, {"?", `C=cd; $C sub; rm x`}, {"?", `pushd sub; rm x; popd; rm y`},
	{"!", `case a in a) cd sub;& b) rm x;; esac; rm y`}, {"=", `! cd sub || rm x; rm y`},
	{"=", `{ cd sub; } && rm x`}, {"=", `cd sub/.. && rm x`}, {"=", `rm *`}, {"=", `rm *.txt`},
	{"=", `rm [ab].txt ?.txt`}, {"=", `rm '*' \* "?"`}, {"!", `rm {a,b}{1,2}.txt {1..3} {a..c}`},
	{"!", `rm {01..03} x{y`}, {"!", `dd of=~/x if={a,b}`}, {"!", `rm ~"/x" '~/x' \~/x`},
	{"=", `sh -c 'rm "$1"' _ x`}, {"!", `sh -c 'rm $0' x`}, {"?", `sh -c "$(cat a.txt)"`},
	{"!", `bash <<< 'rm x'`}, {"?", "bash <<E\nread l\nrm x\nE"}, {"?", "bash -s a <<E\nrm x\nE"},
	{"!", `bash <(echo rm x)`}, {"!", `bash /dev/stdin <<< "rm x"`}, {"=", `ls & rm x & wait`},
	{"=", `ls | tee a | wc`}, {"!", `ls |& rm x`}, {"=", `ls 2>&1 >out.log`}, {"!", `ls &>out.log`},
	{"=", `exec 8<a.txt; rm x`}, {"=", `setsid -w rm x`}, {"=", `stdbuf -oL rm x`}, {"=", `env -u FOO -- rm x`},
	{"?", `env -S "rm x"`}, {"?", `env --split-string="rm x"`}, {"?", `env $X rm x`}, {"=", `A=b rm x`},
	{"=", `A=$(rm x)`}, {"!", `a=(x $(rm y)); ls`}, {"?", `export A=$(rm x)`}, {"?", `local A=$(rm x)`},
	{"=", "while read -r f; do cat $f ~; done < a.txt"}, {"!", `read HOME <<< /x; rm $HOME`},
	{"!", `command read HOME <<< /x; rm $HOME ~`}, {"?", `printf -v HOME /x; rm $HOME`},
	{"?", `unset HOME; rm x$HOME ~`}, {"!", `for HOME in /x; do rm $HOME; done`},
	{"?", `builtin printf "%s" -vHOME; rm $HOME`}, {"!", `X=-vHOME; printf $X /x; rm $HOME; ((x))`},
	{"?", `X=-vHOME; printf "$X" /x; rm $HOME`}, {"=", `printf "%s" "$X"; rm $HOME`},
	{"!", `export HOME=/x; rm $HOME`}, {"!", `: $((HOME=5)); rm $HOME`}, {"!", `: ${HOME:=x}; rm $HOME`},
	{"!", ">& -ls"}, {"!", "ls <&-rm x"}, {"=", "ls 2>&- x"}, {"!", "ls # \\\nrm x"}, {"=", "ls # x\nrm x"},
	{"=", "ls x# \\\ny"}, {"?", `set -k; ls x`}, {"=", `set -euo pipefail; ls x`}, {"?", `set -- rm x; "$@"`},
	{"=", `until ls; do rm x; break; done`}, {"=", "rm \\\n x"}, {"=", "rm x # rm y"}, {"=", `rm x#y`},
	{"=", `echo "$(echo "$(rm x)")"`}, {"!", "echo `echo \\`rm x\\``"}, {"=", `rm "a\"b" "a\$b" 'a\b'`},
	{"!", `rm $"x"`}, {"!", `select x in a; do rm y; break; done <<< 1`},
	{"!", `for ((i=0;i<2;i++)); do rm x; done`}, {"!", `i=1; while ((i<3)); do rm x; i=$((i+1)); done`},
	{"=", `{ rm x; ls y; } > out.log`}, {"=", `rm x;rm y`}, {"!", `(((1)) && rm x)`}, {"!", `cat $(( (rm x) ))`},
	{"!", `((1)) || rm x`}, {"!", `rm {$HOME,x}`}, {"?", `enable -n echo; echo x`}, {"=", `>out.log rm x`},
	{"=", `<a.txt rm x`}, {"=", `2>out.log rm x`}, {"!", `{fd}<a.txt rm x`},
	{"=", `nohup sh -c 'rm x' >/dev/null 2>&1 &`}, {"=", `timeout 5 bash -c 'cd sub && rm x'`},
	{"=", `find . -maxdepth 1 -execdir rm {} \;`}, {"!", "cat <<-E\n\t$(rm x)\n\tE\n"},
	{"!", "cat <<E <<F\n$(rm x)\nE\n$(rm y)\nF"}, {"!", `echo ${x:=$(rm y)} ${x/a/$(rm z)} ${x#$(rm w)}`},
	{"!", `rm ${HOME:-x} ${HOME%/*}`}, {"!", `echo ${x:$(rm y)}`}, {"=", `sudo A=b rm x`},
	{"!", `sh -c 'sh -c "$0"' 'rm x'`}, {"?", `eval eval rm x`}, {"?", `eval 'eval "rm x"'`},
	{"?", `trap 'cd sub; rm x' EXIT; cd /`},
	// C1: quotes inside an expansion in double quotes.
	{"!", `echo "${x:-'$(touch P)'}"`}, {"!", "x=\"${y:-'`touch P`'}\""}, {"!", `cat <<<"${x:-'$(touch P)'}"`},
	{"!", "cat <<E\n${x:-'$(touch P)'}\nE"},
	// C2: process substitutions that the tree holds as text.
	{"!", `echo ${x:-<(touch P)}`}, {"!", `[[ a =~ (<(touch P)) ]]; ls`},
	// C3: let takes ordinary words.
	{"!", `let 1|touch p; ls`}, {"!", `let 1>notes; ls`}, {"!", `let 1&rm -rf src; ls`},
	// C4: a name that is evaluated again.
	{"!", `x=1; a1='b[$(touch P)]'; ((a$x)); ls`}, {"!", `((b"b"))`}, {"!", `[[ b$((0)) -eq 0 ]]`},
	// C5: an expansion that assigns.
	{"!", `echo ${BASH_CMDS[ls]:=/bin/touch}; ls P`}, {"!", `((PATH=1)); ls`}, {"!", `echo ${HOME:PATH=1}; ls`},
	// C6: braces come first.
	{"!", `cat ./$PWD{x,y}.env`}, {"!", `head .$PWD{x,y}./../../etc/shadow`},
	// Here-documents, builtins that set variables, dash beside bash.
	{"!", "cat <<EO\\\nF\nx\nEOF"}, {"!", "cat <<$'\\x45'\nx\nE"}, {"!", "cat <<E\\OF\nx\nEOF"},
	{"?", `printf -v PATH /x; ls`}, {"?", `read PATH; ls`}, {"?", `mapfile PS4; ls`},
	{"!", `sh -c '[[ a || touch == P ]]'`},
	// What the five shells read differently, and its plain neighbours.
	{"!", `ls $x[1]`}, {"!", `ls "$x:h"`}, {"!", `ls $=x $~x $+x $#x`}, {"!", `cat =ls`}, {"!", `[ a == b ]`},
	{"=", `cat .*`}, {"=", `cat **`}, {"!", `ls [^a]`}, {"!", `ls a<1-5>b`}, {"!", `ls 10>f`}, {"!", `ls ~+`},
	{"!", `ls a=~root`}, {"=", `true | cd /etc; cat shadow`}, {"=", `cd a b; cat shadow`},
	{"?", `echo 'a\nrm x' | sh`}, {"!", `path=x; ls`}, {"!", `for path in x; do ls; done`},
	{"!", `for status in x; do ls; done`}, {"!", `repeat 3 ls`}, {"!", `noglob ls`}, {"!", `nocorrect ls`},
	{"?", `print x`}, {"?", `rename a b`}, {"?", `[ 'a[$(touch P)]' -eq 0 ]`}, {"?", `[ -v 'a[$(touch P)]' ]`},
	{"?", `printf %d 'path[$(touch P)]'`}, {"?", `shift 'path[$(touch P)]'`}, {"?", `exit 'path[$(touch P)]'`},
	{"!", `ls &! cat x`}, {"?", `r`}, {"?", `nohup r`}, {"!", `- ls`}, {"!", `cat >!f`}, {"=", `! ls`},
	{"!", `!ls`}, {"!", `ls >&f`}, {"!", `ls >& 2`}, {"!", `ls 2>&1x`}, {"!", `a=(1)`}, {"!", `a[0]=1`},
	{"!", `a+=1`}, {"!", `coproc ls`}, {"=", `{ ls; }`}, {"=", `(ls)`}, {"!", `((ls))`},
	{"=", `if ls; then cat x; fi`}, {"=", `while read -r f; do cat "$f"; done`}, {"=", `export FOO=1; ls`},
	{"?", `export FOO=$x; ls`}, {"=", `FOO=1 go test ./...`}, {"?", `LD_PRELOAD=x ls`},
	{"?", `GIT_SSH_COMMAND=x git fetch`}, {"=", `LC_ALL=C sort x`}, {"!", `LC_ALL=x sort x`},
	{"=", "git commit -m \"$(cat <<'EOF'\nit's done (really)\nEOF\n)\""}, {"!", "cat <<'A' <<'B'\nx\nA\ny\nB"},
	{"!", "ls # \\\nrm x"}, {"!", "ec\\\nho x"}, {"=", "ls \\\n x"}, {"!", "echo \"a\\\nb\""}, {"!", "ls\vx"},
	{"!", "ls \x80"}, {"!", `x=/etc; cat ~x/shadow`}, {"=", `unset ls`}, {"=", `unset x; ls`}, {"=", `set -e; ls`},
	{"?", `set -o noclobber; ls`}, {"=", `test "$x" = y`}, {"?", `test $x = y`}, {"?", `test -f x -a -f y`},
	{"?", `[ "$x" -eq 1 ]`}, {"=", `[ 1 -eq 1 ]`}, {"=", `kill 1`}, {"?", `kill $x`}, {"=", `ulimit -n 5`},
	{"=", `sh -ec 'ls; cat x'`}, {"?", `sh -ic ls`}, {"=", `sh ./x.sh`}, {"?", `bash --rcfile x -c ls`},
	{"?", `zsh -c ls`}, {"=", `command ls`}, {"?", `command -p ls`}, {"?", `builtin ls`}, {"=", `exec ls`},
	{"?", `eval ls`}, {"?", `. ./x`}, {"?", `trap ls EXIT`}, {"?", `alias ls=rm`},
}

func TestShell_HostileLines(t *testing.T) {
	for _, tt := range hostile {
		got := "="
		l, err := shell.Read(tt.line, shell.Env{Cwd: "/w", Home: "/h", Vars: map[string]string{"HOME": "/h", "PATH": "/bin"}})
		switch {
		case err != nil:
			got = "!"
		case l.Rest != "":
			got = "?"
		}
		assert.Equal(t, tt.want, got, "%q: %v", tt.line, err)
	}
}
