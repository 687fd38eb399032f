package shelljudge

// hostile are fragments of words that shells, or a shell and a reader, may read in
// different ways, by family. C1 to C6 are the causes found in the reader of commit
// b0855d1. For the holes see expand.
func hostile() map[string][]string {
	return map[string][]string{
		"C1": {
			`"${%v:-'$(%c)'}"`, "\"${%v:-'`%c`'}\"", `"${%v-'$(%c)'}"`, `"${%v:+'$(%c)'}"`, `"${%v:=$'$(%c)'}"`,
			`"a${%v:-b'$(%c)'c}"`, `"${%v#'$(%c)'}"`, `"${%v:-"'$(%c)'"}"`,
		},
		"C2": {`${x:-<(%c)}`, `${x:-a<(%c)}`, `${HOME:+<(%c)}`, `${x->(%c)}`, `${x:=<(%c)}`, `${%v:-%w<(%c)}`},
		"C3": {}, "C4": {}, "C5": {},
		"C6": {`./$PWD{x,%l}.env`, `.$PWD{x,%l}./../../etc/shadow`, `$HOME{%l,%l}`, `a$PWD{x,%l}.txt`, `$PWD{%l,%l}/%f`,
			`%w$HOME{x,y}%f`, `$PATH{x,y}`},
		"S": {`$'a%lb'`, `$"%w"`, `$'\x24(%c)'`, `${%v@P}`, `${!%v}`, `$((%v))`, `$[%v]`, `$((a[$(%c)]))`, `${a[$(%c)]}`,
			`<(%c)`, `>(%c)`, `<<<x`, `$(<%f)`, `{x}>%f`, `&>%f`, `>&%f`},
		"Z": {
			`$%v[1]`, `"$%v[1]"`, `"$%v:h"`, `$%v:h`, `"${%v}:h"`, `"${%v}[1]"`, `$=%v`, `$~%v`, `$+%v`, `$#%v`, `$^%v`,
			`"$=%v"`, `"$#%v"`, `"$+%v"`, `"$~%v"`, `=ls`, `=touch`, `==`, `.*`, `.?`, `.?/etc/*`,
			`**`, `**/*.txt`, `[^a]`, `[!a]*`, `{a,b}`, `{1..3}`, `<1-5>`, `<->`, `10>f`, `12>&1`, `~+`, `~-`, `~root`,
			`a=~root`, `~/..`, `a:~`, `%f:h`, `(e:%c:)`, `*(%w)`, `a~b`, `^a`, `x#`, `(a|b)`, `%v[$(%c)]`,
			`'a[$(%c)]'`, `'path[$(%c)]'`, `"a[\$(%c)]"`, `\$(%c)`, `$ARR`, `"$ARR"`, `$UNK`, `$SECRET`, `"$@"`, `$*`, `"$*"`,
			`$-`, `$_`, `$!`, `$#`, `$10`, `$0`, `$`, `a$`, `"$"`, `$%`, `$,`, `"$,"`, `$.`, `$/`, `$:a`, `$]`,
			"`echo '$(%c)'`", "`echo \\`%c\\``", "`echo \"%c\"`", `"$(echo "%c")"`, `$(echo ')')`, `$(case a in a) %c;; esac)`,
			`$(# )`, "$(echo #)\n)", `\` + "\n", `a\` + "\n" + `b`,
			`[[:alpha:]]*`, `[a/b]`, `[a`, `a]`, `[]a]`, `[a-`, `{`, `}`, `{}`, `{a`, `a}`, `!x`, `!`, `!!`, `^x^y`, `%%1`, `;`,
			`'`, `"`, "`", `#`, `#a`, `a#b`, `&`, `|`, `\`, "\t", "\f", "\v", "\u00a0", "\u2028", "é",
		},
	}
}

// hostileLines are whole commands, by family.
func hostileLines() map[string][]string {
	return map[string][]string{
		"C1": {
			`%w="${%v:-'$(%c)'}"`, `a="${x:-'$(%c)'}"; ls`, `[[ "${%v:-'$(%c)'}" ]]`, `[[ a == "${%v:-'$(%c)'}" ]]; ls`,
			`case "${x:-'$(%c)'}" in a) ls;; esac`, `a=("${x:-'$(%c)'}")`, `cat <<<"${x:-'$(%c)'}"`,
			"cat <<E\n${x:-'$(%c)'}\nE\n", "cat <<E\n${x:-'`%c`'}\nE\n", `ls > "${x:-'$(%c)'}"`,
		},
		"C2": {`[[ a =~ (<(%c)) ]]`, `[[ %w =~ a(<(%c)) ]]; ls`, `echo ${x:-<(%c)}`, `a=${x:-<(%c)}`, `[[ a =~ (>(%c)) ]]`},
		"C3": {`let 1|%c`, `let 1>%f`, `let 1&%c`, `let %l||%c`, `let 1+%l>>%f`, `let 1<%f`, `let a=%l|%c`, `let 1&& %c`,
			"let 1|\n%c", `let %l*2>%f`},
		"C4": {
			`%l%l='b[$(%c)]'; a1='b[$(%c)]'; x=1; ((a$x))`,
			`ab='b[$(%c)]'; ((a"b"))`, `((%l"%l"))`, `((b"b"))`, `b0='a[$(%c)]'; [[ b$((0)) -eq 0 ]]`, `b1='a[$(%c)]'; ((b"1"))`,
			`x1='a[$(%c)]'; echo $((x"1"))`,
			`ARR1='a[$(%c)]'; x=1; echo $((ARR$x))`,
			`ab='a[$(%c)]'; [[ a"b" -eq 0 ]]`,
			`xx='a[$(%c)]'; [[ x$((0)) -eq x"x" ]]`, `((AR"R"))`, `[[ AR"R" -eq 0 ]]`, `echo $((AR"R"))`,
		},
		"C5": {
			`echo ${BASH_CMDS[ls]:=/bin/touch}; ls %f`,
			`((PATH=1)); ls`, `echo ${HOME:PATH=%l}; ls`, `echo $((PATH=1)); ls %w`, `: ${BASH_CMDS[cat]:=/usr/bin/rm}; cat x`,
			`let PATH=1; ls`, `[[ PATH=1 -eq 1 ]]; ls`,
			`echo ${BASH_CMDS[git]=/evil/evil}; git status`, `((PATH=5)); cat %f; ls`, `echo ${%v:PATH=1:1}; ls`,
		},
		"C6": {`cat ./$PWD{x,%l}.env`, `head .$PWD{x,%l}./../../etc/shadow`, `cat $HOME{%l,x}`, `wc ../$PWD{x,y}etc/shadow`,
			`cat $PWD{x,y}/../etc/shadow`, `ls a$HOME{x,y}`},
		"S": {
			"cat <<EO\\\nF\nx\nEOF\n%c\nEOF\n", "cat <<$'\\x45'\n$(%c)\nE\n%c\n$'\\x45'\n", "cat <<\\E\n$(%c)\nE\n",
			"cat <<E\\F\n$(%c)\nEF\n", "cat <<E${x\n$(%c)\nE${x\n", `printf -v PATH 1; ls`, `read PATH < a.txt; ls`,
			`mapfile PATH < a.txt; ls`, "read PS4 <<'E'\n$(%c)\nE\nset -x; ls", `sh -c '[[ a || touch == P ]]'`,
			`sh -c '[[ a || %c ]]'`,
			`bash -c '[[ a || %c ]]'`, "cat <<E\n\\$(%c)\nE\n", "cat <<E\n`%c`\nE\n", "cat <<E\na\\\nE\n%c\nE\n",
			"cat <<-E\n\tx\n\tE\n%c\n", "cat <<\"E\"\n$(%c)\nE\n%c", "cat <<E \\\n%c\nE\n", "cat <<E # x\n%c\nE\n",
			"cat << E;%c\nx\nE\n",
			"$(cat <<E\n%c\nE\n)", "cat <<E\n$(echo '\nE\n')\nE\n%c", "cat <<'E' <<E\n$(%c)\nE\n$(%c)\nE\n",
			"read x y < a.txt; $x P", `getopts a PATH; ls`, `unset PATH; ls`, `export PATH=/work/1; ls`, `readonly PATH=1; ls`,
			`local PATH=1; ls`, `typeset PATH=1; ls`, `declare -n x=PATH; x=1; ls`,
		},
		"Z": {
			`true | cd /etc; cat shadow`, `true | cd sub; cat c.txt`, `true | PATH=1; ls`, `cd a b`, `cd sub src; cat c.txt`,
			`cd sub; cat c.txt`, `echo 'a\n%c' | sh`, `echo "a\n%c" | bash`, `printf 'a\n%c' | sh`, `path=1; ls`,
			`path=/work/1; ls`, `status=1; ls`, `argv=1; ls $1`, `cdpath=/etc; cd x`, `for path in /work/1; do ls; done`,
			`for argv in a b; do ls "$1"; done`, `for HOME in /etc; do cat ~/shadow; done`, `for PATH in 1; do ls; done`,
			`repeat 2 %c`, `noglob %c`, `nocorrect %c`, `- %c`, `print a`, `rename a b`, `[ '%v[$(%c)]' -eq 0 ]`,
			`[ 'a[$(%c)]' -eq 0 ]`, `test 1 -lt 'a[$(%c)]'`, `[ -v 'a[$(%c)]' ]`, `[ "$ARR" -eq 0 ]`, `[ $ARR -lt 1 ]`,
			`printf %%d 'path[$(%c)]'`, `printf %%d "$ARR"`, `shift 'path[$(%c)]'`, `exit 'path[$(%c)]'`, `return 'a[$(%c)]'`,
			`kill -0 'a[$(%c)]'`, `umask 'a[$(%c)]'`, `ulimit -n 'a[$(%c)]'`, `export 'a[$(%c)]=1'`, `unset 'a[$(%c)]'`,
			`read 'a[$(%c)]' < a.txt`, `getopts x 'a[$(%c)]'`, `wait 'a[$(%c)]'`, `break 'a[$(%c)]'`, `let 'a[$(%c)]'`,
			`[ a == b ]`, `[ a = =ls ]`, `[ x -ef y ]`, `[ -f a.txt ] && cat a.txt`, `[ \( a \) ]`, `[ a \< b ]`,
			`> %f`, `< %f`, `>%f <%f`, `>%f ls`, `{ ls; } >%f`, `if true; then ls; fi >%f`, `if (true) %c`, `while (false) %c`,
			`for x (a b) %c`, `foreach x (a) %c; end`, `select x in a; do %c; done`, `{ ls } always { %c }`, `() { %c }`,
			`f() { %c; }; f`, `ls() { %c; }; ls`, `ls () %c`, `function ls { %c; }; ls`, `case a in a) %c;; esac`, `ls |& %c`,
			`ls &| %c`, `ls &! %c`, `ls ;| %c`, `time %c`, `coproc %c`, `exec 3<%f`, `exec %c`, `command %c`, `builtin %c`,
			`eval '%c'`, `trap '%c' EXIT`, `. ./a.txt`, `source a.txt`, `alias ls=touch; ls P`, `hash ls=/bin/touch; ls P`,
			`set -- %c; "$@"`, `env %c`, `xargs %c`, `sh -c '%c'`, `bash -c '%c'`, `zsh -c '%c'`, `find . -exec %c \;`,
			`ls # \` + "\n%c", "ls #\n%c", `ls \` + "\n%c",
			"ls \\ \n%c", `cat 0<%f 2>&1 1>&2`, `ls >!%f`, `ls >>!%f`, `ls >&%f`, `ls <>%f`, `ls 3<>%f`, `ls > %w`,
			`ls > $SECRET`, `cat < $GLOB`, `cat < ?.txt`, `ls > ~root/x`,
			`cat x | { cd /etc; cat shadow; }`, `cat x | while cd /etc; do cat shadow; break; done; cat shadow`,
			`true | read PATH; ls`, `cat a.txt | read x; $x`, `if cd /etc; then cat shadow; fi`, `! cd /etc; cat shadow`,
			`cd /etc & cat shadow`, `(cd /etc); cat shadow`, `{ cd /etc; }; cat shadow`, `cd - ; cat shadow`, `cd; cat notes`,
			`cd $UNK; cat c.txt`, `a=b ls $a`, `IFS=o; ls $HOME`, `IFS=/ ; cat $PWD`, `FOO=1 BAR=$(%c) ls`,
			`ls=1; ls`, `ls+=x; ls`, `a[0]=1; ls`, `x=(a b); ls $x`, `x=~; ls $x`, `x=~root:~; ls "$x"`, `FOO=~ ls`,
			`export FOO=~:~`, `r`, `history`, `fc -s`, `whence ls`, `zmodload zsh/files; rm x`, `autoload ls`, `emulate sh`,
			`setopt`, `print -P '$(%c)'`, `vared x`, `sched +1 %c`, `ztcp evil.net 80`, `zf_rm x`, `cat=(%c)`, `ls ${x}$(%c)`,
			`while ls; do break; done`, `until cat; do break; done`, `echo a; echo b &`, `ls a; (ls b); ls c`,
		},
	}
}
