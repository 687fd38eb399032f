package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/opencortex-go/cortex/reason/model"
)

// recording is the recorded model, behind the API that local models have: script.lisp
// says what it answers and what it must have been shown. It also tells the tour
// what it reads and answers, and takes its time where the tour wants it to.
type recording struct {
	*model.Scripted
	tour  *tour
	slow  chan struct{} // an answer to ben waits until this is closed
	asked chan struct{} // is closed when ben's question has arrived
}

// listen serves the model on this machine alone, until the returned function is
// called.
func (m *recording) listen() (url string, stop func() error, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	s := &http.Server{Handler: http.HandlerFunc(m.serve)}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	return "http://" + l.Addr().String() + "/v1", func() error {
		err := s.Close()
		if over := <-done; !errors.Is(over, http.ErrServerClosed) {
			err = errors.Join(err, over)
		}
		return err
	}, nil
}

// serve answers one request for a completion.
func (m *recording) serve(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var p model.Prompt
	for _, x := range asked.Messages {
		if x.Role == "system" {
			p.System += x.Content
			continue
		}
		p.Messages = append(p.Messages, model.Message{Role: model.Role(x.Role), Text: x.Content})
	}
	text, spent, err := m.answer(r.Context(), p)
	if err != nil {
		m.tour.fail(err)
		http.Error(w, "this is not in the script", http.StatusBadRequest) // not tried again
		return
	}
	w.Header().Set("Content-Type", "application/json")
	err = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{
		"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": text},
	}}, "usage": map[string]any{"prompt_tokens": spent.TokensIn, "completion_tokens": spent.TokensOut}})
	if err != nil {
		m.tour.fail(err)
	}
}

// answer is what the script says. What was recorded since is told first, then what
// the model was told about a refusal.
func (m *recording) answer(ctx context.Context, p model.Prompt) (text string, spent model.Usage, err error) {
	if len(p.Messages) == 0 {
		return "", spent, fmt.Errorf("the model was asked without a message")
	}
	last := p.Messages[len(p.Messages)-1].Text
	if strings.Contains(last, slowly) {
		text, err = m.slowly(ctx, p)
		return text, spent, err
	}
	m.tour.recite(ctx)
	if strings.HasPrefix(last, "PREVIOUS PROPOSAL REJECTED") {
		m.tour.say("feedback", "to the model: "+last)
	}
	c, err := m.Complete(ctx, p)
	if err != nil {
		return "", spent, err
	}
	text = m.tour.real(c.Text)
	m.tour.say("model", text)
	return text, c.Usage, nil
}

// slowly is in the one question that the model takes its time for.
const slowly = "think hard"

func (m *recording) slowly(ctx context.Context, p model.Prompt) (string, error) {
	close(m.asked)
	select {
	case <-m.slow:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	c, err := m.Complete(ctx, p)
	if err == nil {
		m.tour.recite(ctx)
		m.tour.say("model", "(to Ben) "+c.Text)
	}
	return c.Text, err
}
