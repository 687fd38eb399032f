package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/cortextest"
	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/notes"
	"github.com/opencortex-go/cortex/notes/book"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// bench is an engine whose model says what a test has it say, and the notes on its record.
type bench struct {
	t       *testing.T
	m       *cortextest.Machine
	e       *cortex.Engine
	book    *book.Book
	replies []any // a text, a form or an error
	prompts []model.Prompt
}

func newBench(t *testing.T, rules string) *bench {
	b := &bench{t: t, book: book.New()}
	opt := cortex.Options{Live: true, Heartbeat: 24 * time.Hour, Tools: All(b.book, "agent"), Context: b.book.Prompt,
		Models: cortex.Models{Providers: []model.Provider{b}}, Rules: fstest.MapFS{"r.lisp": {Data: []byte(rules)}}}
	opt.Tools = append(opt.Tools, act.Tool{Schema: &skills.Tool{Name: "fails", Tier: skills.TierAllow},
		Actuator: act.Func(func(context.Context, act.Call) (act.Receipt, error) {
			return act.Receipt{}, errors.New("it broke")
		})})
	b.m = cortextest.NewMachine(t, 1, opt)
	b.start()
	return b
}

func (b *bench) start() {
	b.e = b.m.Start()
	b.book.Open(b.e.Hosts().Logs())
}

func (b *bench) Name() string { return "bench" }

func (b *bench) Complete(_ context.Context, p model.Prompt) (model.Completion, error) {
	b.prompts = append(b.prompts, p)
	if len(b.replies) == 0 {
		return model.Completion{Text: "done"}, nil
	}
	r := b.replies[0]
	b.replies = b.replies[1:]
	if err, ok := r.(error); ok {
		return model.Completion{}, err
	}
	return model.Completion{Text: r.(string)}, nil
}

// call is a model's proposal.
func call(tool string, args ...string) string {
	var b strings.Builder
	for i := 0; i+1 < len(args); i += 2 {
		fmt.Fprintf(&b, " :%s %s", args[i], args[i+1])
	}
	return fmt.Sprintf(`(:type :request :target :tool :payload (:tool "%s" :args (%s) :explanation "it helps"))`, tool, b.String())
}

func str(s string) string { return sexpr.Str(s).String() }

func (b *bench) say(replies ...any) *cortex.Outcome {
	b.t.Helper()
	b.replies, b.prompts = replies, nil
	out, err := b.e.Submit(b.t.Context(), cortex.Signal{Type: "event", Sensor: "user-input", Source: "test", Session: "s",
		Principal: "ann", Text: "go on"})
	require.NoError(b.t, err)
	return out
}

func (b *bench) tree() *notes.Tree {
	b.t.Helper()
	t, err := b.book.Tree(b.t.Context())
	require.NoError(b.t, err)
	return t
}

// put writes a note as a person does.
func (b *bench) put(title, body string, parent notes.ID, tags ...string) notes.ID {
	b.t.Helper()
	key := fmt.Sprint("put ", b.tree().Next())
	done, err := b.book.Do(b.t.Context(), book.Who{Principal: "ann", Key: key}, func(t *notes.Tree) (notes.Draft, error) {
		return t.Add(key, parent, &notes.Object{Title: title, Body: body, Tags: tags})
	})
	require.NoError(b.t, err)
	return done.Change.Entries[0].ID
}

func (b *bench) body(id notes.ID) string {
	b.t.Helper()
	v, ok := b.tree().Now(id)
	require.True(b.t, ok)
	o, err := b.book.Object(v)
	require.NoError(b.t, err)
	return o.Body
}

const allowAll = `(defskill all :gate ((allow every :when t :reason "all of it")))`

func TestAModelChangesNotes(t *testing.T) {
	b := newBench(t, allowAll)
	root := b.put("house", "walls", "")
	out := b.say(call(Focus, "note", str(string(root))), call(Add, "title", str("kitchen"), "parent", str(string(root)),
		"body", str("paint €")), "ok")
	require.Equal(t, "ok", out.Text)
	require.Len(t, b.prompts, 3)
	assert.Contains(t, b.prompts[0].System, "> - "+string(root)+" house")
	assert.NotContains(t, b.prompts[0].System, "walls")
	assert.Contains(t, b.prompts[1].System, "> walls", "the focus is whole")
	kids := b.tree().Children(root)
	require.Len(t, kids, 1)
	assert.Equal(t, "paint €", b.body(kids[0]))
	assert.Contains(t, b.prompts[2].System, "kitchen")
	v, _ := b.tree().Now(kids[0])
	assert.Equal(t, "agent", v.By)
	assert.Equal(t, "s", v.Session)

	b.say(call(Edit, "note", str(string(kids[0])), "body", str("paint it blue")))
	assert.Equal(t, "paint it blue", b.body(kids[0]))
	b.say(call(Edit, "note", str(string(kids[0])), "version", fmt.Sprint(v.N), "body", str("old")), "ok")
	assert.Equal(t, "paint it blue", b.body(kids[0]), "of a version that is not the last")
	b.say(call(Rollback, "note", str(string(kids[0])), "version", fmt.Sprint(v.N)))
	assert.Equal(t, "paint €", b.body(kids[0]))
	require.Len(t, b.tree().Versions(kids[0]), 3)
	b.say(call(Move, "note", str(string(kids[0]))))
	assert.Equal(t, []notes.ID{root, kids[0]}, b.tree().Children(""))
	b.say(call(Remove, "note", str(string(root))))
	assert.Equal(t, []notes.ID{kids[0]}, b.tree().Children(""))

	for _, p := range b.prompts { // what a model has read is in its history by no tool's result
		for _, m := range p.Messages {
			assert.NotContains(t, m.Text, "walls")
			assert.NotContains(t, m.Text, "Notes by title", "nor is the context a message")
		}
	}
}

// Changes go through the gates: without a rule that allows them a person is asked, and nothing changes
// before the answer.
func TestChangesAreActions(t *testing.T) {
	b := newBench(t, `(defskill no :gate ((deny moves :when (= action.tool "note_move") :reason "notes stay")))`)
	root, other := b.put("house", "walls", ""), b.put("garden", "", "")
	out := b.say(call(Edit, "note", str(string(root)), "body", str("none")))
	assert.NotEmpty(t, out.Approval)
	assert.Equal(t, "walls", b.body(root))
	out = b.say(call(Move, "note", str(string(other)), "parent", str(string(root))), "then not")
	assert.Equal(t, "then not", out.Text)
	assert.Len(t, b.tree().Children(""), 2)
	out = b.say(call(Focus, "note", str(string(root))), "seen")
	assert.Empty(t, out.Approval, "to look needs no approval")
	out = b.say(call(Edit, "note", str(string(root)), "colour", str("red")), "not that")
	assert.Equal(t, "not that", out.Text, "an argument that no tool has")
}

// What is private is not there for a model: every tool says of it what it says of a note that never was.
func TestW44_PrivateNotesDoNotExistForTools(t *testing.T) {
	b := newBench(t, allowAll)
	open := b.put("house", "walls", "")
	secret := b.put("diary", "dear diary", open, "private")
	below := b.put("deep", "deeper", secret)
	never := notes.ID("note_" + strings.Repeat("a", 26))
	before := b.tree().Digest("")
	texts := func(id notes.ID) (out []string) {
		n := str(string(id))
		for _, c := range []string{call(Focus, "note", n), call(Edit, "note", n, "tags", `()`), call(Move, "note", n),
			call(Move, "note", str(string(open)), "parent", n), call(Remove, "note", n),
			call(Rollback, "note", n, "version", "0"), call(Add, "title", str("x"), "parent", n)} {
			b.say(c, "ok")
			require.Len(t, b.prompts, 2)
			last := b.prompts[1].Messages
			said := last[len(last)-1].Text
			require.Contains(t, said, "no such note")
			out = append(out, strings.ReplaceAll(said, string(id), "ID"))
			for _, p := range b.prompts {
				for _, word := range []string{"diary", "deep", string(below)} {
					require.NotContains(t, p.System, word)
				}
			}
		}
		return out
	}
	want := texts(never)
	assert.Equal(t, want, texts(secret))
	assert.Equal(t, want, texts(below))
	assert.Equal(t, before, b.tree().Digest(""))
}

func TestNoRollbackShowsWhatWasPrivate(t *testing.T) {
	b := newBench(t, allowAll)
	folder := b.put("folder", "", "", "private")
	id := b.put("plan", "the secret number", folder)
	v, _ := b.tree().Now(id)
	do := func(key string, f func(*notes.Tree) (notes.Draft, error)) {
		_, err := b.book.Do(t.Context(), book.Who{Key: key}, f)
		require.NoError(t, err)
	}
	do("1", func(t *notes.Tree) (notes.Draft, error) {
		return t.Edit(id, &notes.Object{Title: "plan", Body: "clean"})
	})
	do("2", func(t *notes.Tree) (notes.Draft, error) { return t.Move(id, "") })
	require.True(t, b.tree().Visible(id))
	b.say(call(Rollback, "note", str(string(id)), "version", fmt.Sprint(v.N)), "ok")
	assert.Equal(t, "clean", b.body(id))
}

// A note that becomes private leaves the prompts of a session that looked at it.
func TestANoteThatBecomesPrivateLeavesThePrompt(t *testing.T) {
	b := newBench(t, allowAll)
	id := b.put("plan", "the number is 4711", "")
	b.say(call(Focus, "note", str(string(id))), "ok")
	require.Contains(t, b.prompts[1].System, "4711")
	_, err := b.book.Do(t.Context(), book.Who{Key: "tag"}, func(t *notes.Tree) (notes.Draft, error) {
		return t.Edit(id, &notes.Object{Title: "plan", Body: "the number is 4711", Tags: []string{"private"}})
	})
	require.NoError(t, err)
	b.say("ok")
	all := b.prompts[0].System
	for _, m := range b.prompts[0].Messages {
		all += m.Text
	}
	assert.NotContains(t, all, "4711")
	assert.NotContains(t, all, "plan\n")
}

// Row 28: an error of a tool takes no note back.
func TestRow028_AToolErrorTakesNothingBack(t *testing.T) {
	b := newBench(t, allowAll)
	id := b.put("house", "old", "")
	b.say(call(Edit, "note", str(string(id)), "body", str("good edit")), call("fails"), "sorry")
	require.Len(t, b.prompts, 3)
	last := b.prompts[2].Messages
	require.Contains(t, last[len(last)-1].Text, "it broke")
	assert.Equal(t, "good edit", b.body(id))
	b.m.CutPower()
	b.start()
	assert.Equal(t, "good edit", b.body(id))
}

// Row 29: a model that fails takes no note back.
func TestRow029_AModelThatFailsTakesNothingBack(t *testing.T) {
	b := newBench(t, allowAll)
	id := b.put("house", "old", "")
	b.say(call(Edit, "note", str(string(id)), "body", str("good edit")), errors.New("no network"),
		errors.New("no network"), errors.New("no network"))
	assert.Equal(t, "good edit", b.body(id))
	out := b.say(errors.New("no network"), errors.New("no network"), errors.New("no network"))
	assert.NotEmpty(t, out.Notice)
	assert.Equal(t, "good edit", b.body(id))
	b.m.CutPower()
	b.start()
	assert.Equal(t, "good edit", b.body(id))
	assert.Len(t, b.tree().Versions(id), 2)
}

// What a model is shown of the notes is on record as a text that it read, once for each text.
func TestWhatAModelSeesIsOnRecord(t *testing.T) {
	b := newBench(t, allowAll)
	b.put("house", "", "")
	count := func() (n int) {
		for i := uint64(1); i <= b.e.Journal().Last(); i++ {
			rec, err := b.e.Journal().Read(i)
			require.NoError(t, err)
			if strings.Contains(rec.Body.String(), "Notes by title") {
				n++
			}
		}
		return n
	}
	b.say("ok")
	assert.Equal(t, 1, count())
	b.say("ok")
	assert.Equal(t, 1, count())
	b.put("garden", "", "")
	b.say("ok")
	assert.Equal(t, 2, count())
	b.book.Open(nil)
	b.say("ok")
	assert.NotContains(t, b.prompts[0].System, "house", "notes that cannot be read are not shown, and stop nothing")
	got, err := b.e.Replay(t.Context(), engine.ReplayOptions{})
	require.NoError(t, err)
	assert.Empty(t, got.Differences)
	assert.NotZero(t, got.Decisions)
}

// The key of an intent is the key of its change: again, it changes nothing, and it can be asked for.
func TestACallAgainChangesNothing(t *testing.T) {
	b := newBench(t, allowAll)
	a, err := skills.NewAction(Add, sexpr.Plist("title", sexpr.Str("once")), "")
	require.NoError(t, err)
	var tool act.Prober
	for _, x := range All(b.book, "agent") {
		if x.Schema.Name == Add {
			tool = x.Actuator.(act.Prober)
		}
	}
	c := act.Call{Action: a, Key: "k", Session: "s"}
	r, err := tool.Probe(t.Context(), c)
	require.NoError(t, err)
	assert.Equal(t, act.Nothing, r.State)
	first, err := tool.Act(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, act.Done, first.State, first.Error)
	again, err := tool.Act(t.Context(), c)
	require.NoError(t, err)
	assert.Equal(t, first, again)
	r, err = tool.Probe(t.Context(), c)
	require.NoError(t, err)
	assert.Equal(t, act.Done, r.State)
	assert.Equal(t, 1, b.tree().Len())
}
