package client

import (
	"context"

	"github.com/opencortex-go/cortex/notes/desk"
	"github.com/opencortex-go/cortex/sexpr"
)

// Notes carries out what a person orders about notes, with its fields as JSON.
func (c Calls) Notes(ctx context.Context, verb string, params []byte) (desk.Answer, error) {
	v, err := c.call(ctx, "notes", sexpr.Str(verb), sexpr.Str(string(params)))
	if err != nil {
		return desk.Answer{}, err
	}
	return desk.Answer{Text: v.GetText("text"), JSON: []byte(v.GetText("json"))}, nil
}
