package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// Refuse returns what stands in for a message of a server that was refused: for the client, an error for each
// request that it may have answered; for the server, an error if it was a request, or nil.
func Refuse(raw []byte, why error) (client []*Message, server *Message) {
	part := glimpse(raw)
	if part.answer || !part.request {
		for _, id := range part.ids {
			client = append(client, Unread(id))
		}
	}
	var f *Fault
	if part.request && errors.As(why, &f) {
		if f.ID == nil && len(part.ids) > 0 {
			f = &Fault{Code: f.Code, Text: f.Text, ID: part.ids[0]}
		}
		server = f.Answer()
	}
	return client, server
}

// Unread is what a client gets in place of an answer that was refused. It repeats nothing of that.
func Unread(id json.RawMessage) *Message {
	return Failure(id, CodeInternal,
		"the server's answer was refused: it is not a JSON-RPC message that all programs read "+
			"in one way")
}

// part is what can be seen of a text that was refused.
type part struct {
	ids             []json.RawMessage
	method          string // the first
	request, answer bool   // it has a method; it has a result or an error
}

// maxIDs bounds the ids that are read out of one text.
const maxIDs = 64

// glimpse looks for the ids in a text that may be no JSON, one message or several, up to where it breaks off.
func glimpse(raw []byte) (found part) {
	d := json.NewDecoder(bytes.NewReader(bytes.ToValidUTF8(bytes.TrimPrefix(raw, bom), []byte("\uFFFD"))))
	d.UseNumber()
	var open []json.Delim // what encloses the next token
	key, isKey := "", false
	for {
		t, err := d.Token()
		if err != nil {
			return found
		}
		within := len(open) > 0 && open[len(open)-1] == '{'
		outer := within && (len(open) == 1 || len(open) == 2 && open[0] == '[')
		if within && !isKey {
			if name, ok := t.(string); ok {
				key, isKey = strings.ToLower(name), true
				found.request = found.request || outer && key == "method"
				found.answer = found.answer || outer && (key == "result" || key == "error")
				continue
			}
		}
		isKey = false
		switch t := t.(type) {
		case json.Delim:
			if t == '{' || t == '[' {
				open = append(open, t)
			} else {
				open = open[:len(open)-1]
			}
		case string, json.Number:
			if name, ok := t.(string); ok && outer && key == "method" && found.method == "" {
				found.method = name
			}
			if outer && key == "id" && len(found.ids) < maxIDs {
				id := json.RawMessage(Encode(t))
				same := func(other json.RawMessage) bool { return IDKey(other) == IDKey(id) }
				if !slices.ContainsFunc(found.ids, same) {
					found.ids = append(found.ids, id)
				}
			}
		}
	}
}
