package skills

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
)

// String describes a value of the type for models and rule authors: "an integer
// from 1 to 300", "a list of strings or null".
func (t *Type) String() string {
	s := t.describe()
	if t.Nullable {
		s += " or null"
	}
	return s
}

func (t *Type) describe() string {
	switch t.Kind {
	case KindString:
		return "a string"
	case KindBoolean:
		return "t or false"
	case KindInteger:
		return "an integer" + t.bounds()
	case KindNumber:
		return "a number" + t.bounds()
	case KindEnum:
		return "one of " + quoteWords(t.Enum)
	case KindList:
		if t.Elem == nil || t.Elem.Kind == KindAny {
			return "a list"
		}
		return "a list, each of it " + t.Elem.String()
	case KindObject:
		return "a plist with " + knownKeys(t.Params)
	case KindCommand:
		return "a command line, as a string"
	case KindPath:
		return "a path, as a string"
	case KindHost:
		return "a host name, as a string"
	case KindURL:
		return "a URL, as a string"
	case KindSQL:
		return "an SQL statement, as a string"
	case KindAny:
	}
	return "any value"
}

func (t *Type) bounds() string {
	if !t.Bounded {
		return ""
	}
	f := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	return " from " + f(t.Lo) + " to " + f(t.Hi)
}

// Signature writes the parameters as deftool does, for a model to read:
// "(:cmd command :timeout (integer 1 300)), required (:cmd)".
func (t *Tool) Signature() string {
	var b strings.Builder
	writeParams(&b, t.Params)
	if len(t.Required) > 0 {
		b.WriteString(", required ")
		writeKeys(&b, t.Required)
	}
	return b.String()
}

func writeParams(b *strings.Builder, params []Param) {
	b.WriteByte('(')
	for i := range params {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(sexpr.Key(params[i].Name).String() + " ")
		params[i].Type.write(b)
	}
	b.WriteByte(')')
}

func writeKeys(b *strings.Builder, names []string) {
	for i, n := range names {
		b.WriteString([]string{"(", " "}[min(i, 1)] + sexpr.Key(n).String())
	}
	b.WriteByte(')')
}

// kindNames are the kinds as rule files write them, by [ParamKind].
var kindNames = [...]string{
	KindAny: "any", KindString: "string", KindBoolean: "boolean", KindInteger: "integer", KindNumber: "number",
	KindEnum: "enum", KindList: "list", KindObject: "object", KindCommand: "command", KindPath: "path",
	KindHost: "host", KindURL: "url", KindSQL: "sql",
}

// String returns the kind's name as rule files write it.
func (k ParamKind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "kind " + strconv.Itoa(int(k))
}

// Written returns the type as rule files write it: "(integer 1 300)".
func (t *Type) Written() string {
	var b strings.Builder
	t.write(&b)
	return b.String()
}

// write writes the type as rule files do.
func (t *Type) write(b *strings.Builder) {
	if t.Nullable {
		b.WriteString("(nullable ")
		defer b.WriteByte(')')
	}
	num := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	switch {
	case t.Kind == KindList && t.Elem != nil:
		b.WriteString("(list ")
		t.Elem.write(b)
	case t.Kind == KindObject:
		b.WriteString("(object ")
		writeParams(b, t.Params)
		if len(t.Required) > 0 {
			b.WriteString(" :required ")
			writeKeys(b, t.Required)
		}
	case t.Kind == KindEnum:
		b.WriteString("(enum")
		for _, w := range t.Enum {
			b.WriteString(" " + sexpr.Str(w).String())
		}
	case t.Kind == KindSQL:
		b.WriteString("(sql " + t.Dialect)
	case t.Bounded:
		b.WriteString("(" + t.Kind.String() + " " + num(t.Lo) + " " + num(t.Hi))
	default:
		b.WriteString(t.Kind.String())
		return
	}
	b.WriteByte(')')
}

// maxListed bounds how many names a message lists.
const maxListed = 20

func quoteWords(words []string) string {
	var b strings.Builder
	for i, w := range words {
		if i == maxListed {
			fmt.Fprintf(&b, " and %d more", len(words)-i)
			break
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(sexpr.Str(w).String())
	}
	return b.String()
}

func knownKeys(params []Param) string {
	if len(params) == 0 {
		return "no keys"
	}
	var b strings.Builder
	b.WriteString("the keys")
	for i, p := range params {
		if i == maxListed {
			fmt.Fprintf(&b, " and %d more", len(params)-i)
			break
		}
		b.WriteString(" " + printKey(p.Name))
	}
	return b.String()
}

// printKey prints a key as it is written, truncated: the name may be the model's.
func printKey(name string) string {
	const most = 40
	plain := name != "" && name[0] >= 'a' && name[0] <= 'z'
	for i := range len(name) {
		c := name[i]
		plain = plain && (c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_')
	}
	if plain && len(name) <= most {
		return ":" + name
	}
	if len(name) > most {
		name = strings.ToValidUTF8(name[:most], "") + "..."
	}
	q := strconv.QuoteToASCII(name)
	return ":|" + q[1:len(q)-1] + "|"
}

// found describes an unexpected value. It does not repeat strings.
func found(v sexpr.Value) string {
	switch v.Kind() {
	case sexpr.String:
		return "a string"
	case sexpr.Int:
		return strconv.FormatInt(v.Int(), 10)
	case sexpr.Float:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case sexpr.Keyword:
		return "the keyword " + printKey(v.Text())
	case sexpr.Symbol:
		switch v.Text() {
		case "t":
			return "t"
		case "false", "null":
			return v.Text()
		case "{}":
			return "an empty object"
		}
		return "an unquoted word"
	case sexpr.List:
	}
	switch {
	case v.IsNil():
		return "an empty list"
	case v.IsPlist():
		return "a plist"
	}
	return "a list"
}
