package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/notes"
	"github.com/opencortex-go/cortex/notes/book"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// All returns the tools on the notes of a book, for agent, the principal that acts in Submit. note_focus
// needs no approval, and the others ask, where no rule says otherwise.
func All(b *book.Book, agent string) []act.Tool {
	var out []act.Tool
	for _, s := range schemas() {
		do := change(s.Name)
		if s.Name == Focus {
			do = focus
		}
		out = append(out, act.Tool{Schema: s, Actuator: &tool{b, agent, s.Params, do}})
	}
	return out
}

// tool is an actuator on notes.
type tool struct {
	book  *book.Book
	agent string
	takes []skills.Param
	do    func(context.Context, *tool, act.Call) (act.Receipt, error)
}

var _ act.Prober = (*tool)(nil)

// Act implements [act.Actuator]. What is refused has not happened.
func (t *tool) Act(ctx context.Context, c act.Call) (act.Receipt, error) {
	if err := t.only(c.Action); err != nil {
		return act.Receipt{State: act.Nothing, Error: err.Error()}, nil
	}
	r, err := t.do(ctx, t, c)
	switch {
	case err == nil:
		return r, nil
	case errors.As(err, new(*refusal)):
		return act.Receipt{State: act.Nothing, Error: err.Error()}, nil
	}
	if _, found, lost := t.book.Found(t.who(c)); lost == nil && !found {
		return act.Receipt{State: act.Nothing, Error: "the notes could not be changed"}, err
	}
	return act.Receipt{State: act.Unknown}, err
}

// only returns an error for an argument that the tool would ignore, and that gates have judged.
func (t *tool) only(a *skills.Action) error {
	for i, k := range a.Args().Items() {
		if i%2 == 0 && !slices.ContainsFunc(t.takes, func(p skills.Param) bool { return p.Name == k.Text() }) {
			return fmt.Errorf("%s has no argument :%s", a.Tool(), k.Text())
		}
	}
	return nil
}

// Probe implements [act.Prober]: the log says whether the change was made.
func (t *tool) Probe(_ context.Context, c act.Call) (act.Receipt, error) {
	_, found, err := t.book.Found(t.who(c))
	switch {
	case err != nil:
		return act.Receipt{State: act.Unknown}, err
	case found:
		return act.Receipt{State: act.Done}, nil
	}
	return act.Receipt{State: act.Nothing, Error: "the notes were not changed"}, nil
}

func (t *tool) who(c act.Call) book.Who {
	return book.Who{Principal: t.agent, Session: c.Session, Key: "intent\n" + c.Key}
}

// refusal is what a model is told of a call that did nothing.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

func refused(format string, args ...any) error { return &refusal{fmt.Sprintf(format, args...)} }

// see returns a note that a model may see. Others are not there, whatever they are.
func see(t *notes.Tree, id string) (notes.Version, error) {
	v, ok := t.Now(notes.ID(id))
	if !ok || !t.Visible(v.ID) {
		return notes.Version{}, refused("%.60q: no such note", id)
	}
	return v, nil
}

// focus is the action of note_focus. Its result has no word of the note: the prompt shows it as long as the
// note may be seen, and a result stays in the conversation.
func focus(ctx context.Context, t *tool, c act.Call) (act.Receipt, error) {
	args := c.Action.Args()
	f, err := t.book.Focus(ctx, t.who(c), func(tree *notes.Tree) (notes.Focus, error) {
		v, err := see(tree, args.GetText("note"))
		scope := notes.Scope(args.GetText("scope"))
		if was, ok := tree.FocusOf(c.Session); scope == "" && ok {
			scope = was.Scope
		}
		if scope == "" {
			scope = notes.Project
		}
		if !scope.Valid() {
			return notes.Focus{}, refused("scope %q: want memex, project or session", scope)
		}
		return notes.FocusOn(v.ID, scope), err
	})
	if err != nil {
		return act.Receipt{}, err
	}
	return act.Receipt{State: act.Done, Result: sexpr.Plist("note", sexpr.Str(string(f.Note)))}, nil
}

// change is the action of a tool that changes notes.
func change(name string) func(context.Context, *tool, act.Call) (act.Receipt, error) {
	return func(ctx context.Context, t *tool, c act.Call) (act.Receipt, error) {
		w := t.who(c)
		done, err := t.book.Do(ctx, w, func(tree *notes.Tree) (notes.Draft, error) {
			d, err := t.draft(tree, name, c.Action.Args(), w.Key)
			if err != nil && !errors.Is(err, book.ErrUnhealthy) && !errors.As(err, new(*refusal)) {
				err = refused("%v", err)
			}
			return d, err
		})
		if err != nil {
			return act.Receipt{}, err
		}
		id := done.Change.Entries[0].ID
		return act.Receipt{State: act.Done, Result: sexpr.Plist("note", sexpr.Str(string(id)), "version",
			sexpr.Int64(int64(done.N)))}, nil
	}
}

func (t *tool) draft(tree *notes.Tree, name string, args sexpr.Value, nonce string) (d notes.Draft, err error) {
	var note notes.Version
	if name != Add {
		if note, err = see(tree, args.GetText("note")); err != nil {
			return d, err
		}
	}
	parent := notes.ID(args.GetText("parent"))
	if parent != "" {
		if _, err := see(tree, string(parent)); err != nil {
			return d, err
		}
	}
	switch name {
	case Add:
		o := &notes.Object{}
		says(o, args)
		return tree.Add(nonce, parent, o)
	case Edit:
		if v, given := args.Get("version"); given && !v.IsNil() && uint64(args.GetInt("version")) != note.N {
			return d, refused("%s was changed since: it is at version %d", note.ID, note.N)
		}
		o, err := t.book.Object(note)
		if err != nil {
			return d, err
		}
		says(o, args)
		return tree.Edit(note.ID, o)
	case Move:
		return tree.Move(note.ID, parent)
	case Remove:
		return tree.Remove(note.ID)
	}
	n := args.GetInt("version")
	if then, ok := tree.At(note.ID, uint64(max(n, 0))); n < 0 || !ok || then.Hidden {
		return d, refused("%s has no version %d", note.ID, n)
	}
	return tree.Rollback(note.ID, uint64(n))
}

// says puts what is given into o.
func says(o *notes.Object, args sexpr.Value) {
	for name, field := range map[string]*string{"title": &o.Title, "body": &o.Body, "status": &o.Status} {
		if v, ok := args.Get(name); ok && v.Kind() == sexpr.String {
			*field = v.Text()
		}
	}
	if v, ok := args.Get("tags"); ok {
		o.Tags = nil
		for _, tag := range v.Items() {
			o.Tags = append(o.Tags, tag.Text())
		}
	}
}
