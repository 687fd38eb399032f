// Package file reads notes from files and writes them, by the format of each: Org or Markdown.
package file

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/notes"
	"github.com/opencortex-go/cortex/notes/markdown"
	"github.com/opencortex-go/cortex/notes/org"
)

// The formats.
const (
	Org      = "org"
	Markdown = "markdown"
)

// Format is the format of a file of this name; "" if it is none of notes.
func Format(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".org", ".org_archive":
		return Org
	case ".md", ".markdown", ".mdown", ".mkd":
		return Markdown
	}
	return ""
}

// Read reads a file. format is "" to go by its name.
func Read(format, name, text string) (*notes.Item, error) {
	if format == "" {
		format = Format(name)
	}
	switch format {
	case Org:
		return org.Read(name, text)
	case Markdown:
		return markdown.Read(name, text)
	case "":
		return nil, fmt.Errorf("%s: want a name that ends with .org or .md, or a format", name)
	}
	return nil, fmt.Errorf("%s: format %q: want %s or %s", name, format, Org, Markdown)
}

// Write writes notes, and reads them again: what the format cannot hold is an error that names the note.
func Write(format string, root *notes.Item) (text string, err error) {
	switch format {
	case Org:
		text = org.Write(root)
	case Markdown:
		text, err = markdown.Write(root)
	default:
		err = fmt.Errorf("format %q: want %s or %s", format, Org, Markdown)
	}
	if err != nil {
		return "", err
	}
	again, err := Read(format, "export", text)
	if err == nil {
		err = same(root, again)
	}
	if err != nil {
		return "", fmt.Errorf("%s cannot hold these notes as they are: %w", format, err)
	}
	return text, nil
}

// same returns an error that names the first note that is not what it was.
func same(want, got *notes.Item) error {
	what := ""
	sorted := func(tags []string) []string { return slices.Sorted(slices.Values(tags)) }
	switch {
	case want.Title != got.Title:
		what = "title"
	case want.Status != got.Status || want.Priority != got.Priority:
		what = "status"
	case !slices.Equal(sorted(want.Tags), sorted(got.Tags)):
		what = "tags"
	case !slices.Equal(want.Props, got.Props):
		what = "properties"
	case want.Body != got.Body:
		what = "text"
	case len(want.Children) != len(got.Children):
		what = "notes below it"
	}
	if what != "" {
		return fmt.Errorf("of %q the %s would be read back otherwise", want.Title, what)
	}
	for i := range want.Children {
		if err := same(want.Children[i], got.Children[i]); err != nil {
			return err
		}
	}
	return nil
}
