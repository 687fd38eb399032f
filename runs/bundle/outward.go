package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"github.com/opencortex-go/cortex/runs/event"
)

// tickets are what looks like a ticket of either form. In JSON they stand as they are.
var tickets = regexp.MustCompile(`ct1-[a-z0-9]+(?:-[a-z0-9]+)*-[a-z2-7]{27,}` +
	`|(?:st|ack|chk)\.v1\.[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}`)

// masked puts marks in place of tickets, one mark for each.
func masked(text string) string {
	if !strings.Contains(text, "ct1-") && !strings.Contains(text, ".v1.") { // as good as all texts
		return text
	}
	return tickets.ReplaceAllStringFunc(text, func(t string) string {
		sum := sha256.Sum256([]byte(t))
		return fmt.Sprintf("[ticket %x]", sum[:4])
	})
}

// fromRoot is how paths begin that do not hang on a folder which the reader knows.
var fromRoot = regexp.MustCompile(`^([/\\~]|[A-Za-z]:|[A-Za-z][A-Za-z0-9+.-]*:/)`)

// withoutRoot is the name at the end of a path from the root; other texts stay.
func withoutRoot(path string) string {
	if !fromRoot.MatchString(path) {
		return path
	}
	path = strings.TrimRight(path, `/\`)
	return strings.TrimLeft(path[strings.LastIndexAny(path, `/\:`)+1:], "~")
}

// hidden is an observation without its absolute path. Of a folder its digest is left, so that two of
// them are still two.
func hidden(o event.Observed) event.Observed {
	if !fromRoot.MatchString(o.Value) || o.Type != "path" && o.Type != "short_string" {
		return o
	}
	sum := sha256.Sum256([]byte(o.Value))
	return event.Observed{Type: "sha256", Value: hex.EncodeToString(sum[:])}
}

// carries says what an event has that no bundle has; "" if it has nothing of the kind.
func carries(e *event.Event) string {
	switch d := e.Data.(type) {
	case *event.RunStarted:
		if fromRoot.MatchString(d.SourceRef) {
			return "an absolute path"
		}
	case *event.ObservationRecorded:
		if hidden(d.Value) != d.Value {
			return "an absolute path"
		}
	case *event.ContextSet:
		if d.Ref != "" {
			return "a context that is not written out"
		}
		if len(d.Sources) > 0 {
			return "sources of its context"
		}
	case *event.SessionCreated, *event.EdgeCreated, *event.ValidationPerformed, *event.PreferencesChanged,
		*event.CapabilityObserved, *event.GapRecorded, *event.DivergenceRecorded,
		*event.DecisionTraceAppended, *event.NodeCreated, *event.AdvanceRecorded, *event.NodeOutputAppended:
	}
	return ""
}
