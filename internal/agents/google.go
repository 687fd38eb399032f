package main

import (
	"encoding/json"
	"net/http"
	"strings"
)

// google speaks the Gemini API. Requests without tools are the host's own.
func google(m *model) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Tools    []json.RawMessage
			Contents []struct {
				Role  string
				Parts []struct {
					FunctionResponse *struct{ Response json.RawMessage }
				}
			}
		}
		if err := body(r, &q); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		var results []string
		for _, c := range q.Contents {
			for _, p := range c.Parts {
				if p.FunctionResponse != nil {
					results = append(results, flat(p.FunctionResponse.Response))
				}
			}
		}
		part := object{"text": "Done."}
		if len(q.Tools) > 0 {
			if s := m.next(results); s != nil {
				part = object{"functionCall": object{"name": s.tool, "args": s.args}}
			}
		}
		answer := object{"candidates": []any{object{"index": 0, "finishReason": "STOP",
			"content": object{"role": "model", "parts": []any{part}}}},
			"usageMetadata": object{"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20}}
		switch {
		case strings.HasSuffix(r.URL.Path, ":streamGenerateContent"):
			streaming(w).send("", answer)
		case strings.HasSuffix(r.URL.Path, ":countTokens"):
			_ = json.NewEncoder(w).Encode(object{"totalTokens": 10})
		default:
			_ = json.NewEncoder(w).Encode(answer)
		}
	})
}
