package teach

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/opencortex-go/cortex/sexpr"
)

func read(t require.TestingT, text string) sexpr.Value {
	v, err := sexpr.Reader{Code: true}.Read("t.lisp", text)
	require.NoError(t, err, text)
	return v
}

func TestPrefix(t *testing.T) {
	for text, want := range map[string]string{
		`(a > 5)`:                    `(> a 5)`,
		`(a and b and c)`:            `(and a b c)`,
		`(a or b and c)`:             `(or a (and b c))`,
		`(a = 1 and not b = 2)`:      `(and (= a 1) (not (= b 2)))`,
		`(not a and b)`:              `(and (not a) b)`,
		`(not a = b)`:                `(not (= a b))`,
		`(a - b - c)`:                `(- a b c)`,
		`(a + b * c > d)`:            `(> (+ a (* b c)) d)`,
		`((a + b) * c)`:              `(* (+ a b) c)`,
		`(f x and y)`:                "",
		`((f x) and y)`:              `(and (f x) y)`,
		`(a in ("x" "y") or b != c)`: `(or (in a ("x" "y")) (/= b c))`,
		`(> a 5)`:                    "",
		`(and a b)`:                  "",
		`(a b c)`:                    "",
		`(a >)`:                      "",
		`(a > > b)`:                  "",
		`(a and)`:                    "",
		`(a = b = c)`:                `(= (= a b) c)`,
		`(a || b && c)`:              `(or a (and b c))`,
		`(a contains "x")`:           `(contains? a "x")`,
	} {
		got, ok := Prefix(read(t, text).Items())
		assert.Equal(t, want != "", ok, text)
		if ok {
			assert.Equal(t, want, got.String(), text)
		}
	}
}

// TestPrefixUndoesInfix: a form that is written with its operators between the arguments,
// and brackets around each part, is found again.
func TestPrefixUndoesInfix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tree func(depth int) (prefix, infix string)
		tree = func(depth int) (string, string) {
			if depth == 0 || rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
				leaf := rapid.SampledFrom([]string{"a", "b.c", `"x"`, "5", "(f a)"}).Draw(t, "leaf")
				return leaf, leaf
			}
			op := rapid.SampledFrom([]string{"and", "or", "=", "<", "in", "+", "*"}).Draw(t, "op")
			p, i := tree(depth - 1)
			q, j := tree(depth - 1)
			if strings.HasPrefix(p, "("+op+" ") && op != "=" { // (a and b) and c is (and a b c) only without brackets
				p, i = "d", "d"
			}
			return fmt.Sprintf("(%s %s %s)", op, p, q), fmt.Sprintf("(%s %s %s)", i, op, j)
		}
		prefix, infix := tree(4)
		if !strings.HasPrefix(infix, "(") || infix == prefix {
			return
		}
		got, ok := Prefix(read(t, infix).Items())
		if !ok || got.String() != prefix {
			t.Fatalf("%s: found %s, expected %s", infix, got, prefix)
		}
	})
}

// layout draws a form as people indent it: what stands in a list stands on lines of its
// own, further right.
func layout(t *rapid.T, depth, indent int) string {
	pad := strings.Repeat(" ", indent)
	if depth == 0 || rapid.IntRange(0, 3).Draw(t, "word") == 0 {
		return pad + rapid.SampledFrom([]string{"word", `"a ) text ("`, "5", ":key", `"\" ("`, "|(|"}).Draw(t, "word")
	}
	out := pad + "(head"
	for range rapid.IntRange(0, 3).Draw(t, "children") {
		if rapid.IntRange(0, 6).Draw(t, "comment") == 0 {
			out += " ; a comment (("
		}
		out += "\n" + layout(t, depth-1, indent+2)
	}
	if strings.Contains(out[strings.LastIndexByte(out, '\n')+1:], ";") {
		out += "\n" + pad
	}
	return out + ")"
}

// TestUnclosedFindsTheLine: of a text that is indented well, and lacks one bracket at the
// end of a line, it names that line.
func TestUnclosedFindsTheLine(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		var lines []string
		for range rapid.IntRange(2, 4).Draw(t, "forms") {
			lines = append(lines, strings.Split("(top\n"+layout(t, 3, 2)+"\n"+layout(t, 3, 2)+")", "\n")...)
		}
		var ends []int // lines that end in a bracket which closes something
		for i, l := range lines[:len(lines)-1] {
			if strings.HasSuffix(l, ")") && !strings.Contains(l, ";") && strings.TrimLeft(l, " )") != "" {
				ends = append(ends, i)
			}
		}
		if len(ends) == 0 {
			return
		}
		i := rapid.SampledFrom(ends).Draw(t, "line")
		lines[i] = strings.TrimSuffix(lines[i], ")")
		text := strings.Join(lines, "\n")
		hint, at := Unclosed(text)
		if int(at.Line) != i+1 || !strings.Contains(hint, fmt.Sprintf("missing at the end of line %d", i+1)) {
			t.Fatalf("%s\nline %d lacks a bracket; found %s: %s", text, i+1, at, hint)
		}
		found++
	})
	assert.Positive(t, found)
}

func TestExtra(t *testing.T) {
	assert.Equal(t,
		"(a b at 1:1 is closed already, at 1:5, but line 2 is indented as a part of it; is a ) too many on line 1?",
		Extra("(a b)\n  c)"))
	assert.Equal(t, "(a b at 1:1 is closed already, at 1:5", Extra("(a b))"))
	assert.Equal(t, "it closes nothing", Extra(")"))
	assert.Equal(t, "(b at 3:1 is closed already, at 3:3", Extra("(a)\n  c\n(b))"))
}

func TestUnquoted(t *testing.T) {
	hint, _ := Unquoted("(a \"one\nline\" \"two)\n(b \"three\")\n(c \"four\")")
	assert.Equal(t, `the string that begins at 2:7 is never closed`, hint)
}

// What expr's parser says never reaches an author.
func TestTextHasNoWordsOfExprs(t *testing.T) {
	none := func(string) bool { return false }
	for _, says := range []string{
		`unexpected token EOF`, `unexpected token Operator("=")`, `unexpected token Identifier("is")`,
		`unexpected token String("a")`, `unexpected token Bracket(")")`, `unexpected token Number("5")`,
		`unexpected token Operator("#")`, `literal not terminated`, `expected at least 2 arguments`,
		`invalid hex literal: strconv.ParseInt: parsing "0x": invalid syntax`, `bad number syntax: "1x"`,
		`unrecognized character: U+0040 '@'`, `compilation failed: expression exceeds maximum allowed nodes`,
		`Operator (or) and coalesce expressions (??) cannot be mixed. Wrap either by parentheses.`, `something new`,
	} {
		got := Text(says, "a b", none)
		for _, word := range []string{"token", "EOF", "Operator", "Identifier", "Bracket", "strconv", "compilation", "new"} {
			assert.NotContains(t, got, word, says)
		}
	}
	isForm := func(name string) bool { return name == "=" }
	assert.Equal(t,
		"this is a form in quotes: leave the quotes away", Text(`unexpected token Operator("=")`, `(= a b)`, isForm))
	assert.NotContains(t, Text(`x`, `(a) = b`, isForm), "form in quotes")
}

func FuzzBrackets(f *testing.F) {
	for _, s := range []string{"(a", `(a "b`, "#| (", "(a))", "|(", "((\n(", ";\n)", "\"\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<12 {
			return
		}
		hint, at := Unclosed(text)
		if hint != "" && (at.Line < 1 || at.Col < 1) {
			t.Errorf("%q: %s at %s", text, hint, at)
		}
		Extra(text)
		Unquoted(text)
	})
}
