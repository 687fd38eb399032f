package org

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/notes"
)

const sample = `#+TITLE: Life
#+FILETAGS: :home:docs:
#+TODO: TODO NEXT(n) | DONE
Before the first heading.

#+BEGIN_SRC sh
,* no heading
#+END_SRC
* NEXT [#A] Kitchen € :project:@home:
SCHEDULED: <2026-12-01 Tue> DEADLINE: <2026-12-24 Thu>
:PROPERTIES:
:ID: 8f1c
:EFFORT: 2h
:END:
Paint it, *boldly*, [[https://example.org][here]].
| a | b |
|---+---|
| 1 | 22 |
*** Colours
- [ ] green
  1. blue
** مرحبا :عمل:
:LOGBOOK:
CLOCK: [2026-11-24 Tue 10:00]
:END:
** गोपनीय टिप्पणी :गोपनीय:private:
* DONE
* 
* TODOS are none :
* COMMENT later
`

func TestRead(t *testing.T) {
	root, err := Read("dir/life.org", sample)
	require.NoError(t, err)
	assert.Equal(t, "Life", root.Title)
	assert.Equal(t, []string{"home", "docs"}, root.Tags)
	assert.Equal(t, "#+TODO: TODO NEXT(n) | DONE\nBefore the first heading.\n\n#+BEGIN_SRC sh\n* no heading\n#+END_SRC",
		root.Body)
	require.Len(t, root.Children, 5)
	k := root.Children[0]
	assert.Equal(t, notes.Object{Title: "Kitchen €", Status: "NEXT", Priority: "A", Tags: []string{"project", "@home"},
		Props: []notes.Prop{{Key: "ID", Value: "8f1c"}, {Key: "EFFORT", Value: "2h"}},
		Body: "SCHEDULED: <2026-12-01 Tue> DEADLINE: <2026-12-24 Thu>\nPaint it, *boldly*, [[https://example.org][here]].\n" +
			"| a | b |\n|---+---|\n| 1 | 22 |"}, k.Object)
	assert.Equal(t, "8f1c", k.Own)
	assert.Equal(t, 9, k.Line)
	require.Len(t, k.Children, 3)
	assert.Equal(t, "Colours", k.Children[0].Title, "a level is left out")
	assert.Equal(t, []string{"عمل"}, k.Children[1].Tags)
	assert.Contains(t, k.Children[1].Body, "CLOCK")
	assert.Equal(t, []string{"गोपनीय", "private"}, k.Children[2].Tags, "tags of letters with marks")
	assert.Equal(t, "गोपनीय टिप्पणी", k.Children[2].Title)
	for i, title := range []string{"DONE", "", "TODOS are none :", "COMMENT later"} {
		assert.Equal(t, title, root.Children[1+i].Title)
		assert.Empty(t, root.Children[1+i].Status)
	}
}

// W44: the file's tags, those of a heading that is nothing else, and those set within the text count.
func TestW44_TagsOfFilesAndHeadings(t *testing.T) {
	for name, c := range map[string]struct{ text, path string }{
		"of the file":          {"#+filetags: :private:\n* a\n", ""},
		"of the file, later":   {"* a\ntext\n#+FILETAGS: private other\n", ""},
		"of a file with words": {"#+FILETAGS: x private\n", ""},
		"of a heading":         {"* a :x:private:\n", "0"},
		"of an empty heading":  {"* :private:\n", "0"},
		"with a tab":           {"* a\t:private:  \n", "0"},
		"with a slash":         {"* a :private/x:\n", "0"},
		"with CRLF":            {"* a :private:\r\nb\r\n", "0"},
	} {
		root, err := Read("a.org", c.text)
		require.NoError(t, err, name)
		at := root
		if c.path != "" {
			at = root.Children[0]
		}
		assert.True(t, notes.NewPrivate().Any(at.Tags), "%s: %q", name, at.Tags)
	}
}

func TestRoundTrip(t *testing.T) {
	root, err := Read("life.org", sample)
	require.NoError(t, err)
	text := Write(root)
	again, err := Read("life.org", text)
	require.NoError(t, err)
	bare(root)
	bare(again)
	assert.Equal(t, root, again)
	assert.Equal(t, text, Write(again), "once written, a file stays as it is")
	for _, line := range strings.Split(strings.ReplaceAll(sample, "\n*** Colours", "\n** Colours"), "\n") {
		if strings.TrimSpace(line) != "*" {
			assert.Contains(t, text, line)
		}
	}
}

// bare leaves out what is a file's alone.
func bare(i *notes.Item) {
	i.Line = 0
	for _, c := range i.Children {
		bare(c)
	}
}

func TestHostileFiles(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		line int
		want string
	}{
		"no UTF-8":     {"* a\n\xff\n", 2, "UTF-8"},
		"a NUL":        {"* a\nb\n\x00", 3, "NUL"},
		"a long line":  {"* a\n" + strings.Repeat("x", maxLine+1), 2, "a line of"},
		"a long head":  {"\n* " + strings.Repeat("[[", 10_000), 2, "a heading of"},
		"a huge file":  {strings.Repeat("x\n", notes.MaxFile/2+1), 1, "bytes"},
		"mid-line CR":  {"a\rb\n", 1, "carriage return"},
		"a second BOM": {"\uFEFFa\n\uFEFFb", 2, "byte order mark"},
	} {
		_, err := Read("a.org", c.text)
		at := &notes.LineError{}
		require.ErrorAs(t, err, &at, name)
		assert.Equal(t, c.line, at.Line, name)
		assert.ErrorContains(t, err, c.want, name)
	}
}

// What is deep, wide or unclosed takes no longer than what is flat.
func TestHostileShapes(t *testing.T) {
	began := time.Now()
	deep, most, many := "", 1000, 50_000
	if testing.Short() {
		most, many = 300, 10_000
	}
	for i := range most {
		deep += strings.Repeat("*", i+1) + " x\n"
	}
	for _, text := range []string{deep, strings.Repeat("* a\n", 2_000), strings.Repeat(":PROPERTIES:\n", 10_000),
		"* a\n" + strings.Repeat(":PROPERTIES:\n:a: b\n", 5_000), strings.Repeat("#+BEGIN_SRC\n", 10_000),
		"* a\n:PROPERTIES:\n" + strings.Repeat(":a: b\n", many) + ":END:\n",
		"* a\n:PROPERTIES:\n" + strings.Repeat("#+BEGIN_SRC\n", many) + ":END:\n",
		"#+SETUPFILE: /etc/passwd\n#+INCLUDE: \"/etc/passwd\"\n* a\n#+INCLUDE: \"/etc/passwd\" src sh\n"} {
		_, err := Read("a.org", text)
		assert.NoError(t, err)
	}
	t.Logf("%v", time.Since(began))
}

func TestADrawerThatIsNoneIsText(t *testing.T) {
	for _, text := range []string{"* a\n:PROPERTIES:\nnot a property\n:END:\nb", "* a\n:PROPERTIES:\n:ID: 1\nb",
		"* a\nb\n:PROPERTIES:\n:ID: 1\n:END:"} {
		root, err := Read("a.org", text)
		require.NoError(t, err)
		assert.Empty(t, root.Children[0].Props)
		assert.Equal(t, strings.TrimPrefix(text, "* a\n"), root.Children[0].Body, "nothing is lost")
	}
}

// FuzzRead: no text panics, what is read has every word of the text in some place, and what is written
// reads back as the same notes, or is seen not to.
func FuzzRead(f *testing.F) {
	for _, text := range []string{sample, "* a", "", "*", "* \n**\n** b",
		":PROPERTIES:\n:ID: x\n:END:\n* a\nSCHEDULED: <x>\n:PROPERTIES:\n:a:\n:END:",
		",* a\n,,* b", "#+TITLE: a\n#+TITLE: b\n#+FILETAGS: a:b c", "* [#A] b :c:\n* TODO [#Z] x", "\uFEFF* a\r\nb"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		root, err := Read("a.org", text)
		if err != nil {
			require.ErrorAs(t, err, new(*notes.LineError))
			return
		}
		words, read := 0, 0
		for _, r := range text {
			if r > ' ' && !strings.ContainsRune("*:,#+[]\uFEFF", r) {
				words++
			}
		}
		for _, r := range flat(root) {
			if r > ' ' && !strings.ContainsRune("*:,#+[]", r) {
				read++
			}
		}
		if !strings.Contains(text, ":") { // settings, properties and tags are spelled anew
			require.GreaterOrEqual(t, read, words)
		}
		Write(root)
	})
}

// flat is all that a file says.
func flat(i *notes.Item) string {
	s := i.Status + i.Priority + i.Title + strings.Join(i.Tags, "") + i.Body
	for _, c := range i.Children {
		s += flat(c)
	}
	return s
}
