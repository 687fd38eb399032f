package markdown

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/notes"
)

const sample = `---
title: "Life: a wiki"
tags: [home, "#docs"]
id: 8f1c
aliases:
  - one
  - two
draft: true
---
Before the first heading.

# Kitchen € #project #@home

Paint it, *boldly*, [here](https://example.org).

` + "```sh\n# no heading\n```" + `

- # none in a list
> # nor in a quotation

<div>
# nor in HTML
</div>

### Colours ###
green

مرحبا بالعالم
====
#work #عمل

text with a #tag in it
## गोपनीय टिप्पणी #private
##
`

func TestRead(t *testing.T) {
	root, err := Read("dir/life.md", sample)
	require.NoError(t, err)
	assert.Equal(t, "Life: a wiki", root.Title)
	assert.Equal(t, []string{"home", "docs"}, root.Tags)
	assert.Equal(t, "8f1c", root.Own)
	assert.Equal(t, []notes.Prop{{Key: "id", Value: "8f1c"}, {Key: "aliases", Value: "one"},
		{Key: "aliases", Value: "two"}, {Key: "draft", Value: "true"}}, root.Props)
	assert.Equal(t, "Before the first heading.", root.Body)
	require.Len(t, root.Children, 2)
	k := root.Children[0]
	assert.Equal(t, "Kitchen €", k.Title)
	assert.Equal(t, []string{"project", "@home"}, k.Tags)
	assert.Equal(t, 12, k.Line)
	for _, text := range []string{"*boldly*", "# no heading", "- # none", "> # nor", "# nor in HTML"} {
		assert.Contains(t, k.Body, text)
	}
	require.Len(t, k.Children, 1)
	assert.Equal(t, notes.Object{Title: "Colours", Body: "green"}, k.Children[0].Object)
	m := root.Children[1]
	assert.Equal(t, notes.Object{Title: "مرحبا بالعالم", Tags: []string{"work", "عمل"},
		Body: "#work #عمل\n\ntext with a #tag in it"}, m.Object)
	require.Len(t, m.Children, 2)
	assert.Equal(t, notes.Object{Title: "गोपनीय टिप्पणी", Tags: []string{"private"}}, m.Children[0].Object)
	assert.Equal(t, notes.Object{}, m.Children[1].Object)
}

// W44: wherever Markdown has tags, they count.
func TestW44_TagsOfFilesAndHeadings(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		below bool
	}{
		"a list":            {"---\ntags: [private]\n---\n", false},
		"a long list":       {"---\ntags:\n- x\n- private\n---\n", false},
		"a text":            {"---\nTags: x, private\n---\n# a\n", false},
		"with CRLF":         {"---\r\ntags: private\r\n---\r\n", false},
		"ends with dots":    {"---\ntags: '#private'\n...\n", false},
		"a line of tags":    {"#x #private\n\ntext\n", false},
		"behind a heading":  {"# a #private\n", true},
		"underlined":        {"a #private\n---\n", true},
		"below a heading":   {"# a\n\ntext\n#private\n", true},
		"nothing but a tag": {"# #private\n", true},
		"before a comma":    {"# a #private, #work\n", true},
		"behind a comma":    {"# a #work,#private;\n", true},
		"a line of commas":  {"# a\n\n#private, #work\n", true},
	} {
		root, err := Read("a.md", c.text)
		require.NoError(t, err, name)
		at := root
		if c.below {
			require.Len(t, root.Children, 1, name)
			at = root.Children[0]
		}
		assert.True(t, notes.NewPrivate().Any(at.Tags), "%s: %q", name, at.Tags)
	}
}

func TestRoundTrip(t *testing.T) {
	root, err := Read("life.md", sample)
	require.NoError(t, err)
	text, err := Write(root)
	require.NoError(t, err)
	again, err := Read("life.md", text)
	require.NoError(t, err)
	bare(root)
	bare(again)
	assert.Equal(t, root, again)
	twice, err := Write(again)
	require.NoError(t, err)
	assert.Equal(t, text, twice)
}

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
		"no UTF-8":             {"# a\n\xff\n", 2, "UTF-8"},
		"a NUL":                {"# a\nb\n\x00", 3, "NUL"},
		"a huge file":          {strings.Repeat("x\n", notes.MaxFile/2+1), 1, "bytes"},
		"deep quotations":      {"a\n" + strings.Repeat("> ", 50_000), 2, "within each other"},
		"deep lists":           {strings.Repeat("- ", 50_000), 1, "within each other"},
		"stairs":               {"- a\n" + strings.Repeat(" ", 2*maxNest) + "- b", 2, "within each other"},
		"no end":               {"---\ntags: [private]\n# a\n", 1, "no end"},
		"TOML":                 {"+++\ntags = [\"private\"]\n+++\n# a\n", 1, "want YAML"},
		"no YAML":              {"---\ntags: [private\n---\n", 1, "front matter"},
		"a tree":               {"---\na:\n  b: c\n---\n", 1, "want a text"},
		"an alias":             {"---\na: &x [b]\nc: *x\n---\n", 1, "want a text"},
		"a list":               {"---\n- a\n---\n", 1, "keys with values"},
		"long front":           {"---\na: " + strings.Repeat("x", maxFront) + "\n---\n", 1, "bytes"},
		"a carriage return":    {"a\rb\n", 1, "carriage return"},
		"a BOM within":         {"\uFEFFa\n\uFEFFb", 2, "byte order mark"},
		"an unknown character": {"---\na: \x01\n---\n", 1, "front matter"},
	} {
		_, err := Read("a.md", c.text)
		at := &notes.LineError{}
		require.ErrorAs(t, err, &at, name)
		assert.Equal(t, c.line, at.Line, name)
		assert.ErrorContains(t, err, c.want, name)
	}
}

func TestHostileShapes(t *testing.T) {
	began := time.Now()
	stairs := ""
	for i := range maxNest {
		stairs += strings.Repeat("  ", i) + "- a\n"
	}
	for _, text := range []string{strings.Repeat("# a\n", 2_000), strings.Repeat("[", 1<<20), stairs,
		strings.Repeat("```\n", 10_001), strings.Repeat("> a\n", 10_000), strings.Repeat("a\n", 10_000),
		strings.Repeat("<!--", 100_000),
		"---\n\ntext\n", strings.Repeat(strings.Repeat("> ", maxNest-1)+"\n", 100)} {
		_, err := Read("a.md", text)
		assert.NoError(t, err)
	}
	t.Logf("%v", time.Since(began))
}

// FuzzRead: no text panics, and no line of a text is lost: each is in a body, or a heading, or the front
// matter.
func FuzzRead(f *testing.F) {
	for _, text := range []string{sample, "", "#", "# a\n===\n# b", "a\n===\nb\n---\nc", "---\n---\n", "---\na: b\n---",
		" # a #b\n\n\tcode",
		"a\nb\n===\n", "* # a\n# b", "# a\\\n=", "- a\n\n  b\n===\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		root, err := Read("a.md", text)
		if err != nil {
			require.ErrorAs(t, err, new(*notes.LineError))
			return
		}
		if !strings.HasPrefix(strings.TrimPrefix(text, "\uFEFF"), "---") {
			count := func(s string) (n int) {
				for _, r := range s {
					if r > ' ' && !strings.ContainsRune("#=-\uFEFF", r) {
						n++
					}
				}
				return n
			}
			require.GreaterOrEqual(t, count(flat(root)), count(text))
		}
		_, _ = Write(root)
	})
}

func flat(i *notes.Item) string {
	s := i.Title + strings.Join(i.Tags, "") + i.Body
	for _, c := range i.Children {
		s += flat(c)
	}
	return s
}
