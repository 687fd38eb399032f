package capabilities

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/opencortex-go/cortex/sexpr"
)

// The tags of a block that proposes a start, by the Agent-Skill protocol (R12).
const (
	blockOpen  = "<SKILL_PROPOSE>"
	blockClose = "</SKILL_PROPOSE>"
)

// maxBlock bounds a block, in bytes.
const maxBlock = 64 << 10

// proposed is what stands in a block.
type proposed struct {
	Skill  string          `json:"skill_id"`
	Why    string          `json:"why"`
	Inputs json.RawMessage `json:"inputs"`
}

// Block implements [engine.Capabilities]. A reply has one block at most. One that repeats what a tool or
// another untrusted text said is a quotation, and proposes nothing.
func (c *Capabilities) Block(prose string, quoted []string) (form sexpr.Value, ok bool, err error) {
	_, rest, found := strings.Cut(prose, blockOpen)
	if !found {
		return form, false, nil
	}
	body, after, closed := strings.Cut(rest, blockClose)
	switch {
	case !closed:
		return form, true, errors.New("the block " + blockOpen + " has no end; close it with " + blockClose)
	case strings.Contains(after, blockOpen) || strings.Contains(body, blockOpen):
		return form, true, errors.New("two blocks " + blockOpen + " in one reply; propose one at a time")
	case len(body) > maxBlock:
		return form, true, fmt.Errorf("a block of %d bytes, expected at most %d", len(body), maxBlock)
	}
	said := loose(body)
	for _, q := range quoted {
		if said != "" && strings.Contains(loose(q), said) {
			return form, false, nil
		}
	}
	var p proposed
	d := json.NewDecoder(strings.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil || d.More() {
		return form, true, fmt.Errorf("the block holds no JSON object with skill_id, why and inputs: %w",
			errors.Join(err, d.Decode(new(struct{}))))
	}
	if p.Skill == "" {
		return form, true, errors.New(`the block has no "skill_id"`)
	}
	args := sexpr.EmptyObject()
	if len(p.Inputs) > 0 {
		if args, err = sexpr.FromJSON(p.Inputs); err != nil || !args.IsObject() {
			return form, true, errors.Join(errors.New(`the "inputs" of the block are not a JSON object`), err)
		}
	}
	form = sexpr.Plist("type", sexpr.Key("request"), "target", sexpr.Key("tool"), "tool", sexpr.Str(p.Skill), "args", args)
	if p.Why != "" {
		form = form.With("explanation", sexpr.Str(p.Why))
	}
	return form, true, nil
}

// loose is a text without what differs between a text and the same text in a field, in quoted lines or laid out:
// only its letters and digits, in lower case.
func loose(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, escapes.ReplaceAllString(text, " "))
}

// escapes are what JSON, at any depth, and HTML write with letters for marks.
var escapes = regexp.MustCompile(`\\+([nrt]|u00[0-9a-fA-F]{2})?|&[a-z0-9#]{1,6};`)
