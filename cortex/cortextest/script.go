package cortextest

import (
	"testing"

	"github.com/opencortex-go/cortex/reason/model"
)

// Script returns a model that plays these replies, as [model.Scripted] describes them, for
// Options.Models. The test fails if the replies cannot be read, and if some are left at its
// end that do not repeat.
func Script(tb testing.TB, replies string) *model.Scripted {
	tb.Helper()
	s, err := model.NewScripted("script", "script.lisp", replies)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if left := s.Left(); len(left) > 0 && !tb.Failed() {
			tb.Errorf("the model was not asked for the replies at %v", left)
		}
	})
	return s
}
