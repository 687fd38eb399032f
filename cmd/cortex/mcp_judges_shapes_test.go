package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// shapes makes answers to calls, as odd as a server could send them. One seed makes the same ones.
type shapes struct {
	*rand.Rand
	blanks string // what may stand between the tokens of JSON
}

// shape is what a server sends for one call.
type shape struct {
	raw  string
	sure bool // it shows whose answer it is, so something has to reach the client for it
	big  bool // more than a record holds
}

// newShapes returns what answers the call n.
func newShapes(seed, n int, blanks string) *shapes {
	return &shapes{rand.New(rand.NewPCG(uint64(seed), uint64(n))), blanks} //nolint:gosec // a seed makes it again
}

func (g *shapes) one(in int) bool { return g.IntN(in) == 0 }

func (g *shapes) pick(all ...string) string { return all[g.IntN(len(all))] }

// blank is white space of JSON, mostly none.
func (g *shapes) blank() string {
	out := ""
	for g.one(4) {
		out += string(g.blanks[g.IntN(len(g.blanks))])
	}
	return out
}

// quoted writes a string of JSON, with escapes where none are due.
func (g *shapes) quoted(s string) string {
	out := `"`
	for _, r := range s {
		switch {
		case r < 0x20 || r == '"' || r == '\\' || r < 0x10000 && g.one(12):
			out += fmt.Sprintf(`\u%04x`, r)
		case r == '/' && g.one(2):
			out += `\/`
		default:
			out += string(r)
		}
	}
	return out + `"`
}

// text writes a string of JSON that no other message has.
func (g *shapes) text(n int) string {
	out := strings.TrimSuffix(g.quoted(fmt.Sprintf("<%d.%d>", n, g.IntN(1e9))), `"`)
	for range g.IntN(4) {
		if g.one(3) {
			out += g.pick(`\ud800`, `\udc00x`, `\ud83d\ude00`, `\ud83d`, `\u0000`, `\u2028`, `\ufeff`, `\r\n`,
				`\u000a`, `\u0085`)
			continue
		}
		out += strings.Trim(g.quoted(g.pick("é/è", "\u2028", "\u2029", "\u0085", "\uFEFF", "😀", "\r\n\n",
			"\x7f\x1b[2J", "\x1c",
			"data: x\n\nevent: y\n", `{"jsonrpc":"2.0","id":1,"result":{}}`, "\u200b\u202e", "K", "a\tb",
			"\uFFFD")), `"`)
	}
	return out + `"`
}

// object writes members.
func (g *shapes) object(members ...string) string {
	if g.one(3) {
		g.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	}
	for i, m := range members {
		members[i] = g.blank() + m + g.blank()
	}
	return "{" + strings.Join(members, ",") + "}"
}

func (g *shapes) member(key, value string) string {
	if g.one(30) {
		key = g.quoted(key)
	} else {
		key = `"` + key + `"`
	}
	return key + g.blank() + ":" + g.blank() + value
}

// block writes a block of content.
func (g *shapes) block(n int) string {
	m := []string{`"type":"text"`, g.member("text", g.text(n))}
	switch g.IntN(30) {
	case 0:
		m = append(m, g.member("text", g.text(n)))
	case 1:
		m = append(m, g.member("Text", g.text(n)))
	case 2:
		m = append(m, `"annotations":`+g.object(`"priority":0.50`))
	case 3:
		m = append(m, `"TYPE":"image"`)
	case 4:
		m = append(m, `"_meta":`+g.object(g.member("x", g.text(n))))
	case 5:
		m = append(m, g.member("unknown", g.text(n)))
	case 6:
		m[1] = g.member("text", g.pick(`"{\"a\":1}"`, `"[1,2.50]"`, `"12345678901234567890"`, `"{\"a\":1,\"a\":2}"`,
			`""`, `"null"`,
			`"false"`, `" 7 "`, `"1e400"`, `"\"x\""`))
	case 7:
		return g.object(`"type":"resource"`, `"resource":`+g.object(`"uri":"x:y"`, g.member("text", g.text(n))))
	}
	return g.object(m...)
}

// result writes a result.
func (g *shapes) result(n int) string {
	blocks := []string{g.block(n)}
	for g.one(4) {
		blocks = append(blocks, g.block(n))
	}
	m := []string{g.member("content", "["+g.blank()+strings.Join(blocks, ",")+g.blank()+"]")}
	switch g.IntN(24) {
	case 0:
		m = append(m, g.member(g.pick("Content", "CONTENT", "content", "conten\u017f"), "["+g.block(n)+"]"))
	case 1:
		m = append(m, g.member("structuredContent", g.object(g.member("a", g.text(n)), `"N":1.0`,
			`"n":123456789012345`)))
	case 2:
		m = append(m, g.member("structuredContent", g.object(g.member("a", g.text(n)), `"a":2`)))
	case 3:
		m = append(m, `"isError":true`)
	case 4:
		m = append(m, g.member(g.pick("IsError", "isError", "\u0131sError"), "true"), `"isError":false`)
	case 5:
		m = append(m, g.member("more", g.text(n)))
	case 6:
		m[0] = g.member("content", g.text(n))
	case 7:
		m = []string{g.member("more", g.text(n))}
	case 8:
		m = append(m, `"_meta":`+g.object(g.member("x", g.text(n))))
	case 9:
		m = append(m, `"deep":`+strings.Repeat("[", 100)+strings.Repeat("]", 100))
	case 10:
		m = append(m, g.member("big", g.pick("12345678901234567890", "1e-7", "-0", "-0.0", "1E5",
			"0.1000000000000000055")))
	}
	return g.object(m...)
}

// id writes the id of an answer to a request with the number id, and says whether clients take it for that.
func (g *shapes) id(id int, open []int) (string, bool) {
	d := strconv.Itoa(id)
	if !g.one(3) {
		return d, true
	}
	switch g.IntN(8) {
	case 0:
		if len(open) > 0 {
			other := strconv.Itoa(open[g.IntN(len(open))])
			return g.pick(other, `"`+other+`"`, `" `+other+`"`), false
		}
		return "null", false
	case 1:
		return g.pick("null", "true", "[1]", "{}", `"abc"`, "999999999", `"0x"`, d+".5", `""`, "-1", `"`+d+`n"`), false
	case 2, 3:
		arabic := strings.Map(func(r rune) rune { return r - '0' + '\u0660' }, d)
		wide := strings.Map(func(r rune) rune { return r - '0' + '\uff10' }, d)
		return g.quoted(g.pick(arabic, wide, "\x1c"+d, d+"\x1f", "\u00a0"+d, "\ufeff"+d, "\u2003"+d+"\u2028",
			"\u0085"+d)), false
	case 4:
		return g.quoted(g.pick(fmt.Sprintf("%#x", id), fmt.Sprintf("0X%X", id), fmt.Sprintf("0b%b", id),
			fmt.Sprintf("0o%o", id))), true
	case 5:
		return g.pick(d+".0", d+"e0", d+"0e-1", d+".0E+0"), true
	}
	return g.quoted(g.pick(d, " "+d+" ", d+".0", "+"+d, "0"+d, d+"\n", "\t"+d, d+"e0", "00"+d, d+".")), true
}

// message writes one answer to the call n.
func (g *shapes) message(n, id int, open []int) (string, bool) {
	spelled, sure := g.id(id, open)
	m := []string{`"jsonrpc":"2.0"`, g.member("id", spelled)}
	fault := g.object(fmt.Sprintf(`"code":%d`, -31000-g.IntN(50)), g.member("message", g.text(n)))
	if g.one(10) {
		m = append(m, g.member("error", fault))
	} else {
		m = append(m, g.member("result", g.result(n)))
	}
	switch g.IntN(30) {
	case 0:
		m, sure = append(m, g.member("id", g.pick("0", strconv.Itoa(id), "null"))), false
	case 1:
		m = append(m, g.member(g.pick("ID", "Id"), strconv.Itoa(id)))
	case 2:
		m = append(m, g.member(g.pick("Result", "result", "re\u017fult"), g.result(n)))
	case 3:
		m = append(m, g.member("error", fault))
	case 4:
		m, sure = append(m, g.member(g.pick("method", "Method"), `"tools/call"`)), false
	case 5:
		m = append(m, g.member("unknown", g.text(n)))
	case 6:
		m[0] = g.pick(`"jsonrpc":"1.0"`, `"JsonRpc":"2.0"`)
		sure = false
	}
	return g.object(m...), sure
}

const mark = "\uFEFF" // of byte order

// shape makes what is sent for the call n, whose id is given; open are the ids of other calls.
func (g *shapes) shape(n, id int, open []int) shape {
	raw, sure := g.message(n, id, open)
	switch g.IntN(36) {
	case 0:
		raw = mark + raw
	case 1:
		raw = raw + "\r"
	case 2:
		raw = g.blank() + "\t" + raw + " "
	case 3:
		raw = "[" + raw + "]"
	case 4:
		raw = "[" + raw + "," + raw + "]"
	case 5:
		more, _ := g.message(n, id, open)
		raw += g.pick("", " ", "\r", "\u2028") + more
	case 6:
		raw, sure = "log: started "+raw, false
	case 7:
		raw, sure = raw[:g.IntN(len(raw))], false
	case 8:
		raw, sure = strings.Replace(raw, ">", g.pick("\xff", "\xc3(", "\xed\xa0\x80", "\x00", "\t", "\x1b"), 1), false
	case 9:
		raw, sure = strings.Replace(raw, "}", ",}", 1), false
	case 10:
		raw, sure = mark+mark+raw, false
	}
	if n%500 == 250 {
		text := strings.Repeat("0123456789abcdef", 300_000)
		return shape{fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text",`+
			`"text":"<%d.>%s"}]}}`, id, n, text),
			true, true}
	}
	return shape{raw: raw, sure: sure}
}

// plainly is an answer that has one reading.
func plainly(n, id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"<%d.last>"}]}}`, id, n)
}

// events writes a shape as events of a stream, and says whether a client takes it for a message.
func (g *shapes) events(s string) (string, bool) {
	end := g.pick("\n", "\n", "\r\n", "\r")
	out, heard := "", true
	if g.one(10) {
		out += mark
	}
	if g.one(6) {
		out += g.pick(":", ": a comment", "retry: 10", "retry:x", "unknown: x", "data", "event: ping"+end+"data:",
			"event") + end + end
	}
	switch g.IntN(12) {
	case 0:
		out, heard = out+"event: "+g.pick("other", "Message", "message ", "")+end, false
	case 1:
		out, heard = out+g.pick(mark+"data: {}", mark+"event: x", "Data: {}", "data : {}")+end, false
	case 2, 3, 4:
		out += "event: message" + end
	}
	if g.one(12) {
		out += "retry:" + g.pick("5", " 5", "x", "") + end
	}
	lead := g.pick("data: ", "data: ", "data:")
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s)
	for _, line := range strings.Split(s, "\n") {
		out += lead + line + end
		if g.one(20) {
			out += ": in between" + end
		}
	}
	return out + end, heard
}
