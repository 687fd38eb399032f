package llm

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// The waits between tries.
const (
	firstWait = 500 * time.Millisecond
	maxWait   = 20 * time.Second
)

// wait is how long to wait before the next try. It returns false if there should be
// none, also if the endpoint asks for a longer wait than ours.
func (e *Error) wait(try int) (time.Duration, bool) {
	if !e.again || e.after > maxWait {
		return 0, false
	}
	most := min(firstWait<<min(try, 10), maxWait)
	return max(most/2+rand.N(most/2), e.after), true
}

// retryAfter reads seconds or a date; 0 if there is neither.
func retryAfter(s string) time.Duration {
	const longest = 365 * 24 * 3600
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return time.Duration(min(max(n, 0), longest)) * time.Second
	}
	if t, err := http.ParseTime(s); err == nil {
		return max(time.Until(t), 0)
	}
	return 0
}

// pause waits, unless the context would end first.
func pause(ctx context.Context, d time.Duration) bool {
	if end, ok := ctx.Deadline(); ok && time.Until(end) <= d {
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
