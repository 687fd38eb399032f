package judging

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// One reads one action or one request, as a form or as JSON, over any number of lines, to
// be judged by a policy. now is the time of a request that gives none.
func One(ctx context.Context, policy skills.Policy, text string, now time.Time) (reason.Request, error) {
	line, err := oneLine(text)
	if err != nil {
		return reason.Request{}, err
	}
	var out *reason.Request
	err = Requests(ctx, policy, strings.NewReader(line), now, func(_ json.RawMessage, r reason.Request) error {
		if out != nil {
			return errors.New("found more than one request, expected one")
		}
		out = &r
		return nil
	})
	switch {
	case err != nil:
		return reason.Request{}, err
	case out == nil:
		return reason.Request{}, errors.New("no action given")
	}
	return *out, nil
}

// oneLine is a request on one line, made of an action or a request.
func oneLine(text string) (string, error) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "{") {
		var o map[string]json.RawMessage
		var line bytes.Buffer
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			return "", fmt.Errorf("the action is not JSON: %w", err)
		}
		if o["action"] == nil {
			text = `{"action":` + text + `}`
		}
		err := json.Compact(&line, []byte(text))
		return line.String(), err
	}
	v, err := sexpr.Read("action", text)
	if err != nil {
		return "", err
	}
	if _, whole := v.Get("action"); !whole {
		v = sexpr.Plist("action", v)
	}
	return sexpr.Print(v)
}
