package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/oracle"
)

// callRules let every tool run but one.
const callRules = `(defskill most :trigger t
  :gate ((deny drop :when (= action.tool "drop") :reason "no") (allow rest :when t)))`

// value writes a value in arguments.
func (g *shapes) value(n, depth int) string {
	switch g.IntN(12) {
	case 0:
		return g.pick("0", "-0", "1.0", "1.50", "1e3", "1E-2", "-7", "9007199254740991",
			"123456789012345678901234567890", "1e300",
			"0.1000000000000000055", "-0.0")
	case 1:
		return g.pick("true", "false", "null", "[]", "{}", `""`)
	case 2:
		if depth < 4 {
			return g.object(g.member("a", g.value(n, depth+1)), g.member(g.pick("A", "a", "b", "Content"),
				g.value(n, depth+1)))
		}
	case 3:
		if depth < 4 {
			return "[" + g.blank() + g.value(n, depth+1) + "," + g.value(n, depth+1) + g.blank() + "]"
		}
	}
	return g.text(n)
}

// call writes a tools/call with some id, as no client would.
func (g *shapes) call(n int, tool string) string {
	params := []string{g.member("name", g.quoted(tool)), g.member("arguments", g.object(fmt.Sprintf(`"n":%d`, n),
		g.member("x", g.value(n, 0))))}
	smuggled := `"drop"`
	switch g.IntN(24) {
	case 0:
		params = append(params, g.member("name", smuggled))
	case 1:
		params = append(params, g.member(g.pick("Name", "NAME"), smuggled))
	case 2:
		params = append(params, g.member(g.pick("arguments", "Arguments", "argument\u017f"), `{"n":-1}`))
	case 3:
		params = append(params, `"_meta":`+g.object(g.member("progressToken", g.pick("1", `"x"`, `"a\rb"`))))
	case 4:
		params = append(params, g.member("unknown", g.text(n)))
	}
	id := strconv.Itoa(n)
	if g.one(3) {
		id = g.pick(`"`+id+`"`, id+".0", id+"e0", `" `+id+`"`, `"a\r\n`+id+`"`, "null", "true", "{}", "[1]", `"`+id+
			`,\"method\":\"tools/call\""`, "-"+id, g.text(n))
	}
	m := []string{`"jsonrpc":"2.0"`, g.member("id", id), g.member("method", g.quoted("tools/call")),
		g.member("params", g.object(params...))}
	switch g.IntN(24) {
	case 0:
		m = append(m, g.member("method", `"ping"`))
	case 1:
		m = append(m, g.member(g.pick("Method", "METHOD"), `"ping"`))
	case 2:
		m[2] = g.member("method", g.pick(`"Tools/Call"`, `" tools/call"`, `"tools\/call"`, `"tools/call\u0000"`))
	case 3:
		m = append(m, g.member("params", `{"name":"drop","arguments":{"n":-1}}`))
	case 4:
		m[0] = g.pick(`"jsonrpc":"1.0"`, `"JSONRPC":"2.0"`, `"x":1`)
	case 5:
		m = append(m, g.member("result", "{}"))
	case 6:
		m = append(m[:1], m[2:]...)
	}
	return g.object(m...)
}

// line is what a client writes on its own: mostly one message, and what may be read as more.
func (g *shapes) line(n int) string {
	drop := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"drop",`+
		`"arguments":{"n":%d}}}`, -n, n)
	s := g.call(n, g.pick("probe", "probe", "probe", "drop", "pr\u00f6be", "probe\r", "dr\u200bop"))
	end := g.pick("\r", "\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x00")
	switch g.IntN(24) {
	case 0: // white space of JSON that ends a line for some readers
		return `{"jsonrpc":"2.0","id":` + strconv.Itoa(n) + `,` + end + drop + end + `"method":"ping"}`
	case 1:
		return `{"jsonrpc":"2.0","id":` + strconv.Itoa(n) + `,"method":"ping","params":{"x":` + end + drop + end + `}}`
	case 2:
		return `{"jsonrpc":"2.0","id":` + strconv.Itoa(n) + `,"method":"ping","params":{"x":"` + end +
			strings.ReplaceAll(drop, `"`, `\"`) + end + `"}}`
	case 3:
		return s + end + drop
	case 4:
		return "[" + s + "," + drop + "]"
	case 5:
		return mark + s
	case 6:
		return s[:g.IntN(len(s))]
	case 7:
		return s + " " + s
	case 8: // an answer to nothing, with a call in its id
		return g.object(`"jsonrpc":"2.0"`, g.member("id", g.quoted(`fs__7,"method":"tools/call","params":`+drop)),
			`"result":{}`)
	case 9:
		return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + g.pick("1", `"1"`,
			drop) + `}}`
	case 10:
		return strings.Replace(s, ">", g.pick("\xff", "\xed\xa0\x80", "\r", "\t"), 1)
	case 11:
		return `{"jsonrpc":"2.0","id":` + g.quoted("p"+strconv.Itoa(n)) + `,"method":` + g.quoted(g.pick("ping",
			"x/"+end+drop)) +
			`,"params":` + drop + `}`
	}
	return s
}

// canonical writes a value so that equal values are equal: numbers by value, as far as a float has it.
func canonical(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	var v any
	require.NoError(t, d.Decode(&v), "%s", raw)
	out, err := json.Marshal(exactly(v))
	require.NoError(t, err)
	return string(out)
}

func exactly(v any) any {
	switch v := v.(type) {
	case json.Number:
		if whole, ok := new(big.Int).SetString(string(v), 10); ok {
			return "#" + whole.String()
		}
		f, _ := strconv.ParseFloat(string(v), 64)
		if whole, exact := big.NewFloat(f).Int(nil); exact == big.Exact {
			return "#" + whole.String()
		}
		return "#" + strconv.FormatFloat(f, 'g', -1, 64)
	case []any:
		for i := range v {
			v[i] = exactly(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = exactly(v[k])
		}
	}
	return nothing(v)
}

// noted are the calls that the reader in Python has read, and how often; a line without JSON is one of them.
func noted(t *testing.T, file string) map[string]int {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	all := map[string]int{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var in struct {
			Tool any
			Args json.RawMessage
			Line string
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &in))
		if in.Args == nil {
			all["no JSON: "+in.Line]++
			continue
		}
		all[fmt.Sprint(nothing(in.Tool))+" "+canonical(t, in.Args)]++
	}
	return all
}

// writeLines has a program read lines on standard input, and waits until it has ended.
func writeLines(t *testing.T, lines []string, program ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program[0], program[1:]...)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	errs := &strings.Builder{}
	cmd.Stderr = errs
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	heard := make(chan int)
	go func() {
		n := 0
		for s := bufio.NewReader(out); ; n++ {
			if _, err := s.ReadString('\n'); err != nil {
				heard <- n
				return
			}
		}
	}()
	for _, line := range lines {
		_, err := in.Write([]byte(line + "\n"))
		require.NoError(t, err, "%s", errs)
	}
	require.NoError(t, in.Close())
	<-heard
	require.NoError(t, cmd.Wait(), "%s", errs)
}

// unrecorded are the calls that were read more often than the record allows them, and those that it allows and that
// were not read.
func unrecorded(read, allowed map[string]int) (all []string) {
	for call, n := range read {
		if n > allowed[call] {
			all = append(all, "read and not allowed: "+call)
		}
	}
	for call, n := range allowed {
		if n > read[call] {
			all = append(all, "allowed and not read: "+call)
		}
	}
	sort.Strings(all)
	return all
}

// judgeCalls writes lines to a reader behind the proxy, and to one without it. It returns how many calls were read
// behind it, and by how much each differs from what the record allows.
func judgeCalls(t *testing.T, count int) (read int, behind, bare []string) {
	t.Helper()
	python := oracle.Find(t, "python3")
	seed, err := strconv.Atoi(seedOfJudges())
	require.NoError(t, err)
	lines := []string{`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25",` +
		`"capabilities":{},"clientInfo":{"name":"j","version":"1"}}}`}
	for n := range count {
		lines = append(lines, newShapes(seed+1, n, " \t\r").line(n+1))
	}
	at := t.TempDir()
	rules, dir := filepath.Join(at, "r.lisp"), filepath.Join(at, "record")
	require.NoError(t, os.WriteFile(rules, []byte(callRules), 0o600))
	reader, err := filepath.Abs("testdata/mcp/reader.py")
	require.NoError(t, err)
	writeLines(t, lines, judged(t), "mcp", "--standalone", "--no-guard", "--rules", rules, "--dir", dir, "--",
		python, reader,
		filepath.Join(at, "behind"))
	writeLines(t, lines, python, reader, filepath.Join(at, "bare"))
	allowed := map[string]int{}
	args, tools, outcomes := entries(t, dir)
	for decision, raw := range args {
		if outcomes[decision].State != "nothing" {
			allowed[fmt.Sprint(nothing(tools[decision]))+" "+canonical(t, raw)]++
		}
	}
	calls := noted(t, filepath.Join(at, "behind"))
	return len(calls), unrecorded(calls, allowed), unrecorded(noted(t, filepath.Join(at, "bare")), allowed)
}

// What a server reads that takes a CR for the end of a line is what was allowed, and nothing else. Without the proxy
// it reads more from the same lines, which the judge has to see.
func TestMCPCallsAreTheRecord(t *testing.T) {
	read, behind, bare := judgeCalls(t, 200)
	require.Empty(t, behind)
	require.Greater(t, read, 40)
	require.Greater(t, len(bare), 10, "a relay of bytes is found out")
}

// The same with as many lines as judgedCalls has.
func TestMCPJudgesCalls(t *testing.T) {
	mcpTools(t)
	started := time.Now()
	read, behind, bare := judgeCalls(t, judgedCalls(t))
	t.Logf("RESULT calls: %d were read, %d differ; without the proxy %d, in %s", read, len(behind), len(bare),
		time.Since(started).Round(time.Second))
	require.Empty(t, behind)
}
