package runs

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/tools"
)

// sureSteps ask a person about a word, let the agent say something, and file the word.
const sureSteps = `{"id":"one","title":"First","prompt":"Do one."},` +
	`{"id":"sure","title":"Ask","person":{"kind":"confirm","question":"File {{word}} for {{to.name}}?"}},` +
	`{"id":"say","title":"Say","prompt":"Say so."},` +
	`{"id":"file","title":"File it","tool":"note","args":{"text":"{{word}}"},"needs":["sure"]},` +
	`{"id":"two","title":"Second","prompt":"Do two."}`

const sureWork = `,"context":{"word":"hello","to":{"name":"ann","note":"x"}}`

// atSay starts a run of steps and has a person confirm, so that the agent is to say something. It returns
// the first ticket, and one for that place.
func atSay(t *testing.T, steps string) (d *driven, first, say *tools.Reply) {
	d = newDriven(t, Options{}, flow("acme.file", steps))
	first = d.start("acme.file", sureWork)
	rep := d.notes(first.ContinueToken, "did one")
	d.rest(rep)
	require.NoError(t, d.e.Approve(t.Context(), d.card().Token, boss))
	d.rest(rep)
	say = d.read(rep.ContinueToken)
	require.Equal(t, "say", say.Pending.StepID)
	return d, first, say
}

func (b *bench) withWork(token, context string) *tools.Reply {
	b.t.Helper()
	return b.reply(tools.Continue, `{"continueToken":"`+token+`","output":{"notesMarkdown":"n"},"context":`+context+`}`)
}

func TestAnAgentChangesNothingThatAPersonConfirmed(t *testing.T) {
	for name, context := range map[string]string{"another value": `{"word":"evil"}`, "deleted": `{"word":null}`,
		"beside others": `{"more":1,"word":"evil"}`, "inside a value": `{"to":{"name":"eve","note":"x"}}`} {
		t.Run(name, func(t *testing.T) {
			d, _, say := atSay(t, sureSteps)
			rep := d.withWork(say.ContinueToken, context)
			require.Equal(t, "blocked", rep.Kind)
			assert.Regexp(t, `the key (word|to) was confirmed by a person at step sure`, rep.Blockers[0].Message)
			d.rest(rep)
			assert.Empty(t, d.done())
			rep = d.notes(rep.RetryToken, "said")
			d.rest(rep)
			assert.Equal(t, []string{"note hello"}, d.done())
			assert.NotContains(t, textOf(d.read(rep.ContinueToken)), "evil")
		})
	}
}

func TestAnAgentChangesWhatNoPersonSaw(t *testing.T) {
	d, _, say := atSay(t, sureSteps)
	rep := d.withWork(say.ContinueToken, `{"word":"hello","to":{"name":"ann","note":"y"},"mine":2}`)
	require.Equal(t, "ok", rep.Kind, textOf(rep.Blockers))
	d.rest(rep)
	assert.Equal(t, []string{"note hello"}, d.done())
}

// What the step gives is the agent's to write. The confirmation was of another value, so the step that
// rests on it is not taken before a person has looked.
func TestAStepIsNotTakenOnAConfirmationOfOtherValues(t *testing.T) {
	d, _, say := atSay(t, `{"id":"one","title":"First","prompt":"Do one."},`+
		`{"id":"sure","title":"Ask","person":{"kind":"confirm","question":"File {{word}} for {{to.name}}?"}},`+
		`{"id":"say","title":"Say","prompt":"Say so.","gives":["word"]},`+
		`{"id":"between","title":"Between","tool":"fragile","args":{"text":"x"},"needs":["one"]},`+
		`{"id":"file","title":"File it","tool":"note","args":{"text":"{{word}}"},"needs":["between","sure"]},`+
		`{"id":"two","title":"Second","prompt":"Do two."}`)
	rep := d.withWork(say.ContinueToken, `{"word":"evil"}`)
	require.Equal(t, "ok", rep.Kind, textOf(rep.Blockers))
	d.rest(rep)
	assert.Equal(t, []string{"fragile x"}, d.done(), "what rests on something else is taken")
	rep = d.read(rep.ContinueToken)
	assert.Equal(t, "blocked", rep.Kind)
	assert.Contains(t, rep.Text, "rests on step sure, where a person confirmed {{word}}")
	assert.Contains(t, rep.Text, "cortex run release "+rep.Run.Label)
	require.NoError(t, d.Release(t.Context(), ana, d.log(rep).Session, "", "it may be"))
	d.rest(rep)
	assert.Equal(t, []string{"fragile x", "note evil"}, d.done())
}

// Work is the whole run's: another branch may change it before anybody has confirmed there.
func TestAnotherBranchDoesNotChangeWhatWasConfirmed(t *testing.T) {
	d, first, say := atSay(t, sureSteps)
	fork := d.withWork(d.read(first.ContinueToken).ContinueToken, `{"word":"evil"}`)
	require.Equal(t, "ok", fork.Kind)
	d.rest(fork)
	rep := d.notes(say.ContinueToken, "said")
	d.rest(rep)
	assert.Empty(t, d.done())
	assert.Contains(t, d.read(rep.ContinueToken).Text, "that has another value now")
}

func TestAnAgentChangesNothingThatAPersonAnswered(t *testing.T) {
	d := newDriven(t, Options{}, flow("acme.ask",
		`{"id":"who","title":"Who","person":{"kind":"answer","question":"Who?"},"gives":["word"]},`+
			`{"id":"say","title":"Say","prompt":"Say so."},`+
			`{"id":"file","title":"File it","tool":"note","args":{"text":"{{word}}"}},`+
			`{"id":"two","title":"Second","prompt":"Do two.","gives":["word"]},`+
			`{"id":"three","title":"Third","prompt":"Do three."}`))
	rep := d.start("acme.ask", "")
	d.rest(rep)
	_, err := d.e.Approvals().Answer(t.Context(), d.card().Token, boss, "hello")
	require.NoError(t, err)
	d.rest(rep)
	rep = d.withWork(d.read(rep.ContinueToken).ContinueToken, `{"word":"evil"}`)
	require.Equal(t, "blocked", rep.Kind)
	assert.Contains(t, rep.Blockers[0].Message, "the key word was set by a person")
	rep = d.withWork(rep.RetryToken, `{"word":"hello"}`)
	log := d.rest(rep)
	assert.Equal(t, []string{"note hello"}, d.done())
	assert.Contains(t, log.Context.Sources, "word", "who repeats a value does not own it")
	rep = d.withWork(d.read(rep.ContinueToken).ContinueToken, `{"word":"mine"}`)
	assert.Equal(t, "ok", rep.Kind, "the step gives it")
}

func TestABranchThatIsLeftTakesItsCardWithIt(t *testing.T) {
	for name, steps := range map[string]string{
		"a question":     sureSteps,
		"a confirmation": `{"id":"one","title":"First","prompt":"Do one."},` + confirmedTool,
		"a step of a tool": `{"id":"one","title":"First","prompt":"Do one."},` +
			`{"id":"file","title":"File it","tool":"publish","args":{"text":"{{word}}"}},{"id":"two","title":"S","prompt":"p"}`,
	} {
		t.Run(name, func(t *testing.T) {
			d := newDriven(t, Options{}, flow("acme.file", steps))
			first := d.start("acme.file", sureWork)
			rep := d.notes(first.ContinueToken, "did one")
			d.rest(rep)
			left := d.card()
			fork := d.withWork(d.read(first.ContinueToken).ContinueToken, `{"word":"other"}`)
			d.rest(fork)
			now := d.card()
			assert.NotEqual(t, left.Token, now.Token)
			require.Error(t, d.e.Approve(t.Context(), left.Token, boss))
			require.NoError(t, d.e.Approve(t.Context(), now.Token, boss))
			d.rest(fork)
			assert.NotContains(t, d.done(), "note hello")
		})
	}
}

const confirmedTool = `{"id":"file","title":"File it","tool":"note","args":{"text":"{{word}}"},` +
	`"requireConfirmation":{"kind":"human_approval"}},{"id":"two","title":"Second","prompt":"Do two."}`

// The card of a step of a tool shows its call, and names the run.
func TestACardOfARunNamesIt(t *testing.T) {
	d := newDriven(t, Options{}, flow("acme.file", confirmedTool))
	rep := d.start("acme.file", sureWork)
	d.rest(rep)
	card := d.card()
	assert.Contains(t, card.Action.Args().GetText("question"), `It calls note (:text "hello")`)
	assert.Equal(t, "workflow acme.file, run "+rep.Run.Label+`, goal "get it done", step file: File it`,
		card.Action.Explanation())
	rep = d.read(rep.ContinueToken)
	assert.Equal(t, tools.AwaitPerson, rep.NextIntent)
	assert.Contains(t, rep.Text, "card "+card.Token)
	assert.Contains(t, rep.Text, "cortex approvals show "+card.Token)
}

func TestADeniedConfirmationBlocksWithItsReason(t *testing.T) {
	for name, steps := range map[string]string{"a step of a tool": confirmedTool,
		"a step of an agent": `{"id":"act","title":"Act","prompt":"Act.","requireConfirmation":true},{"id":"two","title":"S","prompt":"p"}`,
	} {
		t.Run(name, func(t *testing.T) {
			d := newDriven(t, Options{}, flow("acme.file", steps))
			rep := d.start("acme.file", sureWork)
			d.rest(rep)
			require.NoError(t, d.e.Deny(t.Context(), d.card().Token, boss, "not today"))
			log := d.rest(rep)
			assert.Equal(t, event.BlockedNode, log.Tip().Kind)
			if name == "a step of an agent" {
				rep = d.notes(rep.ContinueToken, "did it")
				assert.Contains(t, rep.Text, "not today")
				rep = d.notes(rep.RetryToken, "did it again")
				assert.Contains(t, rep.Text, "not today")
				d.rest(rep)
			}
			again := d.read(rep.ContinueToken + rep.RetryToken)
			assert.Equal(t, "blocked", again.Kind)
			assert.Contains(t, again.Text, "A person did not confirm step")
			assert.Contains(t, again.Text, "not today")
			assert.Contains(t, again.Text, "cortex run release "+again.Run.Label)
			assert.Empty(t, d.done())
			require.NoError(t, d.Release(t.Context(), ana, log.Session, "", "today after all"))
			d.rest(rep)
			again = d.read(rep.ContinueToken + rep.RetryToken)
			assert.Equal(t, "ok", again.Kind)
			if name == "a step of a tool" {
				assert.Equal(t, []string{"note hello"}, d.done())
				assert.Equal(t, "two", again.Pending.StepID)
			}
		})
	}
}

// A condition may begin to hold once the step is due; then one question is enough.
func TestAConfirmationThatIsNeededOnlyLaterEnds(t *testing.T) {
	d := newDriven(t, Options{}, flow("acme.file", `{"id":"one","title":"First","prompt":"Do one."},`+
		`{"id":"act","title":"Act","prompt":"Act.","requireConfirmation":{"var":"grave","equals":true}},`+
		`{"id":"two","title":"S","prompt":"p"}`))
	first := d.start("acme.file", "")
	act := d.notes(first.ContinueToken, "did one")
	require.Equal(t, tools.Perform, act.NextIntent)
	fork := d.withWork(d.read(first.ContinueToken).ContinueToken, `{"grave":true}`)
	d.rest(fork)
	early := d.notes(act.ContinueToken, "did it") // of the first branch, which is not confirmed
	require.Equal(t, "blocked", early.Kind)
	d.rest(early)
	require.NoError(t, d.e.Approve(t.Context(), d.card().Token, boss))
	d.rest(early)
	assert.Equal(t, "two", d.notes(early.RetryToken, "did it").Pending.StepID)
}

func TestADeletedRunTakesItsCardWithIt(t *testing.T) {
	d := newDriven(t, Options{}, flow("acme.file", confirmedTool))
	rep := d.start("acme.file", sureWork)
	log := d.rest(rep)
	card := d.card()
	require.NoError(t, d.Delete(t.Context(), ana, log.Session))
	require.Error(t, d.e.Approve(t.Context(), card.Token, boss))
	d.reboot()
	for _, err := range d.e.Pending(t.Context()) {
		require.NoError(t, err)
		assert.Fail(t, "the card of a deleted run waits for an answer")
	}
}

// Who releases a step instead of answering its card has answered it.
func TestAReleasedStepTakesItsCardWithIt(t *testing.T) {
	d := newDriven(t, Options{}, flow("acme.file", confirmedTool))
	rep := d.start("acme.file", sureWork)
	log := d.rest(rep)
	card := d.card()
	require.NoError(t, d.Release(t.Context(), ana, log.Session, "", "fine"))
	d.rest(rep)
	assert.Equal(t, []string{"note hello"}, d.done())
	require.Error(t, d.e.Approve(t.Context(), card.Token, boss))
}
