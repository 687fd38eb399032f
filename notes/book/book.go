package book

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/notes"
	"github.com/opencortex-go/cortex/sexpr"
)

var (
	// ErrClosed says that the book has no record yet, or none any more.
	ErrClosed = errors.New("the notes are not open")
	// ErrUnhealthy says that the log does not read as it was written. Nothing goes on from it.
	ErrUnhealthy = errors.New("the record of the notes is damaged")
)

// Book is the notes of one record. It goes into the options of an engine, as tools and context, before
// there is a record; [Book.Open] gives it the record. It is safe for concurrent use.
type Book struct {
	private notes.Private

	logs atomic.Pointer[logs.Logs] // nil without a record

	mu   sync.Mutex  // one change at a time
	tree *notes.Tree // never changed; nil before it was read
}

// New returns a book without a record. more are tags that keep notes from models, beside those of
// [notes.NewPrivate].
func New(more ...string) *Book { return &Book{private: notes.NewPrivate(more...)} }

// Open gives the book the logs of a record.
func (b *Book) Open(l *logs.Logs) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.logs.Store(l)
	b.tree = nil
}

// Tree returns the notes as they are. The caller must not apply events to it.
func (b *Book) Tree(ctx context.Context) (*notes.Tree, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now(ctx)
}

// now returns the tree up to the head of the log. The caller holds mu.
func (b *Book) now(ctx context.Context) (*notes.Tree, error) {
	l := b.logs.Load()
	if l == nil {
		return nil, ErrClosed
	}
	head, err := l.Head(notes.Log)
	if errors.Is(err, logs.ErrNoLog) {
		return notes.NewTree(b.private), nil
	}
	if err == nil && head.Family != notes.Family {
		err = fmt.Errorf("the log %s is of family %s", notes.Log, head.Family)
	}
	if err != nil {
		return nil, err
	}
	if b.tree == nil || b.tree.Next() != head.Next {
		if b.tree, err = b.read(ctx); err != nil {
			b.tree = nil
			return nil, err
		}
	}
	return b.tree, nil
}

// read folds the log.
func (b *Book) read(ctx context.Context) (*notes.Tree, error) {
	l, err := b.logs.Load().Read(ctx, notes.Log)
	if err != nil {
		return nil, err
	}
	if l.Health.Condition != logs.Healthy {
		return nil, fmt.Errorf("%w: %s: %w", ErrUnhealthy, l.Health.Condition, l.Health.Err)
	}
	t := notes.NewTree(b.private)
	for _, e := range l.Events {
		if err := t.Apply(e.Kind, e.Data); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUnhealthy, err)
		}
	}
	return t, nil
}

// Object returns what a note says in one of its versions.
func (b *Book) Object(v notes.Version) (*notes.Object, error) {
	l := b.logs.Load()
	if l == nil {
		return nil, ErrClosed
	}
	of, err := sexpr.ParseDigest(v.Object)
	if err != nil {
		return nil, err
	}
	_, text, err := l.Content(of)
	if err != nil {
		return nil, fmt.Errorf("%w: note %s: %w", ErrUnhealthy, v.ID, err)
	}
	o, err := notes.ReadObject(text)
	if err == nil && o.Title != v.Title {
		err = fmt.Errorf("it is titled %q, and the log says %q", o.Title, v.Title)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: note %s: %w", ErrUnhealthy, v.ID, err)
	}
	return o, nil
}

// Who makes a change: for the record.
type Who struct {
	Principal string
	Session   string // that the change is made in; "" for none
	// Key names the change: another with the same key is the same change, whatever it says.
	Key string
}

// dedupe is a key in the letters of the log.
func (w Who) dedupe() string {
	sum := sha256.Sum256([]byte(w.Key))
	return "note:" + hex.EncodeToString(sum[:])
}

// Done is a change on record.
type Done struct {
	N      uint64 // its number
	Change *notes.Change
	Known  bool // it was on record before
}

// Do drafts a change of the notes as they are, and enters it. The error of draft comes back as it is.
func (b *Book) Do(ctx context.Context, w Who, draft func(t *notes.Tree) (notes.Draft, error)) (Done, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t, err := b.now(ctx)
	if err != nil {
		return Done{}, err
	}
	if e, ok, err := b.logs.Load().Find(notes.Log, w.dedupe()); err != nil || ok {
		return known(e, err)
	}
	d, err := draft(t)
	if err != nil {
		return Done{}, err
	}
	d.Change.By, d.Change.Session = w.Principal, w.Session
	var next *notes.Tree
	e, err := b.append(ctx, w, t.Next(), func(tx *logs.Tx) (notes.Event, error) {
		next = t.Clone() // here, since the writer may call this again
		d.Change.At = tx.Now() / 1e6
		data, err := d.Change.Data()
		if err == nil {
			err = next.Apply(notes.KindChanged, data)
		}
		if err == nil {
			err = keep(tx, d, w.dedupe())
		}
		return notes.Event{Kind: notes.KindChanged, Data: data}, err
	})
	if err != nil {
		return Done{}, err
	}
	b.tree = next
	return Done{N: e.Index, Change: &d.Change}, nil
}

func known(e logs.Event, err error) (Done, error) {
	if err != nil {
		return Done{}, err
	}
	c, err := notes.ReadChange(e.Data)
	return Done{N: e.Index, Change: c, Known: true}, err
}

// keep keeps the objects of a draft, and pins those of all its entries.
func keep(tx *logs.Tx, d notes.Draft, event string) error {
	for _, o := range d.Objects {
		text, err := o.Text()
		if err == nil {
			_, err = tx.Keep("application/json", text)
		}
		if err != nil {
			return err
		}
	}
	pinned := map[string]bool{}
	for _, e := range d.Change.Entries {
		of, err := sexpr.ParseDigest(e.Object)
		if err == nil && !pinned[e.Object] {
			err = tx.Pin(of, event)
		}
		if err != nil {
			return err
		}
		pinned[e.Object] = true
	}
	return nil
}

// append enters one event behind the first n. The caller holds mu.
func (b *Book) append(ctx context.Context, w Who, n uint64, f func(*logs.Tx) (notes.Event, error)) (logs.Event, error) {
	out, err := b.logs.Load().Append(ctx, logs.Write{Log: notes.Log, Family: notes.Family, By: w.Principal},
		func(tx *logs.Tx) error {
			head, err := tx.Head()
			if err == nil && head.Next != n {
				err = errors.New("another program changes the notes")
			}
			if err != nil {
				return err
			}
			e, err := f(tx)
			if err == nil {
				_, err = tx.Event(logs.Event{ID: w.dedupe(), Kind: e.Kind, Dedupe: w.dedupe(), Data: e.Data})
			}
			return err
		})
	if err != nil {
		return logs.Event{}, err
	}
	return out.Events[0], nil
}

// Focus enters what a session looks at. The draft returns the focus without who and when.
func (b *Book) Focus(ctx context.Context, w Who,
	draft func(t *notes.Tree) (notes.Focus, error)) (f notes.Focus, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t, err := b.now(ctx)
	if err != nil {
		return f, err
	}
	if e, ok, err := b.logs.Load().Find(notes.Log, w.dedupe()); err != nil || ok {
		if err != nil {
			return f, err
		}
		was, err := notes.ReadFocus(e.Data)
		if err != nil {
			return f, err
		}
		return *was, nil
	}
	if f, err = draft(t); err != nil {
		return f, err
	}
	f.By, f.Session = w.Principal, w.Session
	var next *notes.Tree
	_, err = b.append(ctx, w, t.Next(), func(tx *logs.Tx) (notes.Event, error) {
		next = t.Clone()
		f.At = tx.Now() / 1e6
		data, err := f.Data()
		if err == nil {
			err = next.Apply(notes.KindFocused, data)
		}
		return notes.Event{Kind: notes.KindFocused, Data: data}, err
	})
	if err == nil {
		b.tree = next
	}
	return f, err
}

// Found returns the change or the focus of a key. ok is false if none is on record.
func (b *Book) Found(w Who) (e notes.Event, ok bool, err error) {
	l := b.logs.Load()
	if l == nil {
		return e, false, ErrClosed
	}
	x, ok, err := l.Find(notes.Log, w.dedupe())
	return notes.Event{Kind: x.Kind, Data: x.Data}, ok, err
}
