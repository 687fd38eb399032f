package repl

import (
	"context"
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/sexpr"
)

// form is one command.
type form struct {
	name string
	args string // how it is written, behind the name
	doc  string // what it does: a sentence, and more where it is needed
	// operator reports whether it takes an operator with these arguments; nil
	// means never.
	operator func(args []sexpr.Value) bool
	run      func(ctx context.Context, s *Session, c call) (Result, error)
}

func always([]sexpr.Value) bool { return true }

// turningOff is true for (kill-switch nil), which takes an operator; turning it
// on does not.
func turningOff(args []sexpr.Value) bool { return len(args) != 1 || !args[0].IsSym("t") }

// forms is the one table of commands: it is evaluated, completed, and printed as
// help and as docs/repl.md.
func forms() []*form {
	return []*form{
		{"help", "['NAME]", "Lists the commands, or describes one of them, an operator or a function.", nil, help},
		{"complete", "\"PREFIX\"", "The names that begin with a prefix, as a client offers them while one types.", nil,
			complete},
		{"apropos", "\"TEXT\"", "Finds commands, operators, functions, tools, skills and rules whose name or " +
			"description " +
			"holds a text.", nil, apropos},
		{"status", "", "How the engine stands: live or dry, what runs, what waits for people, the newest record, and " +
			"whether the guard is on.", nil,
			status},
		{"version", "", "The version of Cortex.", nil, version},
		{"skills", "[:from N]", "The skills of the rulebook, in the order in which they are asked.", nil, listSkills},
		{"rules", "['SKILL] [:from N]",
			"The clauses of all skills, or of one, and the invariants: id and place in the rule files.",
			nil, listRules},
		{"rule", "'ID", "One rule: where it stands, and its text.", nil, showRule},
		{"facts", "", "What operators have set: facts.ctx, as rules read it.", nil, listFacts},
		{"set-fact", "'NAME VALUE", "Sets a fact of facts.ctx; nil removes it.", always, setFact},
		{"decide", "'(:tool \"T\" :args (...) :explanation \"...\")",
			"Judges an action and records the decision. Nothing is run.", nil, decide},
		{"say", "\"TEXT\" [:session \"NAME\"]", "Says something to the model, as you, and waits for the answer.",
			nil, say},
		{"signal", "'(:type :event :payload (:sensor ... ))",
			"Sends a signal, as you, and waits for what comes of it.", nil,
			signal},
		{"interrupt", "[\"SESSION\"]", "Stops what is being answered in your session, or in another one of yours.", nil,
			interrupt},
		{"end-session", "\"NAME\"", "Ends a session: what comes next under its name begins a new one, and rules and " +
			"models know nothing of what was before. The record keeps it.", always, endSession},
		{"approvals", "[:all t] [:from N]",
			"The cards that wait for people, or all there were, oldest first; :from those " +
				"of decision N and later ones.", nil, listApprovals},
		{"approval", "\"TOKEN\"", "One card.", nil, showApproval},
		{"approve", "\"TOKEN\" [:cover N :minutes M]",
			"Says yes to a card. With :cover, also to more calls like it, N " +
				"with this one, for M minutes: of the same tool, from the same sources. Rules read that as (covered?).",
			always,
			approve},
		{"covers", "\"SESSION\" [:from N]", "What people have covered in a session, and how much is left of it.",
			nil, listCovers},
		{"uncover", "\"SESSION\" NUMBER", "Takes a cover back.", always, uncover},
		{"deny", "\"TOKEN\" [\"WHY\"]", "Says no to a card; the reason reaches the model and the user.", always, deny},
		{"answer", "\"TOKEN\" \"WORDS\"",
			"Answers the question of a card, with words or with one of its choices. Other " +
				"cards are approved or denied.", always, answer},
		{"keep", "\"MEDIA TYPE\" \"BASE64\"",
			"Keeps a document on record, and gives its digest: what answers a question " +
				"that asks for one.", always, keepDocument},
		{"edit", "\"TOKEN\" '(ARGS...)",
			"Says yes to a card with other arguments. They go through the gates again.", always,
			edit},
		{"outcome", "\"TOKEN\" [:wait t]",
			"The outcome of a card: what ran, what was refused on the way, and the reply. " +
				":wait t waits until people have answered it and all is done.", nil, showOutcome},
		{"doubts", "[:from N]", "Intents of which it is not known whether they happened.", nil, listDoubts},
		{"settle", "INTENT :happened|:did-not|:retry", "Settles an intent in doubt, or has it tried once more.",
			always, settle},
		{"compensate", "INTENT '(:tool \"T\" :args (...) :explanation \"...\") ...",
			"Carries out an action that makes up for what an intent did; of several, the newest intent's first. " +
				"They go through the gates, in the session of the intent. It stops at one that is refused, " +
				"waits for a card or " +
				"fails; given again, it goes on from there.", always, compensate},
		{"compensations", "[:from N]",
			"Compensations that failed. Nothing tries them again: (settle INTENT :happened) says that " +
				"all is made up for nonetheless, :did-not that another may be tried.", nil, listCompensations},
		{"workflow-call", "\"TOOL\" [\"JSON\"]", "Calls one of the six tools that agents have for workflows: " +
			"list_workflows, inspect_workflow, start_workflow, continue_workflow, checkpoint_workflow, " +
			"resume_session. " +
			"The text is what the agent reads; the value has it under :text, what a program reads under :json, and " +
			":failed t where that is an error. The run is yours: what you say with the pairing secret counts as a " +
			"person's.", nil, callWorkflow},
		{"run", "VERB [\"JSON\"]", "Looks at runs of workflows, and acts on them as a person: list, show, start, " +
			"supply, release, give, mode, export, import, keep, delete, rotate-keys. list, show and export " +
			"change nothing.",
			changesRuns, orderRun},
		{"notes", "VERB [\"JSON\"]",
			"Looks at notes, and acts on them as a person: list, show, history, prompt, export, " +
				"import, focus, remove, rollback. The first five change nothing.", changesNotes, orderNotes},
		{"capability", "VERB [\"JSON\"]", "Looks at capabilities, and acts on them as a person: list, show, stats, " +
			"preview, register, test, try, activate, retire, revoke. The first four change nothing. A " +
			"capability in force is " +
			"started as any tool is: see decide and say.", changesCapabilities, orderCapability},
		{"journal", "[NUMBER | :last N | :from N]", "Records: one, the last ones (20), or those from a number on.", nil,
			showJournal},
		{"explain", "NUMBER", "Why a decision came out as it did: its trace, and what it rested on.", nil, explain},
		{"replay", "[NUMBER | :from N]",
			"Derives recorded decisions again and lists those that come out differently.", nil,
			replay},
		{"verify", "[\"NUMBER@HASH\"...]",
			"Checks the whole chain of records, and that heads seen earlier are part of it.",
			nil, verify},
		{"checkpoint", "", "The newest signed head of the record, to be kept elsewhere.", nil, showCheckpoint},
		{"reload", "", "Loads the rule files again. On an error the rules in force stay.", always, reload},
		{"kill-switch", "t|nil", "Turns the refusal of everything on, or, as an operator, off.", turningOff,
			killSwitch},
	}
}

// call is one use of a command.
type call struct {
	form sexpr.Value
	args []sexpr.Value // data; their quotes are taken off
}

func (c call) fail(code, format string, args ...any) error {
	return fail(code, c.form, format, args...)
}

// wrong says how the command is written.
func (c call) wrong(want string) error {
	return c.fail(CodeSyntax, "expected (%s %s)", c.form.Items()[0].Text(), want)
}

// count checks how many arguments there are.
func (c call) count(least, most int, want string) error {
	if len(c.args) < least || len(c.args) > most {
		return c.wrong(want)
	}
	return nil
}

// name is an argument that names something: a symbol, a keyword or a string.
func (c call) name(i int) string {
	if i >= len(c.args) || c.args[i].Kind() == sexpr.List || c.args[i].Kind() == sexpr.Int ||
		c.args[i].Kind() == sexpr.Float {
		return ""
	}
	return c.args[i].Text()
}

// text is a string argument.
func (c call) text(i int) (string, bool) {
	if i >= len(c.args) || c.args[i].Kind() != sexpr.String {
		return "", false
	}
	return c.args[i].Text(), true
}

// number is an argument that counts or numbers something.
func (c call) number(i int) (uint64, bool) {
	if i >= len(c.args) || c.args[i].Kind() != sexpr.Int || c.args[i].Int() < 0 {
		return 0, false
	}
	return uint64(c.args[i].Int()), true
}

// options reads what follows as :key value pairs with numbers, out of these keys.
func (c call) options(from int, keys ...string) (map[string]uint64, error) {
	out := map[string]uint64{}
	for i := from; i < len(c.args); i += 2 {
		k := c.args[i]
		n, ok := c.number(i + 1)
		if k.Kind() != sexpr.Keyword || !slices.Contains(keys, k.Text()) || !ok {
			return nil, c.fail(CodeSyntax, "found %s, expected one of :%v with a number", k, keys)
		}
		out[k.Text()] = n
	}
	return out, nil
}

func plain(v sexpr.Value, format string, args ...any) (Result, error) {
	return Result{Value: v, Out: fmt.Sprintf(format, args...), Quiet: true}, nil
}
