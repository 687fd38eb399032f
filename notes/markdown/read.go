package markdown

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/opencortex-go/cortex/notes"
)

// maxNest bounds quotations and lists within each other on one line: the parser is slow in deep ones.
const maxNest = 100

// Large forms are compiled when a note is first read, not when the program starts.
var (
	tagForm  = late(`^#[\p{L}\p{N}_@][\p{L}\p{M}\p{N}_@/\-]*$`)
	nestForm = late(`^[ \t]*(?:(?:>|[-+*]|\d{1,9}[.)])[ \t]*){100}|^[ \t]{200,}(?:>|[-+*]|\d{1,9}[.)])`)
)

func late(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// Read reads a file as one note, whose text is what stands before the first heading, with a note for each
// heading below it. name is for its title, where the front matter has none, and for errors: a
// [notes.LineError].
func Read(name, source string) (*notes.Item, error) {
	source = strings.TrimSuffix(strings.ReplaceAll(strings.TrimPrefix(source, "\uFEFF"), "\r\n", "\n"), "\n") + "\n"
	if err := check(name, source); err != nil {
		return nil, err
	}
	root := &notes.Item{Line: 1}
	rest, err := frontMatter(root, source)
	if err != nil {
		return nil, &notes.LineError{File: name, Line: 1, Err: fmt.Errorf("the front matter: %w", err)}
	}
	if root.Title == "" {
		root.Title = strings.TrimSuffix(path.Base(name), path.Ext(name))
	}
	if err := outline(root, rest, 1+strings.Count(source[:len(source)-len(rest)], "\n")); err != nil {
		return nil, &notes.LineError{File: name, Line: 1, Err: err}
	}
	return root, nil
}

func check(name, source string) error {
	if len(source) > notes.MaxFile {
		err := fmt.Errorf("%d bytes: want at most %d", len(source), notes.MaxFile)
		return &notes.LineError{File: name, Line: 1, Err: err}
	}
	n := 0
	for l := range strings.Lines(source) {
		n++
		var err error
		switch {
		case !utf8.ValidString(l):
			err = errors.New("it is not UTF-8")
		case strings.ContainsAny(l, "\x00\uFEFF\r"):
			err = errors.New("a NUL, a byte order mark or a carriage return within the line")
		case nestForm().MatchString(l):
			err = fmt.Errorf("more than %d quotations and lists within each other", maxNest)
		}
		if err != nil {
			return &notes.LineError{File: name, Line: n, Err: err}
		}
	}
	return nil
}

// outline puts the sections of a text below root. line is the number of its first line.
func outline(root *notes.Item, source string, line int) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the parser failed: %v", p)
		}
	}()
	src := []byte(source)
	p := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...))
	doc := p.Parse(text.NewReader(src))
	stack, levels, from := []*notes.Item{root}, []int{0}, 0
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		at := stack[len(stack)-1]
		h, ok := n.(*ast.Heading)
		if !ok {
			addTags(&at.Object, loose(n, src))
			continue
		}
		start, end := bounds(h, src)
		at.Body = bodyOf(source[from:start])
		item := &notes.Item{Line: line + bytes.Count(src[:start], []byte("\n"))}
		title(item, h, src)
		for levels[len(levels)-1] >= h.Level {
			stack, levels = stack[:len(stack)-1], levels[:len(levels)-1]
		}
		up := stack[len(stack)-1]
		up.Children = append(up.Children, item)
		stack, levels, from = append(stack, item), append(levels, h.Level), end
	}
	stack[len(stack)-1].Body = bodyOf(source[from:])
	return nil
}

func bodyOf(s string) string {
	s = strings.TrimRight(s, "\n")
	for strings.HasPrefix(s, "\n") {
		s = s[1:]
	}
	return s
}

// bounds are the first byte of a heading's first line, and the one behind its last.
func bounds(h *ast.Heading, src []byte) (start, end int) {
	start = bytes.LastIndexByte(src[:h.Pos()], '\n') + 1
	end = h.Pos()
	if l := h.Lines(); l.Len() > 0 {
		start = min(start, bytes.LastIndexByte(src[:l.At(0).Start], '\n')+1)
		end = max(end, l.At(l.Len()-1).Start)
	}
	end = after(src, end)
	if !isATX(src[start:]) { // its underline
		end = after(src, end)
	}
	return start, end
}

// isATX reports whether a line has the number signs of a heading, and no underline then.
func isATX(line []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte("#")) }

// after is the place behind the line that has a byte.
func after(src []byte, at int) int {
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(src)
}

// title is a heading without the tags behind it.
func title(item *notes.Item, h *ast.Heading, src []byte) {
	var parts []string
	for i := range h.Lines().Len() {
		s := h.Lines().At(i)
		parts = append(parts, strings.TrimSpace(string(s.Value(src))))
	}
	words := strings.Fields(strings.Join(parts, " "))
	cut := len(words)
	var all []string
	for ; cut > 0; cut-- {
		tags, ok := tagsOf(words[cut-1])
		if !ok {
			break
		}
		all = append(tags, all...)
	}
	item.Title = strings.Join(words[:cut], " ")
	addTags(&item.Object, all)
}

// loose are the tags of the lines of a paragraph that have nothing else.
func loose(n ast.Node, src []byte) (tags []string) {
	if n.Kind() != ast.KindParagraph {
		return nil
	}
	for i := range n.Lines().Len() {
		s := n.Lines().At(i)
		if of, ok := tagsOf(string(s.Value(src))); ok {
			tags = append(tags, of...)
		}
	}
	return tags
}

// tagsOf returns the tags of a text that has nothing else, parted by blanks, commas or semicolons.
func tagsOf(text string) (tags []string, ok bool) {
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == ',' || r == ';' })
	for _, w := range words {
		if !tagForm().MatchString(w) {
			return nil, false
		}
		tags = append(tags, w[1:])
	}
	return tags, len(tags) > 0
}

func addTags(o *notes.Object, tags []string) {
	for _, tag := range tags {
		if !slices.Contains(o.Tags, tag) {
			o.Tags = append(o.Tags, tag)
		}
	}
}
