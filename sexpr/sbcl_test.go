package sexpr

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/oracle"
)

// sbcl is one SBCL process that reads what it is sent; testdata/oracle.lisp is
// its program.
type sbcl struct {
	in  io.WriteCloser
	out *bufio.Reader
}

// startSBCL starts the judge, or skips the test where there is none.
func startSBCL(t testing.TB) *sbcl {
	cmd := exec.Command(oracle.Find(t, "sbcl"), "--script", "testdata/oracle.lisp")
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		assert.NoError(t, in.Close())
		assert.NoError(t, cmd.Wait())
	})
	return &sbcl{in, bufio.NewReader(out)}
}

// judge returns what each text reads as, in the form of [dump], or "E".
func (s *sbcl) judge(t testing.TB, texts []string) []string {
	sent := make(chan error, 1)
	go func() {
		w := bufio.NewWriter(s.in)
		for _, text := range texts {
			fmt.Fprintf(w, "?%x\n", text)
		}
		sent <- w.Flush()
	}()
	answers := make([]string, len(texts))
	for i := range texts {
		line, err := s.out.ReadString('\n')
		require.NoError(t, err, "sbcl died of %q", texts[i])
		answers[i] = strings.TrimSpace(line)
	}
	require.NoError(t, <-sent)
	return answers
}

// dump writes a value as oracle.lisp does.
func dump(v Value) string {
	switch v.Kind() {
	case Keyword:
		return "k" + hex.EncodeToString([]byte(v.Text()))
	case Symbol:
		return "s" + hex.EncodeToString([]byte(v.Text()))
	case String:
		return `"` + hex.EncodeToString([]byte(v.Text()))
	case Int:
		return "i" + strconv.FormatInt(v.Int(), 10)
	case Float:
		return fmt.Sprintf("d%016X", math.Float64bits(v.Float()))
	}
	var b strings.Builder
	b.WriteByte('(')
	for _, item := range v.Items() {
		b.WriteString(dump(item) + " ")
	}
	return b.String() + ")"
}

// explain names the difference of docs/language.md that a refusal of ours is an
// instance of, or "".
func explain(e *Error) string {
	for _, c := range []struct{ expected, found, id string }{
		{"data only; #", "", "sharp"},
		{"data only; quote", "", "quote"},
		{"data only; backquote", "", "backquote"},
		{"lists in ( )", "", "brackets"},
		{"a plist such as", "", "braces"},
		{"in bars if it needs escapes", "", "backslash"},
		{"no dotted pairs", "", "dotted"},
		{"a number such as", "", "number"},
		{"at most 64 bits", "", "integer"},
		{"64 bits can hold", "", "underflow"},
		{"in bars if it holds a colon", "", "colons"},
		{"ASCII outside strings", "", "ascii"},
		{"typographic", "", "ascii"},
		{"a plain ", "", "ascii"},
		{"a datum", "U+", "control"},
		{"without it", "", "nul"},
		{"escapes", "", "escape"},
		{`one of \"`, "", "escape"},
		{`\u{h}`, "", "escape"},
		{`a character; surrogates`, "", "escape"},
		{"at most", "", "limits"},
	} {
		if strings.Contains(e.Expected, c.expected) && strings.Contains(e.Found, c.found) {
			return c.id
		}
	}
	return ""
}

// plainEscapes writes a text that we accept without the escapes that Common Lisp
// does not have: the characters themselves stand there instead.
func plainEscapes(src string) string {
	var b strings.Builder
	for off := 0; off < len(src); {
		switch c := src[off]; {
		case c == ';' || c == '#':
			end, _ := skipBlanks(src, off)
			b.WriteString(src[off:end])
			off = end
		case c == '"' || c == '|':
			end := endOfText(src, off+1, c)
			text, _ := decode(src[off+1 : end])
			text = strings.NewReplacer(`\`, `\\`, string(c), `\`+string(c)).Replace(text)
			b.WriteString(string(c) + text + string(c))
			off = end + 1
		default:
			b.WriteByte(c)
			off++
		}
	}
	return b.String()
}

// soup generates texts that are nearly right.
type soup struct{ *rand.Rand }

// soupTokens lean towards the borders of the notation.
var soupTokens = strings.Fields(`( ( ( ( ) ) ) ) ( ) :a :B :tool :|userId| :|| :9 a B nil NIL t T {} || |A| |a\|b| a|B|c = /= <= + - * . .. -. .a -a 1+
 0 1 -1 +1 007 12 12abc 1. .5 -.5 +.5 1.5 1.e5 1e5 1E5 1e 1e+ 1e-5 1d0 1f0 1/2 0x1F 1e308 1e309 1e-320 1e-400 5e-324 0.1 123456789.125 9223372036854775807 9223372036854775808 -9223372036854775808
 "" "a" "\n" "\q" "\"" "\\" "\u{41}" "\u0041" "\ud83d\ude00" "\ud83d" "é" "😀" "a;b" "#|" é :|é| “a” “ ' ' ; ;c # #| |# #||# #|x|# #( #. #' #\\a #1= ` + "` , ,@ [ ] { } {a} \\ a\\b : :: ::a a:b a: :a: a#b #")

func (s soup) text() string {
	var b strings.Builder
	for range 1 + s.IntN(8) {
		b.WriteString(soupTokens[s.IntN(len(soupTokens))])
		b.WriteString([]string{"", " ", " ", " ", "\n", "\t"}[s.IntN(6)])
	}
	text := b.String()
	if s.IntN(2) == 0 {
		text = "(" + text + ")"
	}
	return text
}

// value generates a value to print.
func (s soup) value(depth int) Value {
	switch n := s.IntN(9); {
	case n < 2 && depth > 0:
		var items []Value
		for range s.IntN(5) {
			items = append(items, s.value(depth-1))
		}
		return ListOf(items...)
	case n < 4 && depth > 0:
		var kv []Value
		for i := range 1 + s.IntN(4) {
			kv = append(kv, Key(s.name()+strconv.Itoa(i)), s.value(depth-1))
		}
		return ListOf(kv...)
	case n == 4:
		return Sym(s.name())
	case n == 5:
		return Key(s.name())
	case n == 6:
		return Int64(int64(s.Uint64()) >> s.IntN(64))
	case n == 7:
		for {
			if f := math.Float64frombits(s.Uint64()); !math.IsNaN(f) && !math.IsInf(f, 0) {
				return Float64([]float64{f, math.Trunc(f), float64(s.IntN(2000)-1000) / 8}[s.IntN(3)])
			}
		}
	}
	return Str(s.name() + s.name())
}

func (s soup) name() string {
	const runes = "abcdefgxyzABZ0159-_.:|\"\\ /+*?!#'`,;()[]{}\n\t\x01\x7féß😀\u2028e1"
	all := []rune(runes)
	name := ""
	for range s.IntN(6) {
		name += string(all[min(s.IntN(len(all)), s.IntN(len(all)))])
	}
	return name
}

// mutate changes a few characters of a text.
func (s soup) mutate(text string) string {
	const marks = "()\"|\\;#':.- 1aA\n"
	b := []byte(text)
	for range 1 + s.IntN(3) {
		if len(b) == 0 {
			break
		}
		at, mark := s.IntN(len(b)), marks[s.IntN(len(marks))]
		switch s.IntN(3) {
		case 0:
			b = append(b[:at], b[at+1:]...)
		case 1:
			b = append(b[:at], append([]byte{mark}, b[at:]...)...)
		default:
			b[at] = mark
		}
	}
	return strings.ToValidUTF8(string(b), "")
}

// sbclForms is how many forms are compared: a few, or as many as the variable
// CORTEX_SBCL_FORMS says.
func sbclForms(t *testing.T) int {
	s := os.Getenv("CORTEX_SBCL_FORMS")
	if s == "" {
		return 6000
	}
	n, err := strconv.Atoi(s)
	require.NoError(t, err, "CORTEX_SBCL_FORMS")
	return n
}

// SBCL accepts and refuses what we do, reads the same values, and reads back
// what we print, but for the differences that docs/language.md lists.
func TestSBCLAgrees(t *testing.T) {
	judge := startSBCL(t)
	listed := map[string]bool{}
	for _, d := range listedDifferences(t) {
		listed[d.id] = true
	}
	s := soup{rand.New(rand.NewPCG(1, 2))}
	seen := map[string]int{}
	for left := sbclForms(t); left > 0; left -= 3000 {
		var texts []string
		for i := range min(left, 3000) {
			switch i % 3 {
			case 0:
				texts = append(texts, s.text())
			case 1:
				texts = append(texts, s.value(4).String())
			default:
				texts = append(texts, s.mutate(s.value(2).String()))
			}
		}
		compare(t, judge, texts, seen, listed)
		if t.Failed() {
			break
		}
	}
	t.Logf("agreed or differed as listed: %v", seen)
	assert.NotZero(t, seen["both read"])
	assert.NotZero(t, seen["both refuse"])
}

// compare holds our reading of each text against SBCL's.
func compare(t *testing.T, judge *sbcl, texts []string, seen map[string]int, listed map[string]bool) {
	var again []string // texts that read, without the escapes that only we have
	var want []string
	for i, theirs := range judge.judge(t, texts) {
		text := texts[i]
		v, err := Read("", text)
		switch {
		case err == nil && theirs == "E":
			t.Errorf("we read %q as %s, SBCL refuses it", text, v)
		case err == nil && theirs == dump(v):
			seen["both read"]++
		case err == nil && denormals.ReplaceAllString(dump(v), "d") == denormals.ReplaceAllString(theirs, "d"):
			seen["denormal"]++
		case err == nil:
			if plain := plainEscapes(text); plain != text {
				again, want = append(again, plain), append(want, dump(v))
				continue
			}
			t.Errorf("we read %q as %s, SBCL as %s", text, dump(v), theirs)
		case theirs == "E":
			seen["both refuse"]++
		default:
			id := explain(asError(err))
			if seen[id]++; !listed[id] {
				t.Errorf("SBCL reads %q as %s, we refuse it: %v (%s)", text, theirs, err, id)
			}
		}
	}
	for i, theirs := range judge.judge(t, again) {
		if seen["escape"]++; denormals.ReplaceAllString(theirs, "d") != denormals.ReplaceAllString(want[i], "d") {
			t.Errorf("with the characters themselves for escapes, SBCL reads %q as %s, not %s", again[i], theirs, want[i])
		}
	}
}

// difference is a row of the table in docs/language.md.
type difference struct{ id, example, here, there string }

// denormals are the smallest floats in a dump.
var denormals = regexp.MustCompile(`d[08]00[0-9A-F]{13}`)

// listedDifferences reads the table.
func listedDifferences(t *testing.T) []difference {
	doc, err := os.ReadFile("../docs/language.md")
	require.NoError(t, err)
	_, section, ok := strings.Cut(string(doc), "\n### Differences from Common Lisp\n")
	require.True(t, ok, "docs/language.md has no section on differences")
	section, _, _ = strings.Cut(section, "\n#")
	row := regexp.MustCompile("(?m)^\\| ([a-z]+) \\| (?:`` (.+?) ``|`(.+?)`) \\| (?:`` (.+?) ``|`(.+?)`|(error)) \\| " +
		"(?:`` (.+?) ``|`(.+?)`|(error|other)) \\|.*\\|$")
	var all []difference
	for _, m := range row.FindAllStringSubmatch(section, -1) {
		cell := func(s string) string {
			return strings.NewReplacer(`\|`, `|`, "␀", "\x00", "␁", "\x01", "⋯",
				strings.Repeat("(", 64)+strings.Repeat(")", 64)).Replace(s)
		}
		all = append(all, difference{m[1], cell(m[2] + m[3]), cell(m[4] + m[5] + m[6]), cell(m[7] + m[8] + m[9])})
	}
	rows := strings.Count(section, "\n| ") - 1 // the head
	require.Len(t, all, rows, "a row of the table is not as it should be")
	return all
}

// Every listed difference is a difference, exactly as it is written down.
func TestListedDifferences(t *testing.T) {
	judge := startSBCL(t)
	ids := map[string]bool{}
	for _, d := range listedDifferences(t) {
		ids[d.id] = true
		v, err := Read("", d.example)
		if d.here == "error" {
			assert.Error(t, err, "%s: %s", d.id, d.example)
		} else if assert.NoError(t, err, "%s: %s", d.id, d.example) {
			assert.Equal(t, d.here, v.String(), d.id)
		}
		theirs := judge.judge(t, []string{d.example})[0]
		switch d.there {
		case "error":
			assert.Equal(t, "E", theirs, "%s: %s", d.id, d.example)
		case "other":
			assert.NotEqual(t, "E", theirs, "%s: %s", d.id, d.example)
		default:
			want, err := Read("", d.there)
			require.NoError(t, err, d.id)
			assert.Equal(t, dump(want), theirs, "%s: %s", d.id, d.example)
			assert.NotEqual(t, d.here, d.there, "%s is not a difference", d.id)
		}
	}
	for _, c := range refusals {
		_, err := Read("", c.text)
		if id := explain(asError(err)); id != "" && !c.incomplete {
			assert.True(t, ids[id], "%q: difference %q is not listed", c.text, id)
		}
	}
}

// SBCL's own speed, with its own clock kept out of it: the pipe carries two
// lines.
func BenchmarkSBCL(b *testing.B) {
	judge := startSBCL(b)
	v, err := Read("", proposal1K)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct{ name, command, text string }{{"Read", "r", proposal1K}, {"Print", "p", v.String()}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			fmt.Fprintf(judge.in, "%s %d %x\n", c.command, b.N, c.text)
			line, err := judge.out.ReadString('\n')
			if err != nil || line != "ok\n" {
				b.Fatal(line, err)
			}
		})
	}
}
