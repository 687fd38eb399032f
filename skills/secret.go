package skills

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
)

// SecretMark stands in place of a secret wherever it is shown.
const SecretMark = "[secret]"

// MinSecret is the length in bytes of the shortest secret that [Secrets] looks for in other
// texts. A shorter one would be found everywhere; it is hidden where it is declared alone.
const MinSecret = 6

// VaultName returns the name in an argument (:vault "name"), which refers to a secret that
// only the actuator gets to see. Gates, people and the record see the name.
func VaultName(arg sexpr.Value) (name string, ok bool) {
	if !arg.IsPlist() || arg.Len() != 2 || !arg.Items()[0].IsKey("vault") {
		return "", false
	}
	v := arg.Items()[1]
	return v.Text(), v.Kind() == sexpr.String && v.Text() != ""
}

// Hides reports whether an argument is one of the tool's secrets, given its name and value:
// a reference to a vault is none.
func (t *Tool) Hides(name string, arg sexpr.Value) bool {
	_, reference := VaultName(arg)
	return !reference && slices.ContainsFunc(t.Secret, func(s string) bool { return strings.EqualFold(s, name) })
}

// WithoutSecrets returns arguments of the tool's with [SecretMark] in place of the secret
// ones, and wherever another quotes one.
func (t *Tool) WithoutSecrets(args sexpr.Value) sexpr.Value {
	if len(t.Secret) == 0 {
		return args
	}
	out := t.SecretsIn(args).Cover(args)
	for kv := args.Items(); len(kv) > 1; kv = kv[2:] {
		if t.Hides(kv[0].Text(), kv[1]) {
			out = out.With(kv[0].Text(), sexpr.Str(SecretMark))
		}
	}
	return out
}

// SecretsIn returns the texts of the secret ones among arguments of the tool's.
func (t *Tool) SecretsIn(args sexpr.Value) (found Secrets) {
	for kv := args.Items(); len(t.Secret) > 0 && len(kv) > 1; kv = kv[2:] {
		if t.Hides(kv[0].Text(), kv[1]) {
			found = found.With(kv[1])
		}
	}
	return found
}

// Secrets are texts that are not to be shown, in every spelling that is looked for, the
// longest first. It is immutable.
type Secrets []string

// With returns the secrets with the texts and numbers in a value added, which are at least
// [MinSecret] long, as they are and as texts commonly quote them: escaped as a string of this
// notation, of JSON, of Go and of URLs, and in base64.
func (s Secrets) With(v sexpr.Value) Secrets {
	switch v.Kind() {
	case sexpr.String:
		return s.add(spellings(v.Text()))
	case sexpr.Int, sexpr.Float:
		return s.add([]string{v.String()})
	case sexpr.List:
		for _, x := range v.Items() {
			s = s.With(x)
		}
	case sexpr.Keyword, sexpr.Symbol:
	}
	return s
}

// WithText is [Secrets.With] for a text.
func (s Secrets) WithText(text string) Secrets { return s.add(spellings(text)) }

// Join returns the secrets of both.
func (s Secrets) Join(more Secrets) Secrets { return s.add(more) }

func (s Secrets) add(texts []string) Secrets {
	out := slices.Clip(s)
	for _, t := range texts {
		if len(t) >= MinSecret && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	if len(out) > len(s) {
		slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	}
	return out
}

func spellings(s string) []string {
	inJSON, _ := json.Marshal(s) // a string always has a form
	quoted, inGo := sexpr.Str(s).String(), strconv.Quote(s)
	return []string{s, quoted[1 : len(quoted)-1], inGo[1 : len(inGo)-1], string(inJSON[1 : len(inJSON)-1]),
		url.QueryEscape(s), url.PathEscape(s), strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(s)), "="),
		strings.TrimRight(base64.URLEncoding.EncodeToString([]byte(s)), "=")}
}

// Replace puts what mark returns in place of every secret in a text, in one pass.
func (s Secrets) Replace(text string, mark func(secret string) string) string {
	var pairs []string
	for _, t := range s {
		if strings.Contains(text, t) {
			pairs = append(pairs, t, mark(t))
		}
	}
	if len(pairs) == 0 {
		return text
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// Redact puts [SecretMark] in place of every secret in a text.
func (s Secrets) Redact(text string) string {
	return s.Replace(text, func(string) string { return SecretMark })
}

// Cover is Redact for every string and number in a value; the names of keys stay.
func (s Secrets) Cover(v sexpr.Value) sexpr.Value {
	switch v.Kind() {
	case sexpr.String:
		return sexpr.Str(s.Redact(v.Text()))
	case sexpr.Int, sexpr.Float:
		if slices.Contains(s, v.String()) {
			return sexpr.Str(SecretMark)
		}
	case sexpr.List:
		if len(s) == 0 || v.IsNil() {
			return v
		}
		out := make([]sexpr.Value, v.Len())
		for i, x := range v.Items() {
			out[i] = s.Cover(x)
		}
		return sexpr.ListOf(out...)
	case sexpr.Keyword, sexpr.Symbol:
	}
	return v
}
