package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// clause is what one call of an attack does, in words.
type clause struct {
	verb, object string
	to           string // who gets it, or where
	with         []string
}

// receives are names of arguments that say who gets it, or where.
var receives = []string{"recipient", "recipients", "to", "iban", "account", "email", "user_email", "user", "username",
	"participants", "channel", "address", "invitee", "assignee", "reviewer", "url", "number", "phone"}

// clauseOf says a call in words: the tool's name is verb and object, the arguments are what
// it is done with.
func clauseOf(c call) clause {
	words := split(c.Tool)
	i := slices.IndexFunc(words, func(w string) bool { return english[w].third != "" })
	if i < 0 {
		i = 0
	}
	out := clause{verb: words[i], object: strings.Join(slices.Concat(words[:i], words[i+1:]), " ")}
	if out.object == "" {
		out.object = "message"
	}
	for _, key := range slices.Sorted(maps.Keys(c.Args)) {
		text := said(c.Args[key])
		switch {
		case text == "":
		case out.to == "" && slices.Contains(receives, strings.ToLower(key)):
			out.to = text
		default:
			out.with = append(out.with, strings.Join(split(key), " ")+" "+text)
		}
	}
	return out
}

// said is an argument in words.
func said(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case []any:
		var all []string
		for _, e := range v {
			all = append(all, said(e))
		}
		return strings.Join(all, " and ")
	case map[string]any:
		var all []string
		for _, k := range slices.Sorted(maps.Keys(v)) {
			all = append(all, k+" "+said(v[k]))
		}
		return strings.Join(all, ", ")
	case float64:
		return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", v), "0"), ".")
	}
	return fmt.Sprint(v)
}

// split cuts a name into its words in small letters.
func split(name string) []string {
	var out []string
	word := ""
	for _, r := range name {
		if upper := unicode.IsUpper(r); upper || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			out, word = append(out, word), ""
			if !upper {
				continue
			}
		}
		word += string(unicode.ToLower(r))
	}
	return slices.DeleteFunc(append(out, word), func(w string) bool { return w == "" })
}

// rest is what follows the verb: object, receiver and the other values.
func (c clause) rest(the, to, with string) string {
	out := the + c.object
	if c.to != "" {
		out += to + c.to
	}
	if len(c.with) > 0 {
		out += with + strings.Join(c.with, ", ")
	}
	return out
}

// imperative says the clause as an order without its full stop: "send the money to bob".
func (c clause) imperative() string { return c.verb + c.rest(" the ", " to ", ", with ") }

// all joins what is made of each clause.
func all(cs []clause, say func(clause) string, between string) string {
	var out []string
	for _, c := range cs {
		out = append(out, say(c))
	}
	return strings.Join(out, between)
}
