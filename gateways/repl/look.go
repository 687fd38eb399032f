package repl

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/gateways/card"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

func version(_ context.Context, s *Session, c call) (Result, error) {
	if err := c.count(0, 0, ""); err != nil {
		return Result{}, err
	}
	return Result{Value: sexpr.Str(s.r.opt.Version)}, nil
}

// maxFindings is how many findings of lint the status names; it counts all.
const maxFindings = 10

// status shows how the engine stands.
func status(ctx context.Context, s *Session, c call) (Result, error) {
	if err := c.count(0, 0, ""); err != nil {
		return Result{}, err
	}
	st, err := s.r.opt.Engine.Status(ctx)
	if err != nil {
		return Result{}, err
	}
	trouble := func(err error) sexpr.Value {
		if err == nil {
			return sexpr.Nil()
		}
		return sexpr.Str(strings.ToValidUTF8(err.Error(), "?"))
	}
	members := []any{"version", sexpr.Str(s.r.opt.Version), "live", sexpr.Bool(st.Live), "observe", sexpr.Bool(st.Observe),
		"killed", sexpr.Bool(st.Killed),
		"read-only", trouble(st.ReadOnly), "no-space", trouble(st.Full), "reload", trouble(st.Reload),
		"policy", sexpr.Str(st.Policy.String()),
		"skills", sexpr.Int64(int64(st.Skills)), "tools", sexpr.Int64(int64(st.Tools)),
		"running", sexpr.Int64(int64(st.Running)),
		"sessions", sexpr.Int64(int64(st.Sessions)), "memory", sexpr.Int64(int64(st.Memory)),
		"pending", sexpr.Int64(int64(st.Pending)), "doubts", sexpr.Int64(int64(st.Doubts)),
		"failed", sexpr.Int64(int64(st.Failed)),
		"last", number(st.Last), "checked", number(st.Scrub.Checked),
		"compared", sexpr.Int64(max(0, st.Scrub.Compared.Unix())), "damage", trouble(st.Scrub.Err),
		"up", sexpr.Int64(started(time.Now(), st.Started)), "session", sexpr.Str(s.c.Peer.Session),
		"you", sexpr.Str(s.c.Peer.Principal)}
	out := statusText(st)
	if s.r.opt.Pool != nil {
		bytes, turns := s.r.opt.Pool.Held()
		members = append(members, "clients-memory", sexpr.Int64(int64(bytes)), "evaluating", sexpr.Int64(int64(turns)))
		out += fmt.Sprintf("clients hold %d KiB, %d forms are being evaluated\n", bytes>>10, turns)
	}
	if g := s.r.opt.Guard; g != "" {
		members = append(members, "guard", sexpr.Str(g))
		out += "guard " + g + "\n"
	}
	if s.r.opt.Lint != nil {
		found := s.r.opt.Lint()
		var texts []sexpr.Value
		for _, f := range found[:min(len(found), maxFindings)] {
			texts = append(texts, sexpr.Str(f.String()))
			out += "warning: " + f.String() + "\n"
		}
		members = append(members, "findings", sexpr.Int64(int64(len(found))), "warnings", sexpr.ListOf(texts...))
	}
	if s.r.opt.Trouble != nil {
		var gateways []sexpr.Value
		wrong := s.r.opt.Trouble()
		for _, name := range slices.Sorted(maps.Keys(wrong)) {
			gateways = append(gateways, sexpr.ListOf(sexpr.Str(name), trouble(wrong[name])))
			out += name + " is in trouble: " + wrong[name].Error() + "\n"
		}
		members = append(members, "trouble", sexpr.ListOf(gateways...))
	}
	return Result{Value: sexpr.Plist(members...), Out: out, Quiet: true}, nil
}

func statusText(st cortex.Status) string {
	mode := "dry: nothing is run"
	switch {
	case st.Killed:
		mode = "KILLED: everything is denied"
	case st.ReadOnly != nil:
		mode = "READ-ONLY: everything is denied: " + st.ReadOnly.Error()
	case st.Full != nil:
		mode = "NO SPACE: everything is denied until there is: " + st.Full.Error()
	case st.Live:
		mode = "live"
	case st.Observe:
		mode = "observing: nothing is held"
	}
	text := fmt.Sprintf("%s\n%d skills, %d tools, policy %s\n%d running in %d sessions, %d pending, %d in doubt, "+
		"newest record %d, %d KiB in memory\n",
		mode, st.Skills, st.Tools, st.Policy, st.Running, st.Sessions, st.Pending, st.Doubts, st.Last, st.Memory>>10)
	if st.Failed > 0 {
		text += fmt.Sprintf("%d compensations FAILED: (compensations) shows what waits for a person\n", st.Failed)
	}
	switch {
	case st.Scrub.Err != nil:
		text += "the record is DAMAGED, `cortex fsck` says what can be mended: " + st.Scrub.Err.Error() + "\n"
	case st.Scrub.Done:
		text += fmt.Sprintf("the record up to %d is as it was written\n", st.Scrub.Checked)
	case st.Scrub.Checked > 0:
		text += fmt.Sprintf("the record is being checked, and is as it was written up to %d\n", st.Scrub.Checked)
	}
	if at := st.Scrub.Compared; !at.IsZero() {
		text += "log and tables were last compared " + at.UTC().Format(time.DateTime) + "\n"
	}
	if st.Reload != nil {
		text += "the last reload failed: " + st.Reload.Error() + "\n"
	}
	return text
}

// placed is a thing with its place in a list.
type placed[T any] struct {
	at uint64
	of T
}

// places numbers the things of a list from 1 on.
func places[T any](all []T) []placed[T] {
	out := make([]placed[T], len(all))
	for i, x := range all {
		out[i] = placed[T]{uint64(i + 1), x}
	}
	return out
}

func listSkills(ctx context.Context, s *Session, c call) (Result, error) {
	opt, err := c.options(0, "from")
	if err != nil {
		return Result{}, err
	}
	return numbered[placed[*skills.Skill]]{all: places(s.r.opt.Engine.Rules().Policy().Skills("")), form: "skills",
		none: "no skills: without rules everything is denied", number: func(x placed[*skills.Skill]) uint64 { return x.at },
		show: func(x placed[*skills.Skill]) (sexpr.Value, string, error) {
			k := x.of
			return sexpr.Plist("name", sexpr.Str(k.Name), "priority", sexpr.Int64(int64(k.Priority)),
					"clauses", sexpr.Int64(int64(len(k.Gates))), "mandatory", sexpr.Bool(k.Mandatory), "doc", sexpr.Str(k.Doc)),
				fmt.Sprintf("%5d  %-24s %d clauses  %s\n", k.Priority, k.Name, len(k.Gates), k.Doc), nil
		}}.page(ctx, s, opt["from"])
}

func listRules(ctx context.Context, s *Session, c call) (Result, error) {
	skill, at := "", 0
	if len(c.args) > 0 && c.args[0].Kind() != sexpr.Keyword {
		skill, at = c.name(0), 1
	}
	opt, err := c.options(at, "from")
	if err != nil {
		return Result{}, err
	}
	all := slices.DeleteFunc(places(s.r.opt.Engine.Rules().Book().Rules()), func(x placed[rules.Rule]) bool {
		return at > 0 && !strings.HasPrefix(x.of.ID, skill+"/")
	})
	form := "rules"
	if at > 0 {
		if form += " '" + skill; len(all) == 0 {
			return Result{}, c.fail(CodeNotFound, "no skill %s has rules; (skills) lists them", skill)
		}
	}
	return numbered[placed[rules.Rule]]{all: all, form: form, none: "no rules: without them everything is denied",
		number: func(x placed[rules.Rule]) uint64 { return x.at },
		show: func(x placed[rules.Rule]) (sexpr.Value, string, error) {
			r := x.of
			return ruleValue(r), fmt.Sprintf("%-12s %-40s %s:%s\n", r.Kind, r.ID, r.File, r.Pos), nil
		}}.page(ctx, s, opt["from"])
}

func ruleValue(r rules.Rule) sexpr.Value {
	return sexpr.Plist("id", sexpr.Str(r.ID), "kind", sexpr.Str(r.Kind), "file", sexpr.Str(r.File),
		"line", sexpr.Int64(int64(r.Pos.Line)))
}

func showRule(_ context.Context, s *Session, c call) (Result, error) {
	if len(c.args) != 1 || c.name(0) == "" {
		return Result{}, c.wrong("'ID")
	}
	r, ok := s.r.opt.Engine.Rules().Book().Rule(c.name(0))
	if !ok {
		return Result{}, c.fail(CodeNotFound, "no rule %s; (rules) lists them", c.name(0))
	}
	return Result{Value: ruleValue(r).With("form", sexpr.Str(r.Form.String())),
		Out: fmt.Sprintf("; %s:%s\n%s\n", r.File, r.Pos, r.Form), Quiet: true}, nil
}

// maxRecords is how many records one form shows.
const maxRecords = 1000

// showJournal shows records: one, the last ones, or a page from a number on.
func showJournal(ctx context.Context, s *Session, c call) (Result, error) {
	j := s.r.opt.Engine.Journal()
	if n, ok := c.number(0); ok && len(c.args) == 1 {
		r, err := j.Read(n)
		if err != nil {
			return Result{}, err
		}
		return Result{Value: recordValue(r), Out: recordText(r), Quiet: true}, nil
	}
	opt, err := c.options(0, "last", "from")
	if err != nil {
		return Result{}, err
	}
	last, from := uint64(20), uint64(1)
	if n, ok := opt["last"]; ok {
		last = n
	}
	if n, ok := opt["from"]; ok {
		from = max(1, n)
		if _, both := opt["last"]; !both {
			last = 20
		}
	} else if newest := j.Last(); newest > last {
		from = newest - last + 1
	}
	return s.page(ctx, j, from, min(last, maxRecords))
}

// page shows up to n records from one on, as far as there is room for them. It
// leaves the record alone while somebody takes a part of the page.
func (s *Session) page(ctx context.Context, j records, from, n uint64) (Result, error) {
	list := s.rows(ctx)
	for again := true; again; {
		var next uint64
		err := j.Records(from, func(r cortex.Record) error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			text := fmt.Sprintf("%6d  %s  %-9s %-16s %s\n", r.Seq, stamp(r.At), r.Kind, clip(r.Session, 16), Summary(r))
			if list.count == n || !list.add(recordValue(r), text) {
				next = r.Seq
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			return Result{}, err
		}
		if again = next > 0 && list.count < n; again {
			if again, err = list.part(); err != nil {
				return Result{}, err
			}
		}
		if from = next; next > 0 && !again {
			list.end("[more: (journal :from %d)]\n", next)
		}
	}
	if list.count == 0 {
		list.end("no records\n")
	}
	return list.last()
}

// records is what a page wants of a journal.
type records interface {
	Records(from uint64, f func(cortex.Record) error) error
}

var errEnough = errors.New("enough")

func recordText(r cortex.Record) string {
	var b strings.Builder
	fmt.Fprintf(&b, "record   %d\nkind     %s\nat       %s\nsession  %q\nprev     %s\nhash     %s\n", r.Seq, r.Kind,
		stamp(r.At), r.Session, r.Prev, r.Hash)
	for kv := r.Body.Items(); len(kv) > 1; kv = kv[2:] {
		fmt.Fprintf(&b, "  %s %s\n", kv[0], kv[1])
	}
	return b.String()
}

// Summary is what is most telling of a record, on one line, as a person may see it.
func Summary(r cortex.Record) string {
	text := record.Summary(r, func(text string) string { return card.Visible(clip(text, 100)) })
	return card.Plain(clip(strings.ReplaceAll(text, "\n", " "), 120))
}

// clip keeps a text to so many characters.
func clip(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "..."
	}
	return s
}

// replay derives decisions again.
func replay(ctx context.Context, s *Session, c call) (Result, error) {
	var opt cortex.ReplayOptions
	var one bool
	if opt.From, one = c.number(0); !one || len(c.args) != 1 {
		o, err := c.options(0, "from")
		if err != nil {
			return Result{}, err
		}
		one, opt.From = false, o["from"]
	}
	if one {
		opt.To = opt.From
	}
	got, err := s.r.opt.Engine.Replay(ctx, opt)
	if err != nil {
		return Result{}, err
	}
	return Result{Value: replayValue(got), Out: replayText(got), Quiet: true}, nil
}

func replayText(got cortex.Replayed) string {
	var out strings.Builder
	for _, d := range got.Others {
		fmt.Fprintf(&out, "policy %s was made by other functions or limits than this program has\n", d)
	}
	for _, g := range got.Gates {
		fmt.Fprintf(&out, "gate %s is on record and not in this program: its recorded answers were used\n", card.Plain(g))
	}
	for _, d := range got.Differences {
		fmt.Fprintf(&out, "%6d  was %s, is %s (%s)\n", d.Seq, keyed(d.Was), keyed(d.Is), strings.Join(d.Fields, ", "))
	}
	if got.Skipped > 0 {
		fmt.Fprintf(&out, "%d decisions left out: this program lacks functions that their rules call\n", got.Skipped)
	}
	if got.Destroyed > 0 {
		fmt.Fprintf(&out, "%d decisions not replayable: the keys of their secret arguments are destroyed\n", got.Destroyed)
	}
	if got.Removed > 0 {
		fmt.Fprintf(&out, "%d decisions left out: retention removed what they rested on\n", got.Removed)
	}
	fmt.Fprintf(&out, "%d decisions derived again, %d differences\n", got.Decisions, len(got.Differences))
	return out.String()
}

func replayValue(got cortex.Replayed) sexpr.Value {
	return sexpr.Plist("decisions", sexpr.Int64(int64(got.Decisions)),
		"skipped", sexpr.Int64(int64(got.Skipped)), "removed", sexpr.Int64(int64(got.Removed)),
		"destroyed", sexpr.Int64(int64(got.Destroyed)),
		"others", listOf(got.Others, func(d sexpr.Digest) sexpr.Value { return sexpr.Str(d.String()) }),
		"gates", listOf(got.Gates, sexpr.Str),
		"differences", listOf(got.Differences, func(d cortex.Difference) sexpr.Value {
			return sexpr.Plist("record", number(d.Seq), "was", sexpr.Str(keyed(d.Was)), "is", sexpr.Str(keyed(d.Is)),
				"fields", listOf(d.Fields, sexpr.Str))
		}))
}

func keyed(d *cortex.Decision) string { return d.Kind.String() + " " + d.Key }

// verify checks the chain.
func verify(ctx context.Context, s *Session, c call) (Result, error) {
	var seen []journal.Head
	for i := range c.args {
		text, ok := c.text(i)
		h, err := journal.ParseHead(text)
		if !ok || err != nil {
			return Result{}, c.wrong(`["NUMBER@sha256:..."...]`)
		}
		seen = append(seen, h)
	}
	j := s.r.opt.Engine.Journal()
	head := j.Head()
	if err := j.Verify(ctx, seen...); err != nil {
		return Result{}, err
	}
	return plain(sexpr.Plist("ok", sexpr.T(), "records", number(head.Seq), "head", sexpr.Str(head.String())),
		"ok: %d records, every one as it was written\nhead %s\n", head.Seq, head)
}

// showCheckpoint shows the newest checkpoint.
func showCheckpoint(_ context.Context, s *Session, c call) (Result, error) {
	if err := c.count(0, 0, ""); err != nil {
		return Result{}, err
	}
	text, err := s.r.opt.Engine.Operations().LastCheckpoint()
	if err != nil {
		return Result{}, err
	}
	if text == "" {
		return Result{}, c.fail(CodeNotFound, "no checkpoint was made yet")
	}
	return Result{Value: sexpr.Str(text), Out: text, Quiet: true}, nil
}

// sortedUnique sorts names and drops repetitions.
func sortedUnique(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}
