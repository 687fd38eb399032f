package cortextest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"

	"github.com/opencortex-go/cortex/reason/model"
)

var (
	tokens  = regexp.MustCompile(`\b[a-z2-7]{16}\b`)
	numbers = regexp.MustCompile(`\b(intent|signal|decision|record) \d+`)
)

// parrot is a model that does as it is told, once, and then says what it has
// been shown: so what models are shown is compared, too.
type parrot struct{}

func (parrot) Name() string { return "parrot" }

func (parrot) Complete(ctx context.Context, prompt model.Prompt) (model.Completion, error) {
	last := prompt.Messages[len(prompt.Messages)-1]
	if told, ok := strings.CutPrefix(last.Text, "do "); ok && last.Role == model.RoleUser {
		return model.Completion{Text: told}, ctx.Err()
	}
	sum := sha256.New()
	for _, m := range prompt.Messages {
		_, _ = fmt.Fprintln(sum, m.Role, numbers.ReplaceAllString(tokens.ReplaceAllString(m.Text, "CARD"), "$1 N"))
	}
	return model.Completion{Text: fmt.Sprintf("I have seen %x", sum.Sum(nil)[:8])}, ctx.Err()
}
