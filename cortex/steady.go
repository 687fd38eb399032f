package cortex

import "time"

func (e *Engine) steady() time.Time { return e.now() }

func (e *Engine) over(a *Approval) bool { return a.Expires <= e.now().Unix() }
