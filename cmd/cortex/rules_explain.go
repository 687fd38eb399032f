package main

import (
	"io"
	"time"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/authoring"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/judging"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/reason/author"
	"github.com/opencortex-go/cortex/skills/rules"
)

// rulesExplain says why an action is decided as it is.
type rulesExplain struct {
	rulesFlag
	Action string `arg:"" help:"An action such as '(:tool \"shell\" :args (:cmd \"ls\"))', or a whole request as cortex decide reads it; - reads one from standard input."`
}

// Run exits 0 whatever is decided.
func (c *rulesExplain) Run(p *program) error {
	book, err := c.load()
	if err != nil {
		return p.rulesError(err)
	}
	req, err := p.request(book, c.Action)
	if err != nil {
		return err
	}
	x := author.Explain(p.ctx, book, req)
	if p.JSON {
		return p.Print(authoring.ExplainJSON(x))
	}
	authoring.Explain(&p.Console, x)
	return nil
}

// request reads one action or request on tools of a book, as a form or as JSON; "-" is
// standard input.
func (p *program) request(book *rules.Rulebook, text string) (reason.Request, error) {
	if text == "-" {
		all, err := io.ReadAll(io.LimitReader(p.In, 1<<24))
		if err != nil {
			return reason.Request{}, err
		}
		text = string(all)
	}
	return judging.One(p.ctx, book, text, time.Now())
}
