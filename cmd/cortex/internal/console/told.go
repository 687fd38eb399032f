package console

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// UntilTold returns a context that ends with the first SIGTERM or SIGINT. A
// second one ends the process: what was acknowledged is durable, and is taken up
// at the next start.
func UntilTold(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	told := make(chan os.Signal, 2)
	signal.Notify(told, syscall.SIGTERM, syscall.SIGINT)
	over := make(chan struct{})
	go func() {
		for range 2 {
			select {
			case <-told:
			case <-over:
				return
			}
			if ctx.Err() != nil {
				os.Exit(1)
			}
			cancel()
		}
	}()
	return ctx, func() { signal.Stop(told); close(over); cancel() }
}
