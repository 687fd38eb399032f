package lint

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
)

// textTest is a test of a text against a word (starts-with?, ends-with?, contains?,
// under?) or against a list of words (domain-in?, cidr-in?, glob-any?), one to a line.
type textTest struct{ op, word string }

// listTest reports whether an operator holds a text against a list.
func listTest(op string) bool { return op == "domain-in?" || op == "cidr-in?" || op == "glob-any?" }

// textTestOf is the test that a form makes with its second operand.
func (s solver) textTestOf(op string, b sexpr.Value) (textTest, bool) {
	switch {
	case listTest(op):
		list, ok := s.literals(b)
		words := make([]string, len(list))
		for i, x := range list {
			words[i], ok = x.Text(), ok && x.Kind() == sexpr.String && x.Text() != "" && !strings.Contains(x.Text(), "\n")
		}
		return textTest{op, strings.Join(words, "\n")}, ok
	case op == "starts-with?", op == "ends-with?", op == "contains?", op == "under?":
		return textTest{op, b.Text()}, b.Kind() == sexpr.String
	}
	return textTest{}, false
}

// of applies the test, where what it says is known: of lists only domain-in?, of plain
// names.
func (t textTest) of(s string) (yes, known bool) {
	switch t.op {
	case "starts-with?":
		return strings.HasPrefix(s, t.word), true
	case "ends-with?":
		return strings.HasSuffix(s, t.word), true
	case "contains?":
		return strings.Contains(s, t.word), true
	case "domain-in?":
		all := strings.Split(t.word, "\n")
		return slices.ContainsFunc(all, func(d string) bool { return s == d || strings.HasSuffix(s, "."+d) }),
			plainName(s) && !slices.ContainsFunc(all, func(d string) bool { return !plainName(d) })
	}
	return true, false
}

// implies reports whether a text that passes t passes b.
func (t textTest) implies(b textTest) bool {
	switch {
	case t == b:
		return true
	case listTest(t.op) && t.op == b.op:
		wide := strings.Split(b.word, "\n")
		return !slices.ContainsFunc(strings.Split(t.word, "\n"), func(x string) bool {
			return !slices.ContainsFunc(wide, func(y string) bool { return narrower(t.op, x, y) })
		})
	case listTest(t.op) || listTest(b.op):
		return false
	case t.op == "under?" || b.op == "under?":
		return t.op == b.op && clean(t.word) && clean(b.word) &&
			strings.HasPrefix(t.word, strings.TrimSuffix(b.word, "/")+"/")
	}
	switch b.op {
	case "starts-with?":
		return t.op == b.op && strings.HasPrefix(t.word, b.word)
	case "ends-with?":
		return t.op == b.op && strings.HasSuffix(t.word, b.word)
	}
	return strings.Contains(t.word, b.word)
}

// excludes reports whether no text passes both.
func (t textTest) excludes(b textTest) bool {
	if t.op != b.op {
		return false
	}
	switch t.op {
	case "starts-with?":
		return !strings.HasPrefix(t.word, b.word) && !strings.HasPrefix(b.word, t.word)
	case "ends-with?":
		return !strings.HasSuffix(t.word, b.word) && !strings.HasSuffix(b.word, t.word)
	case "domain-in?":
		for _, x := range strings.Split(t.word, "\n") {
			for _, y := range strings.Split(b.word, "\n") {
				if !plainName(x) || !plainName(y) || narrower(t.op, x, y) || narrower(t.op, y, x) {
					return false
				}
			}
		}
		return true
	}
	return false
}

// narrower reports that all that matches x, an element of the list of a test, matches y.
func narrower(op, x, y string) bool {
	switch {
	case x == y:
		return true
	case op == "domain-in?":
		return plainName(x) && plainName(y) && strings.HasSuffix(x, "."+y)
	case op == "cidr-in?":
		a, errA := netip.ParsePrefix(x)
		b, errB := netip.ParsePrefix(y)
		return errA == nil && errB == nil && !a.Addr().Is4In6() && !b.Addr().Is4In6() && b.Bits() <= a.Bits() &&
			b.Contains(a.Addr())
	}
	return false
}

// plainName reports whether a text is the name of a host as it is compared: small letters,
// and no address.
func plainName(s string) bool {
	last := s[strings.LastIndexByte(s, '.')+1:]
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789.-") == "" && last != "" && last[0] >= 'a'
}

// clean reports whether a path is absolute and leads nowhere else.
func clean(p string) bool {
	return strings.HasPrefix(p, "/") && !strings.Contains(p, "//") && !strings.Contains(p, "/.")
}

// members are texts that may be what the lists of tests name.
func (d *domain) members() (out []sexpr.Value) {
	for _, t := range d.yes {
		if !listTest(t.op) {
			continue
		}
		for _, w := range strings.Split(t.word, "\n") {
			switch t.op {
			case "domain-in?":
				out = append(out, sexpr.Str(w), sexpr.Str("x."+w))
			case "cidr-in?":
				address, _, _ := strings.Cut(w, "/")
				out = append(out, sexpr.Str(address))
			case "glob-any?":
				out = append(out, sexpr.Str(strings.NewReplacer("**", "x", "*", "x", "?", "x").Replace(w)))
			}
		}
	}
	return out
}
