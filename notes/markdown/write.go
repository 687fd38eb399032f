package markdown

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opencortex-go/cortex/notes"
)

// Write writes notes as a Markdown file, as [Read] reads it back. Properties of headings, states and
// priorities have no place in Markdown. It is the caller's to see that all read back as they are.
func Write(root *notes.Item) (string, error) {
	var b strings.Builder
	front, err := front(root)
	if err != nil {
		return "", err
	}
	b.WriteString("---\n" + front + "---\n")
	if root.Body != "" {
		b.WriteString(root.Body + "\n")
	}
	for _, c := range root.Children {
		write(&b, c, 1)
	}
	return b.String(), nil
}

func write(b *strings.Builder, it *notes.Item, level int) {
	line := strings.Repeat("#", level) + " " + it.Title
	for _, tag := range it.Tags {
		if !loosely(it.Body, tag) {
			line += " #" + tag
		}
	}
	b.WriteString("\n" + line + "\n")
	if it.Body != "" {
		b.WriteString("\n" + it.Body + "\n")
	}
	for _, c := range it.Children {
		write(b, c, level+1)
	}
}

// loosely reports whether a text has a tag in a line of its own, so that it needs none in the heading.
func loosely(body, tag string) bool {
	for l := range strings.Lines(body) {
		if tags, _ := tagsOf(l); slices.Contains(tags, tag) {
			return true
		}
	}
	return false
}

// front is the YAML of the note of the file.
func front(root *notes.Item) (string, error) {
	top := &yaml.Node{Kind: yaml.MappingNode}
	text := func(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s} }
	list := func(key string, values []string) {
		l := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for _, v := range values {
			l.Content = append(l.Content, text(v))
		}
		top.Content = append(top.Content, text(key), l)
	}
	top.Content = append(top.Content, text("title"), text(root.Title))
	if len(root.Tags) > 0 {
		list("tags", root.Tags)
	}
	for i := 0; i < len(root.Props); {
		p, values := root.Props[i], []string{}
		for ; i < len(root.Props) && root.Props[i].Key == p.Key; i++ {
			values = append(values, root.Props[i].Value)
		}
		if len(values) > 1 {
			list(p.Key, values)
			continue
		}
		top.Content = append(top.Content, text(p.Key), text(p.Value))
	}
	out, err := yaml.Marshal(top)
	return string(out), err
}
