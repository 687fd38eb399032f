package source

import (
	"regexp"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
)

// patterns are the shapes of names.
var patterns = map[string]*regexp.Regexp{
	"id":      regexp.MustCompile(`^[a-z0-9_-]+$`),
	"word":    regexp.MustCompile(`^[a-z][a-z0-9_-]*$`),
	"name":    regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`),
	"path":    regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.-]*$`),
	"version": regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`),
}

func (d *decoder) formed(at sexpr.Pos, what, s, form string) {
	if form == "" || patterns[form].MatchString(s) {
		return
	}
	switch form {
	case "id", "word":
		d.Add(at, nil, "%s: %q cannot be an id: lower-case letters, digits, _ and - alone; write %q",
			what, clip(s), Suggest(s))
	case "version":
		d.Add(at, nil, `%s: %q cannot be a version, such as "1.0.0"`, what, clip(s))
	default:
		d.Add(at, nil, "%s: %q cannot be a name: letters, digits and _ alone, and no digit first", what, clip(s))
	}
}

// Suggest is the id that a text that is none would be: in lower case, with _ for what no id
// has.
func Suggest(s string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(s) {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-' {
			b.WriteRune(c)
		} else {
			b.WriteByte('_')
		}
	}
	return b.String()
}
