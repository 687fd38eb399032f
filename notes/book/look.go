package book

import (
	"context"

	"github.com/opencortex-go/cortex/notes"
	"github.com/opencortex-go/cortex/notes/prompt"
)

// Prompt is what a session's models see of the notes: the context of an engine.
func (b *Book) Prompt(ctx context.Context, session string) (string, error) {
	t, err := b.Tree(ctx)
	if err != nil {
		return "", err
	}
	return prompt.Text(t, session, b.Object)
}

// Items are a note and those below it, as a file has them.
func (b *Book) Items(t *notes.Tree, id notes.ID) (*notes.Item, error) {
	var path []*notes.Item
	for v, depth := range t.Below(id) {
		o, err := b.Object(v)
		if err != nil {
			return nil, err
		}
		it := &notes.Item{Object: *o}
		if depth > 0 {
			path[depth-1].Children = append(path[depth-1].Children, it)
		}
		path = append(path[:depth], it)
	}
	if len(path) == 0 {
		return nil, notes.ErrNoNote
	}
	return path[0], nil
}
