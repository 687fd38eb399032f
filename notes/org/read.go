package org

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	goorg "github.com/niklasfasching/go-org/org"

	"github.com/opencortex-go/cortex/notes"
)

// Read reads a file as one note, whose text is what stands before the first heading, with a note for each
// heading below it. name is for its title, where the text has none, and for errors: a [notes.LineError].
//
// Tags of the file (FILETAGS, anywhere in it) are those of the note of the file. A :ID: is what the file
// calls a note.
func Read(name, text string) (*notes.Item, error) {
	all, err := split(name, text)
	if err != nil {
		return nil, err
	}
	root, todo := preamble(name, all)
	stack, levels := []*notes.Item{root}, []int{0}
	for _, s := range all[1:] {
		item, err := headed(s, todo)
		if err != nil {
			return nil, &notes.LineError{File: name, Line: s.line, Err: err}
		}
		for levels[len(levels)-1] >= s.level {
			stack, levels = stack[:len(stack)-1], levels[:len(levels)-1]
		}
		up := stack[len(stack)-1]
		up.Children = append(up.Children, item)
		stack, levels = append(stack, item), append(levels, s.level)
	}
	return root, nil
}

// preamble reads the first section, and the settings of the whole file.
func preamble(name string, all []section) (root *notes.Item, todo string) {
	root = &notes.Item{Line: 1}
	drawer, rest := takeDrawer(all[0].body)
	if h, err := parse("x", drawer, ""); err == nil && h.Properties != nil {
		root.Props, root.Own = properties(h)
	} else {
		rest = all[0].body
	}
	var body, title []string
	for _, l := range rest {
		m := settingForm.FindStringSubmatch(l)
		switch {
		case m == nil || strings.HasSuffix(strings.ToUpper(m[1]), "TODO"):
			body = append(body, l)
		case strings.EqualFold(m[1], "TITLE"):
			title = append(title, m[2])
		}
	}
	var words []string
	for _, s := range all {
		for _, l := range s.body {
			m := settingForm.FindStringSubmatch(l)
			switch {
			case m == nil || strings.EqualFold(m[1], "TITLE"):
			case strings.EqualFold(m[1], "FILETAGS"):
				addTags(&root.Object, strings.FieldsFunc(m[2], func(r rune) bool { return r == ':' || r == ' ' || r == '\t' }))
			default:
				words = append(words, m[2])
			}
		}
	}
	if root.Title = strings.Join(title, " "); root.Title == "" {
		root.Title = strings.TrimSuffix(path.Base(name), path.Ext(name))
	}
	root.Body = bodyOf(body)
	if len(words) == 0 {
		words = []string{"TODO | DONE"}
	}
	return root, strings.Join(words, " ")
}

func addTags(o *notes.Object, tags []string) {
	for _, tag := range tags {
		if !slices.Contains(o.Tags, tag) {
			o.Tags = append(o.Tags, tag)
		}
	}
}

// headed reads one heading with its drawer. Tags are cut off before the parser sees the heading, which
// knows letters alone in them: scripts that write with marks have tags too.
func headed(s section, todo string) (*notes.Item, error) {
	head, tags := s.head, ""
	if m := tagsForm.FindStringSubmatchIndex(head); m != nil {
		head, tags = strings.TrimSpace(head[:m[2]]), head[m[2]:m[3]]
	}
	drawer, rest := takeDrawer(s.body)
	if len(head) > notes.MaxTitle+notes.MaxTag {
		return nil, fmt.Errorf("a heading of %d bytes: want at most %d", len(head), notes.MaxTitle)
	}
	parsed, err := parse(head, drawer, todo)
	if err != nil {
		return nil, err
	}
	item := &notes.Item{Line: s.line}
	item.Status, item.Priority = parsed.Status, parsed.Priority
	title := strings.TrimPrefix(head, parsed.Status)
	if parsed.Priority != "" {
		title = strings.TrimPrefix(strings.TrimSpace(title), "[#"+parsed.Priority+"]")
	}
	item.Title = strings.TrimSpace(title)
	addTags(&item.Object, strings.FieldsFunc(tags, func(r rune) bool { return r == ':' }))
	if item.Props, item.Own = properties(parsed); parsed.Properties == nil {
		rest = s.body // what looked like a drawer is text
	}
	item.Body = bodyOf(rest)
	return item, nil
}

// parse has go-org read one heading with its drawer. It reads no file, and logs nothing.
func parse(head string, drawer []string, todo string) (goorg.Headline, error) {
	c := goorg.New().Silent()
	c.ReadFile = func(string) ([]byte, error) { return nil, errors.New("no file is read") }
	c.DefaultSettings["TODO"] = todo
	doc := c.Parse(strings.NewReader("* "+head+"\n"+strings.Join(drawer, "\n")+"\n"), "")
	if doc.Error != nil {
		return goorg.Headline{}, doc.Error
	}
	if len(doc.Nodes) == 1 {
		if h, ok := doc.Nodes[0].(goorg.Headline); ok {
			return h, nil
		}
	}
	return goorg.Headline{}, errors.New("it does not read as a heading")
}

// properties are those of a heading, keys in capitals: case does not matter in Org. own is its :ID:.
func properties(h goorg.Headline) (props []notes.Prop, own string) {
	if h.Properties == nil {
		return nil, ""
	}
	for _, p := range h.Properties.Properties {
		if p[0] == "ID" {
			own = p[1]
		}
		props = append(props, notes.Prop{Key: p[0], Value: p[1]})
	}
	return props, own
}
