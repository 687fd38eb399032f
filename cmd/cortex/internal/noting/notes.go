package noting

import (
	"context"
	"encoding/json"
	"os"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/answering"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/notes"
	notedesk "github.com/opencortex-go/cortex/notes/desk"
)

// Notes is for people: their notes, which models see but for what is private. Anyone who may open the
// folder may look; every change carries the operator's pairing secret.
type Notes struct {
	Import   importCmd   `cmd:"" help:"Read Org and Markdown files into notes, also those of folders; again after they have changed."`
	List     listCmd     `cmd:"" default:"withargs" help:"The notes as a tree of titles."`
	Show     showCmd     `cmd:"" help:"A note whole, as it is or as it was."`
	History  historyCmd  `cmd:"" help:"All versions of a note."`
	Rollback rollbackCmd `cmd:"" help:"Have a note, or all, stand as after an earlier change. No version is lost."`
	Remove   removeCmd   `cmd:"" help:"Remove a note and those below it. Their versions stay."`
	Focus    focusCmd    `cmd:"" help:"Have a session look at a note, or all: their models see it whole."`
	Prompt   promptCmd   `cmd:"" help:"What the models of a session see of the notes."`
	Export   exportCmd   `cmd:"" help:"Write a note, with those below it, as a file."`
}

// order carries out one order, and prints what it comes to. Orders that only read need no secret.
func order(ctx context.Context, p *console.Console, f opening.RecordFlag, s *answering.SecretFlag, verb string,
	params any) error {
	a, err := answering.At(ctx, p, f, s, func(d *answering.Desk) (notedesk.Answer, error) {
		return send(ctx, d, verb, params)
	})
	if err != nil {
		return err
	}
	return say(p, a)
}

func say(p *console.Console, a notedesk.Answer) error {
	if p.JSON {
		return p.Print(json.RawMessage(a.JSON))
	}
	p.Printf("%s", a.Text)
	return nil
}

func send(ctx context.Context, d *answering.Desk, verb string, params any) (notedesk.Answer, error) {
	text, err := json.Marshal(params)
	if err != nil {
		return notedesk.Answer{}, err
	}
	return d.Notes(ctx, verb, text)
}

type listCmd struct {
	opening.RecordFlag
	Note string `arg:"" optional:"" help:"Only this note and those below it."`
}

// Run prints one line for each note.
func (c *listCmd) Run(ctx context.Context, p *console.Console) error {
	return order(ctx, p, c.RecordFlag, nil, "list", notedesk.List{Note: c.Note})
}

// oneNote is the note that a command is about.
type oneNote struct {
	opening.RecordFlag
	Note string `arg:"" help:"The note: its id, how the id begins, or its title."`
}

type showCmd struct {
	oneNote
	At *uint64 `placeholder:"CHANGE" help:"As it was after this change."`
}

// Run prints the note.
func (c *showCmd) Run(ctx context.Context, p *console.Console) error {
	return order(ctx, p, c.RecordFlag, nil, "show", notedesk.Show{Note: c.Note, At: c.At})
}

type historyCmd struct{ oneNote }

// Run prints one line for each version.
func (c *historyCmd) Run(ctx context.Context, p *console.Console) error {
	return order(ctx, p, c.RecordFlag, nil, "history", notedesk.History{Note: c.Note})
}

type rollbackCmd struct {
	opening.RecordFlag
	answering.SecretFlag
	To   uint64 `required:"" placeholder:"CHANGE" help:"The change after which it stood as it is to stand; cortex notes history lists them."`
	Note string `arg:"" optional:"" help:"The note; all notes if absent."`
}

// Run prints what changed.
func (c *rollbackCmd) Run(ctx context.Context, p *console.Console) error {
	return order(ctx, p, c.RecordFlag, &c.SecretFlag, "rollback", notedesk.Rollback{Note: c.Note, To: c.To})
}

type removeCmd struct {
	oneNote
	answering.SecretFlag
}

// Run prints what changed.
func (c *removeCmd) Run(ctx context.Context, p *console.Console) error {
	return order(ctx, p, c.RecordFlag, &c.SecretFlag, "remove", notedesk.Remove{Note: c.Note})
}

type focusCmd struct {
	opening.RecordFlag
	answering.SecretFlag
	Session string      `placeholder:"NAME" help:"The session, by its whole name; all that have no focus of their own if absent."`
	Scope   notes.Scope `enum:"memex,project,session" default:"project" placeholder:"SCOPE" help:"Which titles it sees: memex, project or session."`
	Note    string      `arg:"" optional:"" help:"The note; none if absent."`
}

// Run prints what the session looks at.
func (c *focusCmd) Run(ctx context.Context, p *console.Console) error {
	return order(ctx, p, c.RecordFlag, &c.SecretFlag, "focus", notedesk.Focus{Session: c.Session, Note: c.Note,
		Scope: c.Scope})
}

type promptCmd struct {
	opening.RecordFlag
	Session string `arg:"" optional:"" help:"The session."`
}

// Run prints that part of the prompt.
func (c *promptCmd) Run(ctx context.Context, p *console.Console) error {
	return order(ctx, p, c.RecordFlag, nil, "prompt", notedesk.Prompt{Session: c.Session})
}

type exportCmd struct {
	oneNote
	Format string `enum:"org,markdown" default:"org" placeholder:"FORMAT" help:"org or markdown."`
	Out    string `short:"o" placeholder:"FILE" help:"Where to; standard output if absent."`
}

// Run writes the file.
func (c *exportCmd) Run(ctx context.Context, p *console.Console) error {
	a, err := answering.At(ctx, p, c.RecordFlag, nil, func(d *answering.Desk) (notedesk.Answer, error) {
		return send(ctx, d, "export", notedesk.Export{Note: c.Note, Format: c.Format})
	})
	switch {
	case err != nil:
		return err
	case c.Out == "" && p.JSON:
		return p.Print(json.RawMessage(a.JSON))
	case c.Out == "":
		p.Raw(a.Text)
		return nil
	}
	return os.WriteFile(c.Out, []byte(a.Text), 0o600)
}
