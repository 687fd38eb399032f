package judging

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
)

// answer is one line of answers.
type answer struct {
	ID       json.RawMessage `json:"id"`
	Decision string          `json:"decision"`
	Error    string          `json:"error,omitempty"`
	*judged
}

// judged is what only a line has that could be judged.
type judged struct {
	Key     string          `json:"key"`
	Reasons []why           `json:"reasons"`
	Hint    json.RawMessage `json:"hint,omitempty"`   // an edit of the arguments that would be allowed
	Action  json.RawMessage `json:"action,omitempty"` // as it stands after all rewrites
	Digest  string          `json:"digest,omitempty"`
	Policy  string          `json:"policy"`
	Now     string          `json:"now,omitempty"` // the daemon does not say
	Micros  float64         `json:"micros"`
	Record  uint64          `json:"record,omitempty"`   // of the decision, in the daemon's journal
	Token   string          `json:"approval,omitempty"` // of the card that people are asked by
	Trace   []step          `json:"trace,omitempty"`
	Origins []found         `json:"origins,omitempty"` // with a trace, where the rules ask for them
}

// why is one reason, as a model may see it: details stay in traces.
type why struct {
	Key       string `json:"key"`
	Pos       string `json:"pos,omitempty"`
	Text      string `json:"text"`
	Retryable bool   `json:"retryable"`
}

type step struct {
	Round   int             `json:"round"`
	Gate    string          `json:"gate"`
	Outcome reason.Outcome  `json:"outcome"`
	Note    string          `json:"note,omitempty"`
	Set     json.RawMessage `json:"set,omitempty"`
}

func answerOf(r *request, d *reason.Decision) answer {
	a := answer{ID: r.id, Decision: d.Kind.String(), judged: &judged{
		Key: d.Key, Reasons: []why{}, Policy: d.Policy.String(), Now: r.now, Micros: micros(d.Elapsed),
	}}
	for _, w := range d.Reasons {
		a.Reasons = append(a.Reasons, why{Key: w.Key, Pos: w.Place(), Text: w.Text, Retryable: w.Retryable})
	}
	if d.Hint != nil && !d.Hint.Edit.IsNil() {
		a.Hint, _ = sexpr.ToJSON(d.Hint.Edit)
	}
	if d.Action != nil {
		a.Digest = d.Action.Digest().String()
		// An action has a canonical form, and so it has JSON.
		a.Action, _ = sexpr.ToJSON(sexpr.Plist("tool", sexpr.Str(d.Action.Tool()), "args", d.Action.Args()))
	}
	for _, s := range d.Trace {
		t := step{Round: s.Round, Gate: s.Gate, Outcome: s.Outcome, Note: s.Note}
		if !s.Diff.IsNil() {
			t.Set, _ = sexpr.ToJSON(s.Diff)
		}
		a.Trace = append(a.Trace, t)
	}
	return a
}

// micros rounds to a tenth of a microsecond.
func micros(d time.Duration) float64 {
	return math.Round(float64(d)/float64(time.Microsecond)*10) / 10
}

// Stats counts what was decided and how long it took.
type Stats struct {
	Kinds    [3]int // decisions, by reason.Kind
	Bad      int    // lines that could not be judged
	elapsed  []time.Duration
	from, to time.Time
}

func (s *Stats) add(kind reason.Kind, took time.Duration) {
	s.Kinds[kind]++
	s.elapsed = append(s.elapsed, took)
}

// bad answers a line that cannot be judged: it is denied, and the run goes on.
func (s *Stats) bad(r *request, line []byte, why error) answer {
	s.Bad++
	return answer{ID: idOf(r, line), Decision: reason.Deny.String(), Error: why.Error()}
}

// Decisions is how many lines were judged.
func (s *Stats) Decisions() int { return len(s.elapsed) }

// String gives the figures, two lines: p50 and p99 of judging alone, the rate with
// reading and writing.
func (s *Stats) String() string {
	slices.Sort(s.elapsed)
	n := len(s.elapsed)
	rate := 0.0
	if took := s.to.Sub(s.from).Seconds(); took > 0 {
		rate = float64(n) / took
	}
	return fmt.Sprintf("decisions %d: allow %d, ask %d, deny %d; bad lines %d\n"+
		"judging: p50 %.1f us, p99 %.1f us; %.0f decisions a second with reading and writing\n",
		n, s.Kinds[reason.Allow], s.Kinds[reason.Ask], s.Kinds[reason.Deny], s.Bad,
		micros(s.quantile(0.50)), micros(s.quantile(0.99)), rate)
}

func (s *Stats) quantile(q float64) time.Duration {
	if len(s.elapsed) == 0 {
		return 0
	}
	return s.elapsed[min(len(s.elapsed)-1, int(q*float64(len(s.elapsed))))]
}
