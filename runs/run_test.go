package runs

import (
	"context"
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/runs/ticket"
	"github.com/opencortex-go/cortex/runs/tools"
)

// A client that holds tickets of five runs, and picks the wrong one half of the time, finishes all
// five by what the errors tell it.
func TestT32_AClientThatMixesUpItsTickets(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	rnd := rand.New(rand.NewPCG(1, 32))
	named := regexp.MustCompile(`ct1-[a-z0-9-]+`)
	var all []*Run
	tickets := map[string]string{} // by how it begins
	begins := regexp.MustCompile(`^(ct1-[a-z0-9-]+)-[a-z2-7]+$`)
	keep := func(rep *tools.Reply) {
		if m := begins.FindStringSubmatch(rep.ContinueToken); m != nil {
			tickets[m[1]] = m[0]
		}
	}
	for range 5 {
		h, err := b.Begin(t.Context(), agent, &tools.StartWorkflow{WorkflowID: "acme.notes", Goal: "g"})
		require.NoError(t, err)
		all = append(all, h)
		keep(h.Reply())
	}
	wrong := 0
	for open := 5; open > 0; {
		h := all[rnd.IntN(5)]
		if h.Reply().IsComplete {
			continue
		}
		pick := h.Reply().ContinueToken
		if rnd.IntN(2) == 0 {
			for _, other := range tickets {
				pick = other
				break
			}
		}
		rep, err := h.Hand(context.Background(), &tools.ContinueWorkflow{ContinueToken: pick,
			Output: &tools.Output{NotesMarkdown: "did it"}})
		if err != nil {
			fault := tools.AsError(err)
			require.Equal(t, ticket.ScopeMismatch, fault.Code)
			wrong++
			said := named.FindString(fault.Suggestion)
			require.Contains(t, tickets, said)
			assert.Contains(t, fault.Message, all[0].Reply().Run.Label[:5])
			rep, err = h.Hand(context.Background(), &tools.ContinueWorkflow{ContinueToken: tickets[said],
				Output: &tools.Output{NotesMarkdown: "did it"}})
			require.NoError(t, err)
		}
		if keep(rep); rep.IsComplete {
			open--
		}
	}
	assert.Positive(t, wrong)
	for _, h := range all {
		rep, err := h.Read(t.Context())
		require.NoError(t, err)
		assert.True(t, rep.IsComplete)
	}
}
