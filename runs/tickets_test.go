package runs

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/runs/ticket"
	"github.com/opencortex-go/cortex/runs/tools"
)

// inFolder is runs on a record in a folder.
func inFolder(t *testing.T, dir string) *bench {
	e, err := cortex.Open(t.Context(), cortex.Options{Dir: dir, Live: true, Heartbeat: 24 * time.Hour,
		Rules: fstest.MapFS{"rules.lisp": {Data: []byte("(defaults :unknown-tool :ask)")}}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = e.Close() })
	b := &bench{t: t, e: e, library: stock{}}
	b.library.put(t, linearFlow)
	b.opt = Options{Library: b.library}
	b.open()
	return b
}

// tree makes a run with several places, and returns the tickets of all, the shared ones first.
func (b *bench) tree(more string, tickets ...string) []string {
	b.t.Helper()
	if len(tickets) == 0 {
		for range 3 {
			rep := b.start("acme.play", `,"context":{"topic":"cats"}`)
			tickets = append(tickets, rep.ContinueToken)
		}
	}
	add := func(rep *tools.Reply) string {
		if t := rep.ContinueToken + rep.RetryToken; t != "" {
			tickets = append(tickets, t)
		}
		return rep.ContinueToken
	}
	for _, token := range tickets {
		next := add(b.notes(token, "one "+more))
		blocked := b.notes(next, " ")
		add(blocked)
		add(b.read(next)) // what copies of a record have in common fits both
		add(b.notes(blocked.RetryToken, "two "+more))
	}
	return tickets
}

// forge makes a ticket that is none here, of good ones and of those of other records.
func forge(rng *rand.Rand, good, foreign []string) string {
	const letters = "abcdefghijklmnopqrstuvwxyz234567ABCXYZ0189-_.= "
	pick := func() string { return good[rng.IntN(len(good))] }
	a, b := pick(), pick()
	at := rng.IntN(len(a))
	switch rng.IntN(9) {
	case 0, 1: // one letter is another
		return a[:at] + string(letters[rng.IntN(len(letters))]) + a[at+1:]
	case 2: // cut
		return a[:at]
	case 3: // a letter is missing, or one too many
		return a[:at] + a[at+1:]
	case 4:
		return a[:at] + string(letters[rng.IntN(len(letters))]) + a[at:]
	case 5: // two in one
		return a + []string{"", " ", "\n", "-"}[rng.IntN(4)] + b
	case 6: // the head of one and the tail of another
		return a[:at] + b[min(at, len(b)):]
	case 7: // the payload of one under the signature of another
		const sig = 14
		return a[:len(a)-sig] + b[len(b)-sig:]
	}
	return foreign[rng.IntN(len(foreign))]
}

var laterForm = regexp.MustCompile(`^\s*ct[2-9]-`)

// No forged ticket is taken: not one that was spoiled, not one that was put together of others, not
// one of another record, and not one of a restored copy of this record that went another way.
func TestT29_NoForgedTicketIsTaken(t *testing.T) {
	trials, root := crashtest.Number("CORTEX_TICKETS", 10_000), t.TempDir()
	old := inFolder(t, filepath.Join(root, "old"))
	shared := old.tree("before")
	open := shared[len(shared)-1:] // of the last run's third step
	require.NoError(t, old.e.Close())
	require.NoError(t, os.CopyFS(filepath.Join(root, "new"), os.DirFS(filepath.Join(root, "old"))))
	b, restored, other := inFolder(t, filepath.Join(root, "new")), inFolder(t, filepath.Join(root, "old")),
		inFolder(t, filepath.Join(root, "other"))
	foreign := append(restored.tree("restored", open...)[1:], other.tree("other")...)
	good := append(b.tree("new", open...), shared...)
	mine := map[string]bool{}
	for _, text := range good {
		mine[text] = true
	}
	foreign = slices.DeleteFunc(foreign, func(text string) bool { return mine[text] })
	require.NotEmpty(t, foreign)
	before := b.e.Journal().Head()
	rng, count := rand.New(rand.NewPCG(uint64(crashtest.Number("CORTEX_SEED", 1)), 29)), map[tools.Code]int{}
	for tried := 0; tried < trials; {
		bad := forge(rng, good, foreign)
		if mine[strings.TrimSpace(bad)] || strings.TrimSpace(bad) == "" {
			continue // it is as good as before, or no ticket at all
		}
		tried++
		calls := []tools.Call{&tools.ContinueWorkflow{ContinueToken: bad, Intent: "rehydrate"},
			&tools.ContinueWorkflow{ContinueToken: bad, Output: &tools.Output{NotesMarkdown: "x"}},
			&tools.CheckpointWorkflow{CheckpointToken: bad}}
		_, err := b.Call(context.Background(), agent, calls[rng.IntN(3)])
		require.Error(t, err, "%q was taken", bad)
		code := tools.AsError(err).Code
		if count[code]++; code == ticket.UnsupportedVersion {
			require.Regexp(t, laterForm, bad)
			continue
		}
		require.Contains(t, []tools.Code{ticket.InvalidFormat, ticket.UnknownNode, ticket.BadSignature}, code,
			"%q: %v", bad, err)
		if len(bad) > 20 {
			require.NotContains(t, err.Error(), strings.TrimSpace(bad), "an error does not quote a ticket")
		}
	}
	assert.Equal(t, before, b.e.Journal().Head(), "nothing is written")
	for _, code := range []tools.Code{ticket.InvalidFormat, ticket.UnknownNode, ticket.BadSignature} {
		assert.Positive(t, count[code], "%s", code)
	}
	crashtest.Result{Harness: "forged-tickets", Trials: trials, Seed: 1, More: textOf(count)}.Report(t)
}

// A log of another family never counts as a run, whatever a ticket says.
func TestT32_ATicketOfALogThatIsNoRun(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	b.start("acme.notes", "")
	out, err := b.logs.Append(t.Context(), logs.Write{Log: "board_1", Family: "board"}, func(tx *logs.Tx) error {
		_, err := tx.Event(logs.Event{ID: "evt_1", Kind: "noted", Dedupe: "noted", Data: "{}"})
		return err
	})
	require.NoError(t, err)
	keys, err := b.keys()
	require.NoError(t, err)
	text, err := (&ticket.Ticket{Label: "a", Kind: ticket.Continue, First: out.Record}).Mint(keys.Current, out.Hash)
	require.NoError(t, err)
	_, fault := b.call(agent, tools.Continue, `{"continueToken":"`+text+`","intent":"rehydrate"}`)
	assert.Equal(t, ticket.UnknownNode, fault.Code)
}
