package prompt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/notes"
	"github.com/opencortex-go/cortex/reason/model"
)

const (
	maxTitles = 200 // around the focus
	levels    = 2   // of titles below the top of a scope
	project   = "project"
)

// Objects returns what a version of a note says.
type Objects func(notes.Version) (*notes.Object, error)

// Text is the part of a session's prompt; "" if the session may see no note.
func Text(t *notes.Tree, session string, objects Objects) (string, error) {
	f, ok := t.FocusOf(session)
	if !ok {
		f.Scope = notes.Memex
	}
	if !t.Visible(f.Note) {
		f.Note = ""
	}
	var b strings.Builder
	if f.Note != "" {
		whole, err := Note(t, f.Note, objects)
		if err != nil {
			return "", err
		}
		b.WriteString("The note in focus:\n" + whole + "\n")
	}
	if around := titles(t, session, f); len(around) > 0 {
		b.WriteString("Notes by title (" + string(f.Scope) + "):\n" + model.Quoted(strings.Join(around, "\n")) + "\n")
	}
	return b.String(), nil
}

// Note is a note whole, quoted, with its place. The caller has seen to it that it is visible.
func Note(t *notes.Tree, id notes.ID, objects Objects) (string, error) {
	path := t.Path(id)
	if len(path) == 0 {
		return "", fmt.Errorf("%s: %w", id, notes.ErrNoNote)
	}
	v := path[len(path)-1]
	o, err := objects(v)
	if err != nil {
		return "", err
	}
	var place []string
	for _, x := range path {
		place = append(place, titled(x))
	}
	lines := []string{fmt.Sprintf("%s, version %d", id, v.N), strings.Join(place, " / ")}
	if words := strings.TrimSpace(o.Status + " " + o.Priority); words != "" {
		lines = append(lines, "status: "+words)
	}
	if len(o.Tags) > 0 {
		lines = append(lines, "tags: "+strings.Join(o.Tags, " "))
	}
	for _, p := range o.Props {
		lines = append(lines, p.Key+": "+p.Value)
	}
	return model.Quoted(strings.Join(append(lines, "", o.Body), "\n")), nil
}

func titled(v notes.Version) string {
	if v.Title == "" {
		return "(untitled)"
	}
	return v.Title
}

// titles are the notes around the focus, one a line, indented by their depth.
func titles(t *notes.Tree, session string, f notes.Focus) (out []string) {
	left := 0
	add := func(v notes.Version, depth int) {
		mark := ""
		if v.ID == f.Note {
			mark = " (in focus)"
		}
		if left++; left <= maxTitles {
			out = append(out, strings.Repeat("  ", depth)+"- "+string(v.ID)+" "+titled(v)+mark)
		}
	}
	if f.Scope == notes.Session {
		for _, id := range t.Seen(session) {
			if v, ok := t.Now(id); ok && t.Visible(id) {
				add(v, 0)
			}
		}
	} else {
		near := around(t, f.Note)
		for v, depth := range t.Shown(top(t, f)) {
			if depth < levels || near[v.ID] {
				add(v, depth)
			}
		}
	}
	if left > maxTitles {
		out = append(out, fmt.Sprintf("- and %d more", left-maxTitles))
	}
	return out
}

// top is where the scope begins: "" for all notes.
func top(t *notes.Tree, f notes.Focus) notes.ID {
	path := t.Path(f.Note)
	if f.Scope != notes.Project || len(path) == 0 {
		return ""
	}
	for _, v := range slices.Backward(path) {
		if slices.ContainsFunc(v.Tags, func(tag string) bool { return strings.EqualFold(tag, project) }) {
			return v.ID
		}
	}
	return path[0].ID
}

// around are the notes that stand beside the focus, above it and right below it.
func around(t *notes.Tree, focus notes.ID) map[notes.ID]bool {
	near := map[notes.ID]bool{}
	if focus == "" {
		return near
	}
	for _, v := range t.Path(focus) {
		near[v.ID] = true
		if v.ID != focus {
			continue
		}
		for _, id := range slices.Concat(t.Children(v.Parent), t.Children(v.ID)) {
			near[id] = true
		}
	}
	return near
}
