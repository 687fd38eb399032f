package shell

import (
	"fmt"

	"mvdan.cc/sh/v3/syntax"
)

// The plain language is the part of the shell's that bash, dash, busybox ash,
// mksh and zsh read alike. A line is read if it is made of nothing else: what is
// not on the list below makes it unreadable as a whole, since a part that is read
// in two ways tells nothing about the rest. The differential judge
// (internal/shelljudge) runs random lines of this language in all five shells.

// Construct is one part of the shell's language.
type Construct struct {
	Name    string
	Example string // a line that has it
	Instead string // of a construct off the list: the plain way to say it
}

// Plain lists what a readable line is made of.
func Plain() []Construct { return plainList[:] }

// NotPlain lists what makes a line unreadable, with the plain way to write it.
func NotPlain() []Construct { return refusedList[:] }

var plainList = [...]Construct{
	{"simple command", `git status`, ""},
	{"word without quotes", `echo src/main.go`, ""},
	{"'..'", `echo 'two words'`, ""},
	{"backslash before one character", `echo two\ words`, ""},
	{`".."`, `echo "two words"`, ""},
	{"$NAME, $?, $$, $@, $1", `echo $HOME "$1" $?`, ""},
	{"${NAME}", `echo "${HOME}/notes"`, ""},
	{"$(..)", `echo "$(date)"`, ""},
	{"`..` that holds no backslash, \" or `", "echo `date`", ""},
	{"$ at the end of a word", `grep end$ notes`, ""},
	{`$ in ".." at the end, or before a blank, / | , or .`, `sed "s/$/x/" notes`, ""},
	{"*, ? and [a-z]", `ls *.go`, ""},
	{"{a,b} and {1..3} in a word without $", `cp notes{,.old}`, ""},
	{"~ and ~/", `ls ~/src`, ""},
	{"NAME=value", `n=1`, ""},
	{"NAME=value before a command", `FOO=1 make`, ""},
	{"export NAME=value", `export FOO=1`, ""},
	{"|", `ls | wc`, ""},
	{"&&", `make && ls`, ""},
	{"||", `make || ls`, ""},
	{"; and newline", "ls; date\nls", ""},
	{"&", `make & ls`, ""},
	{"!", `! ls`, ""},
	{"( )", `(cd src; ls)`, ""},
	{"{ }", `{ ls; date; }`, ""},
	{"if", `if ls; then date; else make; fi`, ""},
	{"for in", `for f in a b; do echo "$f"; done`, ""},
	{"while", `while ls; do break; done`, ""},
	{"until", `until ls; do break; done`, ""},
	{"comment", "ls # all", ""},
	{"backslash at the end of a line, behind a blank", "ls \\\n  src", ""},
	{"< FILE", `sort < notes`, ""},
	{"> FILE", `ls > notes`, ""},
	{">> FILE", `ls >> notes`, ""},
	{">| FILE", `ls >| notes`, ""},
	{"<> FILE", `sort <> notes`, ""},
	{"2> FILE", `ls 2> notes`, ""},
	{"2>&1", `ls 2>&1`, ""},
	{"2>&-", `ls 2>&-`, ""},
	{"<<'END'", "cat <<'END'\nit's $5\nEND", ""},
	{"<<END without a backslash or ` in its text", "cat <<END\n$HOME\nEND", ""},
}

// refused names a construct that is off the list.
type refused int

const (
	rExpansion refused = iota
	rParam
	rDollar
	rArithmetic
	rLet
	rTest
	rAnsi
	rLocale
	rProcess
	rReadFile
	rSubst
	rBackquote
	rHereString
	rHere
	rRedirectAll
	rRedirect
	rRedirectAlone
	rPipeAll
	rBackground
	rArray
	rAppend
	rAssign
	rCase
	rFunction
	rCoproc
	rSelect
	rLoop
	rTime
	rExtGlob
	rBracket
	rStars
	rBrace
	rEquals
	rTilde
	rNumberGlob
	rBang
	rSign
	rReserved
	rContinued
	rComment
	rControl
	rDecl
)

var refusedList = [...]Construct{
	rExpansion: {"an operator in ${ }", `echo ${x:-y}`, "write $NAME, and what it should be as a word"},
	rParam: {"a variable other than $NAME ${NAME} $? $$ $@ $1, or one with [ or :letter behind it",
		`echo $x[1]`, "write ${NAME}, and what follows in quotes"},
	rDollar:     {"a $ that no name follows", `echo "$%"`, "put it into single quotes"},
	rArithmetic: {"arithmetic: $(( )), $[ ], (( ))", `echo $((1+2))`, "write the number, or use expr"},
	rLet:        {"let", `let x=1`, "write the number, or use expr"},
	rTest:       {"[[ ]]", `[[ -f x ]]`, "use [ ]"},
	rAnsi:       {"$'..'", `echo $'\t'`, "use printf"},
	rLocale:     {`$".."`, `echo $"x"`, `leave the $ out`},
	rProcess:    {"a process substitution, <( ) or >( )", `cat <(ls)`, "use a pipe or a file"},
	rReadFile:   {"$(< FILE) or an empty $( )", `echo $(<x)`, "use $(cat FILE)"},
	rSubst:      {"${ command; }", `echo ${ ls; }`, "use $(command)"},
	rBackquote: {"backquotes that hold a backslash, a double quote or a here-document",
		"echo `echo \\$x`", "use $( )"},
	rHereString: {"<<<", `cat <<<x`, "use a here-document or a pipe"},
	rHere: {"a here-document with another end than one plain word on a line of its own, with <<-, with a " +
		"backslash or backquote in its text, or in a $( ) with more than its one command",
		"cat <<-E\nx\nE", "write <<'END', the text, and END on a line of its own"},
	rRedirectAll: {"&> or >& to a file", `ls &>x`, "write > FILE 2>&1"},
	rRedirect: {"a redirection with two digits, with {fd}, or to other than one plain word",
		`ls 10>x`, "redirect 0 to 9, to one plain file name"},
	rRedirectAlone: {"a redirection without a command", `> x`, "write : > FILE"},
	rPipeAll:       {"|&", `ls |& wc`, "write 2>&1 |"},
	rBackground:    {"&! or &|", `ls &! date`, "write & and a newline"},
	rArray:         {"an array or an index", `a=(1 2)`, "use plain words"},
	rAppend:        {"+=", `a+=b`, "write the whole value"},
	rAssign:        {"an assignment to a variable that a shell itself uses", `PATH=/x`, "choose another name"},
	rCase:          {"case", `case x in x) ls;; esac`, "use if and [ ]"},
	rFunction:      {"a function", `f() { ls; }`, "write the commands out"},
	rCoproc:        {"coproc", `coproc ls`, "use &"},
	rSelect:        {"select", `select x in a; do ls; done`, "name the one that is meant"},
	rLoop: {"a for loop other than for NAME in WORDS; do",
		`for ((;;)); do ls; done`, "write for NAME in WORDS; do"},
	rTime:    {"time", `time ls`, "leave it out"},
	rExtGlob: {"a pattern like @(a|b)", `ls @(a|b)`, "write the names out"},
	rBracket: {"a [ ] in a pattern with other than letters, digits, . _ and -, or one that never closes",
		`ls [^a]`, "quote the [, or write [!..] and [a-z]"},
	rStars: {"** inside a name, put together from parts, or beside two slashes or a part that may be empty",
		`ls a**`, "write * inside a name, and one slash behind **"},
	rBrace: {"braces with a variable, a quote, a pattern or braces inside, or a lone brace",
		`cat {$x,y}`, "write the words out"},
	rEquals: {"a word that begins with =", `[ a == b ]`, "write = alone, or quote the word"},
	rTilde: {"a ~ with a name, a number or a sign behind it, or inside a word",
		`ls ~root`, "write the folder out"},
	rNumberGlob: {"<1-5> and the like", `ls a<1-5>b`, "put blanks around < and >"},
	rBang:       {"a ! that begins a command or the name of a file", `!ls`, "write a blank behind it, or quote it"},
	rSign:       {"a + or - that begins a command", `-x ls`, "quote it: a shell takes it for an option of its own"},
	rReserved:   {"a word that means something else to some shell", `repeat 3 ls`, "use another command"},
	rContinued: {"a line that goes on in the middle of a word, or behind a comment",
		"ec\\\nho x", "end the line between words"},
	rComment: {"a comment inside $( ) or behind other than a blank", "echo $(ls # x\n)", "leave the comment out"},
	rControl: {"a control character, or a byte that is not UTF-8", "ls \x01", "write plain text"},
	rDecl:    {"a declaration that is not NAME or NAME=value", `export $x`, "write NAME=value"},
}

// Unreadable is the error of a line that is not in the plain language.
type Unreadable struct {
	Construct Construct
	Line, Col int    // in bytes, from 1
	Found     string // what stands there
}

// Error names the construct, where it stands, and the plain way to write it.
func (u *Unreadable) Error() string {
	return fmt.Sprintf("%d:%d: found %q; %s is not read: %s",
		u.Line, u.Col, u.Found, u.Construct.Name, u.Construct.Instead)
}

// maxFound bounds what an error quotes of a line.
const maxFound = 24

// off is the error for a construct at pos.
func (p *plain) off(r refused, pos syntax.Pos) error {
	found := p.src[min(int(pos.Offset()), len(p.src)):]
	if len(found) > maxFound {
		found = found[:maxFound]
	}
	return &Unreadable{refusedList[r], int(pos.Line()), int(pos.Col()), found}
}
