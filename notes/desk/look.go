package desk

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/internal/orders"
	"github.com/opencortex-go/cortex/notes"
)

// List asks for the tree of titles.
type List struct {
	Note string   `json:"note,omitempty"` // at and below this one; "" for all
	From notes.ID `json:"from,omitempty"` // the note that the page begins with; "" for the first
}

// Listed is one note of a list.
type Listed struct {
	ID      notes.ID `json:"id"`
	Depth   int      `json:"depth"`
	Title   string   `json:"title"`
	Tags    []string `json:"tags,omitempty"`
	Private bool     `json:"private,omitempty"` // models do not see it
	Version uint64   `json:"version"`
}

func list(ctx context.Context, d *Desk, _ string, p List) (any, string, error) {
	t, err := d.Book.Tree(ctx)
	if err != nil {
		return nil, "", err
	}
	top := notes.ID("")
	if p.Note != "" {
		if top, err = find(t, p.Note); err != nil {
			return nil, "", err
		}
	}
	out := orders.NewPage[Listed](ctx)
	begun := p.From == ""
	for v, depth := range t.Below(top) {
		if begun = begun || v.ID == p.From; !begun {
			continue
		}
		l := Listed{v.ID, depth, v.Title, v.Tags, !t.Visible(v.ID), v.N}
		fits, err := out.Add(l, fmt.Sprintf("%s  %s%s%s\n", short(v.ID), strings.Repeat("  ", depth),
			titled(v.Title), marks(l)))
		if err != nil {
			return nil, "", err
		}
		if !fits {
			p.From = v.ID
			return out, out.Text(""), out.More(p)
		}
	}
	if !begun {
		return nil, "", fmt.Errorf("the note %s that the page was to begin with is gone: list from the start", p.From)
	}
	return out, out.Text("There are no notes. cortex notes import FILE reads some.\n"), nil
}

func marks(l Listed) string {
	s := ""
	if len(l.Tags) > 0 {
		s = "  :" + strings.Join(l.Tags, ":") + ":"
	}
	if l.Private {
		s += "  (private)"
	}
	return s
}

func titled(title string) string {
	if title == "" {
		return "(untitled)"
	}
	return title
}

// short is as much of an id as tells it from others, but by a rare chance.
func short(id notes.ID) string { return string(id[:len("note_")+10]) }

// Show asks for a note.
type Show struct {
	Note string  `json:"note"`
	At   *uint64 `json:"at,omitempty"` // after this change; nil for now
}

// Shown is a note whole.
type Shown struct {
	notes.Object
	ID      notes.ID `json:"id"`
	Version uint64   `json:"version"`
	Digest  string   `json:"digest,omitempty"` // of the note with all below it, as it is now
	Private bool     `json:"private,omitempty"`
	Gone    bool     `json:"gone,omitempty"`
}

func show(ctx context.Context, d *Desk, _ string, p Show) (any, string, error) {
	t, err := d.Book.Tree(ctx)
	if err != nil {
		return nil, "", err
	}
	id, err := find(t, p.Note)
	if err != nil {
		return nil, "", err
	}
	v, ok := t.Now(id)
	if p.At != nil {
		if v, ok = t.At(id, *p.At); !ok {
			return nil, "", fmt.Errorf("%s was not there after change %d", id, *p.At)
		}
	}
	gone := !ok
	if gone {
		all := t.Versions(id)
		v = all[len(all)-1]
	}
	o, err := d.Book.Object(v)
	if err != nil {
		return nil, "", err
	}
	s := Shown{Object: *o, ID: id, Version: v.N, Private: !gone && !t.Visible(id), Gone: gone}
	if p.At == nil && !gone {
		s.Digest = t.Digest(id).String()
	}
	return s, s.text(), nil
}

func (s *Shown) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, version %d", s.ID, s.Version)
	for _, x := range []struct {
		is   bool
		text string
	}{{s.Private, ", private"}, {s.Gone, ", gone"}} {
		if x.is {
			b.WriteString(x.text)
		}
	}
	b.WriteString("\n" + strings.TrimSpace(s.Status+" "+titled(s.Title)) + "\n")
	if len(s.Tags) > 0 {
		b.WriteString("tags: " + strings.Join(s.Tags, " ") + "\n")
	}
	for _, p := range s.Props {
		b.WriteString(p.Key + ": " + p.Value + "\n")
	}
	if s.Body != "" {
		b.WriteString("\n" + s.Body + "\n")
	}
	return b.String()
}

// History asks for the versions of a note.
type History struct {
	Note string `json:"note"`
	From uint64 `json:"from,omitempty"` // the version that the page begins with
}

// Past is one version of a note.
type Past struct {
	Version uint64    `json:"version"`
	At      time.Time `json:"at"`
	By      string    `json:"by,omitempty"`
	Why     notes.Why `json:"why"`
	Title   string    `json:"title"`
	Object  string    `json:"object"`
	Parent  notes.ID  `json:"parent,omitempty"`
	Gone    bool      `json:"gone,omitempty"`
}

func history(ctx context.Context, d *Desk, _ string, p History) (any, string, error) {
	t, err := d.Book.Tree(ctx)
	if err != nil {
		return nil, "", err
	}
	id, err := find(t, p.Note)
	if err != nil {
		return nil, "", err
	}
	out := orders.NewPage[Past](ctx)
	for _, v := range t.Versions(id) {
		if v.N < p.From {
			continue
		}
		x := Past{v.N, time.UnixMilli(v.At).UTC(), v.By, v.Why, v.Title, v.Object, v.Parent, v.Gone}
		why := string(x.Why)
		if x.Gone {
			why += ", gone"
		}
		fits, err := out.Add(x, fmt.Sprintf("%5d  %s  %-14s  %-12s  %s\n", x.Version, x.At.Format(time.DateTime),
			why, x.By,
			titled(x.Title)))
		if err != nil {
			return nil, "", err
		}
		if !fits {
			p.From = v.N
			return out, out.Text(""), out.More(p)
		}
	}
	return out, out.Text(""), nil
}

// Prompt asks what a session's models see.
type Prompt struct {
	Session string `json:"session,omitempty"`
}

func shown(ctx context.Context, d *Desk, _ string, p Prompt) (any, string, error) {
	text, err := d.Book.Prompt(ctx, p.Session)
	return map[string]string{"prompt": text}, text, err
}
