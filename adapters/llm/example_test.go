package llm_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"

	"github.com/opencortex-go/cortex/adapters/llm"
	"github.com/opencortex-go/cortex/reason/model"
)

// A cascade: the first provider fails, the second one is heard. An engine gets
// the same list as cortex.Options.Providers.
func Example() {
	providers, err := llm.NewAll([]llm.Config{
		{Name: "down", Kind: llm.Exec, Command: []string{"false"}},
		{Name: "up", Kind: llm.Exec, Command: []string{"echo", "Hello."}, Format: "text"},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = llm.CloseAll(providers) }()
	thinker := &model.Thinker{Providers: providers, Health: &model.Health{}, Logger: slog.New(slog.DiscardHandler)}
	answer, err := thinker.Think(context.Background(), model.Turn{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Provider, answer.Prose)
	// Output: up Hello.
}
