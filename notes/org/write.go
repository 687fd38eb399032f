package org

import (
	"strings"

	"github.com/opencortex-go/cortex/notes"
)

// Write writes notes as an Org file, as [Read] reads it back. It is the caller's to see that they read
// back as they are: a text may have lines that Org takes for something else.
func Write(root *notes.Item) string {
	var b strings.Builder
	if len(root.Props) > 0 {
		writeDrawer(&b, root.Props)
	}
	b.WriteString("#+TITLE: " + root.Title + "\n")
	if len(root.Tags) > 0 {
		b.WriteString("#+FILETAGS: :" + strings.Join(root.Tags, ":") + ":\n")
	}
	writeBody(&b, strings.Split(root.Body, "\n"))
	for _, c := range root.Children {
		write(&b, c, 1)
	}
	return b.String()
}

func write(b *strings.Builder, it *notes.Item, level int) {
	words := []string{strings.Repeat("*", level)}
	if it.Status != "" {
		words = append(words, it.Status)
	}
	if it.Priority != "" {
		words = append(words, "[#"+it.Priority+"]")
	}
	if it.Title != "" {
		words = append(words, it.Title)
	}
	if len(it.Tags) > 0 {
		words = append(words, ":"+strings.Join(it.Tags, ":")+":")
	}
	line := strings.Join(words, " ")
	if len(words) == 1 {
		line += " "
	}
	b.WriteString(line + "\n")
	lines := strings.Split(it.Body, "\n")
	if len(it.Props) > 0 && planningForm.MatchString(lines[0]) { // it stands before the drawer
		b.WriteString(lines[0] + "\n")
		lines = lines[1:]
	}
	if len(it.Props) > 0 {
		writeDrawer(b, it.Props)
	}
	writeBody(b, lines)
	for _, c := range it.Children {
		write(b, c, level+1)
	}
}

func writeDrawer(b *strings.Builder, props []notes.Prop) {
	b.WriteString(":PROPERTIES:\n")
	for _, p := range props {
		b.WriteString(strings.TrimRight(":"+p.Key+": "+p.Value, " ") + "\n")
	}
	b.WriteString(":END:\n")
}

// writeBody writes a text with a comma before stars that would be a heading.
func writeBody(b *strings.Builder, lines []string) {
	if len(lines) == 0 || len(lines) == 1 && lines[0] == "" {
		return
	}
	for _, l := range lines {
		if starsForm.MatchString(l) {
			l = "," + l
		}
		b.WriteString(l + "\n")
	}
}
