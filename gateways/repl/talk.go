package repl

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways/card"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// decide judges what the caller proposes, in the caller's own session. Session,
// facts and authority come from the connection.
func decide(ctx context.Context, s *Session, c call) (Result, error) {
	if err := c.count(1, 1, `'(:tool "T" :args (...) :explanation "...")`); err != nil {
		return Result{}, err
	}
	a, err := proposed(c.args[0], c)
	if err != nil {
		return Result{}, err
	}
	sig := s.signal()
	d, err := s.r.opt.Engine.Decide(ctx, a, &cortex.Facts{
		Signal: sig, Session: skills.Session{ID: sig.Session, Principal: sig.Principal, Roles: sig.Roles},
	})
	if err != nil {
		return Result{}, err
	}
	d = s.r.opt.Engine.Approvals().Shown(d)
	return Result{Value: decisionValue(d), Out: decisionText(d), Quiet: true}, nil
}

// proposed reads an action: :tool and :args, or an action under :action, or the
// form that models write.
func proposed(v sexpr.Value, c call) (*cortex.Action, error) {
	if !v.IsPlist() {
		return nil, fail(CodeSyntax, v, "found %s, expected a plist with :tool and :args, quoted", v.Kind())
	}
	explanation := v.GetText("explanation")
	if inner, ok := v.Get("action"); ok {
		if err := only(v, "action", "explanation"); err != nil {
			return nil, err
		}
		v = inner
		if explanation == "" {
			explanation = v.GetText("explanation")
		}
	}
	if payload, ok := v.Get("payload"); ok {
		if err := only(v, "type", "target", "payload", "explanation"); err != nil {
			return nil, err
		}
		v = payload
		if explanation == "" {
			explanation = v.GetText("explanation")
		}
	}
	if err := only(v, "tool", "args", "explanation"); err != nil {
		return nil, err
	}
	args, _ := v.Get("args")
	if v.GetText("tool") == "" {
		return nil, fail(CodeSyntax, v, "an action has a :tool, the name of one as a string")
	}
	a, err := cortex.NewAction(v.GetText("tool"), args, explanation)
	if err != nil {
		return nil, fail(CodeSyntax, v, "%w", err)
	}
	return a, nil
}

// only refuses members that are not among keys: who asks, in which session and
// over which facts is not the form's to say.
func only(v sexpr.Value, keys ...string) error {
	for kv := v.Items(); len(kv) > 1; kv = kv[2:] {
		if !slices.Contains(keys, kv[0].Text()) {
			return fail(CodeRefused, kv[0], "%s cannot be given here, expected :%s; session and facts are those of the "+
				"connection", kv[0], strings.Join(keys, " :"))
		}
	}
	return nil
}

func decisionText(d *cortex.Decision) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n", d.Kind, d.Key)
	for _, r := range d.Reasons {
		fmt.Fprintf(&b, "  %s: %s", r.Key, r.Text)
		if r.Pos != "" {
			fmt.Fprintf(&b, " (%s)", r.Place())
		}
		b.WriteByte('\n')
	}
	if d.Action != nil && d.Proposed != nil && d.Action.Digest() != d.Proposed.Digest() {
		fmt.Fprintf(&b, "  rewritten to %s\n", d.Action.Canonical())
	}
	if d.Approval != "" {
		fmt.Fprintf(&b, "  waits for approval %s\n", d.Approval)
	}
	fmt.Fprintf(&b, "  record %d\n", d.ID)
	return b.String()
}

// say sends a person's words through the whole pipeline.
func say(ctx context.Context, s *Session, c call) (Result, error) {
	const want = `"TEXT" [:session "NAME"]`
	if err := c.count(1, 3, want); err != nil {
		return Result{}, err
	}
	text, ok := c.text(0)
	if !ok || text == "" {
		return Result{}, c.wrong(want)
	}
	sig := s.signal()
	sig.Text = text
	if len(c.args) > 1 {
		name, ok := c.text(2)
		if !c.args[1].IsKey("session") || !ok || name == "" {
			return Result{}, c.wrong(want)
		}
		sig.Session = s.sessionNamed(name)
	}
	return s.submit(ctx, sig)
}

// sessionNamed is another session of the caller's own: callers cannot speak in a session
// of somebody else.
func (s *Session) sessionNamed(name string) string {
	base := s.c.Peer.Session
	if i := strings.LastIndexByte(base, '/'); i >= 0 {
		base = base[:i]
	}
	return base + "/" + name
}

// signal sends a message of the protocol as the caller's.
func signal(ctx context.Context, s *Session, c call) (Result, error) {
	if err := c.count(1, 1, "'(:type :event :payload (:sensor ...))"); err != nil {
		return Result{}, err
	}
	sig, err := perceive.Normalise(s.c.Peer, c.args[0])
	if err != nil {
		return Result{}, err
	}
	return s.submit(ctx, sig)
}

// Lasts reports whether the work on a form goes on when its caller has left: it
// makes a signal, and what is accepted is answered, or a compensation, which is
// not to fail for that. A host keeps its context for that long.
func Lasts(form sexpr.Value) bool {
	return form.Len() > 0 &&
		(form.Items()[0].IsSym("say") || form.Items()[0].IsSym("signal") || form.Items()[0].IsSym("compensate"))
}

// submit sends a signal and waits.
func (s *Session) submit(ctx context.Context, sig cortex.Signal) (Result, error) {
	a, err := s.r.opt.Engine.Accept(ctx, sig)
	if err != nil {
		return Result{}, err
	}
	out, err := a.Answer(ctx)
	switch {
	case err == nil:
	case ctx.Err() != nil, errors.Is(err, cortex.ErrClosed), errors.Is(err, cortex.ErrUnanswered):
		return Result{}, err
	default: // why is in the log and the record: it may name what is inside (weakness W24)
		return Result{}, &Error{Code: CodeFailed,
			Err: fmt.Errorf("signal %d could not be answered; the daemon's log says why", a.Signal)}
	}
	out = s.r.opt.Engine.Approvals().ShownOutcome(out)
	return Result{Value: outcomeValue(out), Out: outcomeText(out), Quiet: true}, nil
}

// outcomeText says what was refused on the way, and then the result.
func outcomeText(out *cortex.Outcome) string {
	var lines []string
	for _, d := range out.Decisions {
		if d.Kind == reason.Deny {
			lines = append(lines, verdict(d))
		}
	}
	lines = append(lines, texts(out.Text, out.Notice)...)
	if len(lines) == 0 {
		lines = []string{"(nothing came of it)"}
	}
	return strings.Join(lines, "\n") + "\n"
}

// interrupt stops the caller's own work.
func interrupt(ctx context.Context, s *Session, c call) (Result, error) {
	if err := c.count(0, 1, `["SESSION"]`); err != nil {
		return Result{}, err
	}
	session := s.c.Peer.Session
	if len(c.args) == 1 {
		name, ok := c.text(0)
		if !ok {
			return Result{}, c.wrong(`["SESSION"]`)
		}
		session = name
		if !s.c.Peer.Operator && !strings.Contains(name, "/") {
			session = s.sessionNamed(name)
		}
	}
	n, err := s.r.opt.Engine.Operations().Interrupt(ctx, session, s.c.Peer)
	if err != nil {
		return Result{}, err
	}
	return plain(sexpr.Int64(int64(n)), "stopped %d\n", n)
}

// endSession takes the whole name: an operator ends other people's sessions.
func endSession(ctx context.Context, s *Session, c call) (Result, error) {
	const want = `"NAME"`
	if err := c.count(1, 1, want); err != nil {
		return Result{}, err
	}
	name, ok := c.text(0)
	if !ok {
		return Result{}, c.wrong(want)
	}
	if err := s.r.opt.Engine.Operations().EndSession(ctx, name, *s.c.Approver); err != nil {
		return Result{}, err
	}
	return plain(sexpr.Str(name), "ended %s\n", name)
}

// listApprovals shows cards, oldest first, as far as the limit allows. Pages go by
// the record of the decision that made a card: answers do not shift them.
func listApprovals(ctx context.Context, s *Session, c call) (Result, error) {
	const want = "[:all t] [:from N]"
	args := c.args
	all := len(args) > 1 && args[0].IsKey("all") && args[1].IsSym("t")
	if all {
		args = args[2:]
	}
	var from uint64
	if len(args) > 0 {
		var ok bool
		if from, ok = (call{args: args}).number(1); !ok || len(args) != 2 || !args[0].IsKey("from") {
			return Result{}, c.wrong(want)
		}
	}
	list, err := s.approvals(ctx, all)
	if err != nil {
		return Result{}, err
	}
	return numbered[*cortex.Approval]{all: list, form: "approvals" + map[bool]string{true: " :all t"}[all],
		none:   "nothing waits for an answer",
		number: func(a *cortex.Approval) uint64 { return a.Decision },
		show: func(a *cortex.Approval) (sexpr.Value, string, error) {
			v, err := s.approvalValue(a)
			return v, s.card(a, v).Text(), err
		}}.page(ctx, s, from)
}

// approvals returns the cards that wait, or all there were.
func (s *Session) approvals(ctx context.Context, all bool) (list []*cortex.Approval, err error) {
	if all {
		return s.r.opt.Engine.Approvals().All(ctx)
	}
	for a, err := range s.r.opt.Engine.Pending(ctx) {
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

func (s *Session) card(a *cortex.Approval, v sexpr.Value) card.Card {
	return s.r.Card(a, v.GetText("code"))
}

// Card renders an approval as the sessions show it. code is [engine.Approvals.Code]
// of it.
func (r *Repl) Card(a *cortex.Approval, code string) card.Card { return card.New(a, code, r.opt.Card) }

func showApproval(ctx context.Context, s *Session, c call) (Result, error) {
	token, err := s.token(c, 1, `"TOKEN"`)
	if err != nil {
		return Result{}, err
	}
	return s.stands(ctx, token)
}

// token is the first argument of those that answer a card.
func (s *Session) token(c call, most int, want string) (string, error) {
	if err := c.count(1, most, want); err != nil {
		return "", err
	}
	token := c.name(0)
	if token == "" {
		return "", c.wrong(want)
	}
	return token, nil
}

// stands shows an approval as it stands now.
func (s *Session) stands(ctx context.Context, token string) (Result, error) {
	a, err := s.r.opt.Engine.Approvals().Get(ctx, token)
	if err != nil {
		return Result{}, err
	}
	v, err := s.approvalValue(a)
	return Result{Value: v, Out: s.card(a, v).Answering(`(answer "` + a.Token + `" "WORDS")`).Text(), Quiet: true}, err
}

func deny(ctx context.Context, s *Session, c call) (Result, error) {
	token, err := s.token(c, 2, `"TOKEN" ["WHY"]`)
	if err != nil {
		return Result{}, err
	}
	why, ok := c.text(1)
	if len(c.args) == 2 && !ok {
		return Result{}, c.wrong(`"TOKEN" ["WHY"]`)
	}
	if err := s.r.opt.Engine.Deny(ctx, token, *s.c.Approver, why); err != nil {
		return Result{}, s.r.opt.Engine.Approvals().Successor(ctx, err)
	}
	return s.stands(ctx, token)
}

func answer(ctx context.Context, s *Session, c call) (Result, error) {
	const want = `"TOKEN" "WORDS"`
	token, err := s.token(c, 2, want)
	if err != nil {
		return Result{}, err
	}
	words, ok := c.text(1)
	if !ok {
		return Result{}, c.wrong(want)
	}
	d, err := s.r.opt.Engine.Approvals().Answer(ctx, token, *s.c.Approver, words)
	if err != nil {
		return Result{}, s.r.opt.Engine.Approvals().Successor(ctx, err)
	}
	d = s.r.opt.Engine.Approvals().Shown(d)
	return Result{Value: decisionValue(d), Out: decisionText(d), Quiet: true}, nil
}

// keepDocument keeps what a person hands in.
func keepDocument(ctx context.Context, s *Session, c call) (Result, error) {
	const want = `"MEDIA TYPE" "BASE64"`
	media, ok := c.text(0)
	text, also := c.text(1)
	if len(c.args) != 2 || !ok || !also {
		return Result{}, c.wrong(want)
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return Result{}, c.fail(CodeSyntax, "the document: %s", err)
	}
	of, err := s.r.opt.Engine.Approvals().Keep(ctx, *s.c.Approver, media, string(data))
	if err != nil {
		return Result{}, err
	}
	return Result{Value: sexpr.Str(of.String()), Out: of.String() + "\n", Quiet: true}, nil
}

func edit(ctx context.Context, s *Session, c call) (Result, error) {
	const want = `"TOKEN" '(:KEY VALUE ...)`
	token, err := s.token(c, 2, want)
	if err != nil {
		return Result{}, err
	}
	if len(c.args) != 2 || !c.args[1].IsPlist() {
		return Result{}, c.wrong(want)
	}
	d, err := s.r.opt.Engine.Edit(ctx, token, *s.c.Approver, c.args[1])
	if err != nil {
		return Result{}, s.r.opt.Engine.Approvals().Successor(ctx, err)
	}
	d = s.r.opt.Engine.Approvals().Shown(d)
	return Result{Value: decisionValue(d), Out: decisionText(d), Quiet: true}, nil
}

func listDoubts(ctx context.Context, s *Session, c call) (Result, error) {
	opt, err := c.options(0, "from")
	if err != nil {
		return Result{}, err
	}
	doubts, err := s.r.opt.Engine.Operations().Doubts(ctx)
	if err != nil {
		return Result{}, err
	}
	return numbered[cortex.Doubt]{all: doubts, form: "doubts", none: "nothing is in doubt",
		number: func(d cortex.Doubt) uint64 { return d.Intent },
		show: func(d cortex.Doubt) (sexpr.Value, string, error) {
			return sexpr.Plist("intent", number(d.Intent), "session", sexpr.Str(d.Session), "tool", sexpr.Str(d.Action.Tool()),
					"args", d.Action.Args(), "digest", sexpr.Str(d.Action.Digest().String()), "key", sexpr.Str(d.Key)),
				fmt.Sprintf("intent %d in doubt  %s\n", d.Intent, card.Visible(d.Action.Canonical())), nil
		}}.page(ctx, s, opt["from"])
}

func settle(ctx context.Context, s *Session, c call) (Result, error) {
	const want = "INTENT :happened, :did-not or :retry"
	n, ok := c.number(0)
	if !ok || len(c.args) != 2 || !c.args[1].IsKey("happened") && !c.args[1].IsKey("did-not") &&
		!c.args[1].IsKey("retry") {
		return Result{}, c.wrong(want)
	}
	if c.args[1].IsKey("retry") {
		rc, err := s.r.opt.Engine.Operations().Retry(ctx, n, *s.c.Approver)
		if err != nil {
			return Result{}, err
		}
		return plain(sexpr.Plist("intent", number(n), "outcome", c.args[1], "state", sexpr.Str(string(rc.State))),
			"intent %d: tried again: %s\n", n, rc.State)
	}
	if err := s.r.opt.Engine.Operations().Settle(ctx, n, c.args[1].IsKey("happened"), *s.c.Approver); err != nil {
		return Result{}, err
	}
	return plain(sexpr.Plist("intent", number(n), "outcome", c.args[1]), "intent %d: %s\n", n, c.args[1].Text())
}

// killSwitch turns the refusal of everything on, or off.
func killSwitch(ctx context.Context, s *Session, c call) (Result, error) {
	if len(c.args) != 1 || !c.args[0].IsSym("t") && !c.args[0].IsNil() {
		return Result{}, c.wrong("t or nil")
	}
	on := c.args[0].IsSym("t")
	who := cortex.Approver{Name: s.c.Peer.Principal, Via: s.c.Peer.Source}
	if s.c.Approver != nil {
		who = *s.c.Approver
	}
	if err := s.r.opt.Engine.Operations().KillSwitch(ctx, on, who); err != nil {
		return Result{}, err
	}
	return plain(sexpr.Bool(on),
		"the kill switch is %s\n", map[bool]string{true: "on: nothing is allowed", false: "off"}[on])
}

func reload(ctx context.Context, s *Session, c call) (Result, error) {
	if err := c.count(0, 0, ""); err != nil {
		return Result{}, err
	}
	if s.r.opt.Reload == nil {
		return Result{}, errors.New("there is nothing to reload")
	}
	if err := s.r.opt.Reload(ctx); err != nil {
		return Result{}, err
	}
	return plain(sexpr.Str(s.r.opt.Engine.Rules().Policy().Hash().String()),
		"loaded: %s\n", s.r.opt.Engine.Rules().Policy().Hash())
}

func listFacts(_ context.Context, s *Session, c call) (Result, error) {
	if err := c.count(0, 0, ""); err != nil {
		return Result{}, err
	}
	return Result{Value: s.r.opt.Engine.Operations().Facts()}, nil
}

func setFact(ctx context.Context, s *Session, c call) (Result, error) {
	if len(c.args) != 2 || c.name(0) == "" {
		return Result{}, c.wrong("'NAME VALUE")
	}
	if err := s.r.opt.Engine.Operations().SetFact(ctx, c.name(0), c.args[1], *s.c.Approver); err != nil {
		return Result{}, err
	}
	return Result{Value: s.r.opt.Engine.Operations().Facts()}, nil
}
