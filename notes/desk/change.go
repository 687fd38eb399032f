package desk

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/notes"
	"github.com/opencortex-go/cortex/notes/file"
)

// Import brings a file.
type Import struct {
	File   string `json:"file"` // its name: the same as at the last import of it
	Format string `json:"format,omitempty"`
	Text   string `json:"text"`
}

// Changed is what an order changed.
type Changed struct {
	Note    notes.ID `json:"note,omitempty"`
	Change  *uint64  `json:"change,omitempty"` // its number; nil if nothing changed
	Changed int      `json:"changed"`          // notes that are new or other
	Gone    int      `json:"gone"`
}

func enter(ctx context.Context, d *Desk, who string, p Import) (any, string, error) {
	root, err := file.Read(p.Format, p.File, p.Text)
	if err != nil {
		return nil, "", err
	}
	nonce := rand.Text()
	return d.change(ctx, who, p.File, func(t *notes.Tree) (notes.Draft, error) { return t.Import(nonce, p.File, root) })
}

// change makes a change of a person; of says what of, for the answer.
func (d *Desk) change(ctx context.Context, who, of string,
	draft func(*notes.Tree) (notes.Draft, error)) (any, string, error) {
	var note notes.ID
	done, err := d.Book.Do(ctx, person(who), func(t *notes.Tree) (notes.Draft, error) {
		x, err := draft(t)
		note = x.Note
		return x, err
	})
	if errors.Is(err, notes.ErrSame) {
		return Changed{Note: note}, fmt.Sprintf("%s: nothing is new\n", of), nil
	}
	if err != nil {
		return nil, "", err
	}
	c := Changed{Note: note, Change: &done.N}
	for _, e := range done.Change.Entries {
		if e.Gone {
			c.Gone++
			continue
		}
		c.Changed++
	}
	return c, fmt.Sprintf("%s: change %d, %d notes new or changed, %d gone\n", of, done.N, c.Changed, c.Gone), nil
}

// Rollback goes back.
type Rollback struct {
	Note string `json:"note,omitempty"` // "" for all notes
	To   uint64 `json:"to"`             // the change after which it stood so
}

func rollback(ctx context.Context, d *Desk, who string, p Rollback) (any, string, error) {
	of := "all notes"
	if p.Note != "" {
		of = p.Note
	}
	return d.change(ctx, who, of, func(t *notes.Tree) (notes.Draft, error) {
		if p.Note == "" {
			return t.RollbackAll(p.To)
		}
		id, err := find(t, p.Note)
		if err != nil {
			return notes.Draft{}, err
		}
		return t.Rollback(id, p.To)
	})
}

// Remove removes a note.
type Remove struct {
	Note string `json:"note"`
}

func remove(ctx context.Context, d *Desk, who string, p Remove) (any, string, error) {
	return d.change(ctx, who, p.Note, func(t *notes.Tree) (notes.Draft, error) {
		id, err := find(t, p.Note)
		if err != nil {
			return notes.Draft{}, err
		}
		return t.Remove(id)
	})
}

// Focus has a session look at a note.
type Focus struct {
	Session string      `json:"session,omitempty"` // "" for all that have no focus of their own
	Note    string      `json:"note,omitempty"`
	Scope   notes.Scope `json:"scope,omitempty"`
}

func focus(ctx context.Context, d *Desk, who string, p Focus) (any, string, error) {
	if p.Scope == "" {
		p.Scope = notes.Project
	}
	if !p.Scope.Valid() {
		return nil, "", errors.New("name a scope: memex, project or session")
	}
	w := person(who)
	w.Session = p.Session
	private := false
	f, err := d.Book.Focus(ctx, w, func(t *notes.Tree) (f notes.Focus, err error) {
		id := notes.ID("")
		if p.Note != "" {
			id, err = find(t, p.Note)
			private = !t.Visible(id)
		}
		return notes.FocusOn(id, p.Scope), err
	})
	if err != nil {
		return nil, "", err
	}
	of, at := "session "+f.Session, string(f.Note)
	if f.Session == "" {
		of = "every session without a focus of its own"
	}
	if f.Note == "" {
		at = "no note"
	}
	text := fmt.Sprintf("%s looks at %s, scope %s\n", of, at, f.Scope)
	if private {
		text += "It is private or gone, so models do not see it.\n"
	}
	return f, text, nil
}

// Export asks for a file.
type Export struct {
	Note   string `json:"note"`
	Format string `json:"format"` // org or markdown
}

func export(ctx context.Context, d *Desk, _ string, p Export) (any, string, error) {
	t, err := d.Book.Tree(ctx)
	if err != nil {
		return nil, "", err
	}
	id, err := find(t, p.Note)
	if err != nil {
		return nil, "", err
	}
	root, err := d.Book.Items(t, id)
	if err != nil {
		return nil, "", err
	}
	text, err := file.Write(p.Format, root)
	return map[string]string{"text": text}, text, err
}
