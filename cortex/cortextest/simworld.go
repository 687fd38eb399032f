package cortextest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/sexpr"
)

// simWorld is what engines act on. It outlives them.
type simWorld struct {
	s *simulation

	mu   sync.Mutex
	life int
}

func (w *simWorld) next() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.life++
}

// effect changes the world, where there is power to do so. A tool that honours its key
// does so once.
func (w *simWorld) effect(key string, a *cortex.Action) {
	if !w.s.disk.on() {
		return
	}
	a = w.s.fault.other(a)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.s.honours[a.Tool()] && w.s.books.Happened(key) {
		return
	}
	w.s.books.Effect(key, a)
}

// Act implements [act.Actuator]: some calls fail, some break off, and some never
// answer, before or after they have changed the world.
func (w *simWorld) Act(ctx context.Context, c act.Call) (cortex.Receipt, error) {
	last := w.s.stagger()
	w.mu.Lock()
	life := w.life
	w.mu.Unlock()
	dice := int(sexpr.DigestText("sim", fmt.Sprint(c.Key, " ", life))[0])
	select {
	case <-time.After(time.Duration(dice%16) * 977 * time.Millisecond):
	case <-ctx.Done():
		last()
		return cortex.Receipt{State: act.Nothing, Text: "stopped before it began"}, nil
	}
	last()
	switch {
	case dice < 16:
		return cortex.Receipt{State: act.Failed}, errors.New("no line")
	case dice < 28:
		return cortex.Receipt{State: act.Nothing, Text: "not today"}, nil
	case dice < 48: // done, and the answer is lost
		w.effect(c.Key, c.Action)
		fallthrough
	case dice < 60:
		<-ctx.Done()
		last()
		return cortex.Receipt{}, ctx.Err()
	case dice < 68:
		w.effect(c.Key, c.Action)
		panic("the tool breaks off")
	}
	w.effect(c.Key, c.Action)
	return cortex.Receipt{State: act.Done, Text: "done"}, nil
}
