package secrets

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
	"github.com/zricethezav/gitleaks/v8/config"
)

// scanner holds the rules. It is immutable, except for rules that compile on first
// use, and safe for concurrent use.
type scanner struct {
	rules   []*rule
	words   *keywords
	allowed []*regexp.Regexp // texts that are never secrets, for all rules
	stops   []string
}

// rule is one kind of credential.
type rule struct {
	kind     string
	keywords []string // in lower case; one of them occurs in every match
	pattern  func() *regexp.Regexp
	start    func() *start // nil, or a function that may return nil: no shortcut
	group    int           // the part of a match that is the secret; 0 means the first that took part
	entropy  float64       // minimum entropy of the secret, in bits per character
	trusted  bool          // its form alone is proof: exceptions do not apply
	except   []exception
}

// exception describes matches of a rule that are not secrets.
type exception struct {
	all    bool   // every condition must hold, not just one
	target string // "match", "line", or "" for the secret
	res    []*regexp.Regexp
	stops  []string
}

// ruleFile is the part of gitleaks' rule file that we use.
type ruleFile struct {
	Rules []struct {
		ID          string
		Regex       string
		Path        string
		SecretGroup int
		Entropy     float64
		Keywords    []string
		Allowlists  []allowlist
	}
	Allowlist allowlist
}

type allowlist struct {
	Condition   string
	Paths       []string
	Commits     []string
	Regexes     []string
	RegexTarget string
	StopWords   []string
}

// load reads the rules. It skips rules for file names: a text has none.
func load() (*scanner, error) {
	var f ruleFile
	if err := toml.Unmarshal([]byte(config.DefaultConfig), &f); err != nil {
		return nil, fmt.Errorf("secrets: the rule file of gitleaks: %w", err)
	}
	s := &scanner{stops: f.Allowlist.StopWords}
	var err error
	if s.allowed, err = compileAll(f.Allowlist.Regexes); err != nil {
		return nil, err
	}
	s.rules = ownRules()
	for _, r := range f.Rules {
		if r.Regex == "" || r.Path != "" {
			continue
		}
		n := &rule{kind: r.ID, keywords: lowered(r.Keywords), pattern: lazy(r.Regex), start: sync.OnceValue(func() *start {
			return newStart(r.Regex)
		}), group: r.SecretGroup, entropy: r.Entropy}
		for _, a := range r.Allowlists {
			e, ok, err := newException(a)
			if err != nil {
				return nil, fmt.Errorf("secrets: rule %s of gitleaks: %w", r.ID, err)
			}
			if ok {
				n.except = append(n.except, e)
			}
		}
		s.rules = append(s.rules, n)
	}
	s.words = newKeywords(s.rules)
	return s, nil
}

// newException reads an allow list; one that needs a file or a commit never
// applies to a text.
func newException(a allowlist) (e exception, ok bool, err error) {
	e = exception{all: strings.EqualFold(a.Condition, "AND") ||
		a.Condition == "&&", target: a.RegexTarget, stops: lowered(a.StopWords)}
	if e.all && len(a.Paths)+len(a.Commits) > 0 || len(a.Regexes)+len(a.StopWords) == 0 {
		return e, false, nil
	}
	e.res, err = compileAll(a.Regexes)
	return e, true, err
}

func lowered(ss []string) []string {
	out := make([]string, 0, len(ss))
	for _, s := range ss {
		out = append(out, strings.ToLower(s))
	}
	return out
}

func compileAll(patterns []string) ([]*regexp.Regexp, error) {
	out := make([]*regexp.Regexp, 0, len(patterns))
	for _, p := range patterns {
		re, err := regexp.Compile(p)
		if err != nil {
			return nil, err
		}
		out = append(out, re)
	}
	return out, nil
}

// lazy compiles a pattern on first use. The patterns are part of this build, and
// the tests compile them all.
func lazy(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// Kinds returns the kinds of credential in a text, and in its decoded base64,
// sorted.
func (s *scanner) Kinds(text string) []string {
	found := map[string]bool{}
	s.scan(text, found)
	for _, inner := range decoded(text) {
		s.scan(inner, found)
	}
	return slices.Sorted(maps.Keys(found))
}

func (s *scanner) scan(text string, found map[string]bool) {
	marks := make([]bool, len(s.rules))
	s.words.in(strings.ToLower(text), marks)
	for i, r := range s.rules {
		if marks[i] && !found[r.kind] && s.holds(r, text) {
			found[r.kind] = true
		}
	}
}

func hasAny(text string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}

// holds reports whether a text has a secret of one rule.
func (s *scanner) holds(r *rule, text string) bool {
	if r.start != nil {
		if s := r.start(); s != nil && !s.somewhere(text) {
			return false
		}
	}
	return s.matches(r, text)
}

func (s *scanner) matches(r *rule, text string) bool {
	re := r.pattern()
	if r.trusted {
		return re.MatchString(text)
	}
	for _, m := range re.FindAllStringSubmatchIndex(text, -1) {
		if _, ok := s.secretIn(r, text, m); ok {
			return true
		}
	}
	return false
}

// secretIn returns the secret's place in a match, unless it is harmless.
func (s *scanner) secretIn(r *rule, text string, m []int) (at [2]int, ok bool) {
	at = [2]int{m[0], m[1]}
	for g := 1; 2*g+1 < len(m); g++ {
		if m[2*g] >= 0 && m[2*g] < m[2*g+1] && (r.group == 0 || r.group == g) {
			at = [2]int{m[2*g], m[2*g+1]}
			break
		}
	}
	if r.trusted {
		return at, true
	}
	secret := text[at[0]:at[1]]
	return at, entropy(secret) > r.entropy && !s.harmless(r, secret, text, m[0], m[1])
}

func (s *scanner) harmless(r *rule, secret, text string, from, to int) bool {
	low := strings.ToLower(secret)
	if matchesAny(secret, s.allowed) || hasAny(low, s.stops) {
		return true
	}
	return slices.ContainsFunc(r.except, func(e exception) bool {
		target := secret
		switch e.target {
		case "match":
			target = text[from:to]
		case "line":
			target = lineAt(text, from, to)
		}
		re, stop := matchesAny(target, e.res), hasAny(low, e.stops)
		if e.all {
			return (re || len(e.res) == 0) && (stop || len(e.stops) == 0)
		}
		return re || stop
	})
}

func matchesAny(s string, res []*regexp.Regexp) bool {
	return slices.ContainsFunc(res, func(re *regexp.Regexp) bool { return re.MatchString(s) })
}

func lineAt(text string, from, to int) string {
	start := strings.LastIndexByte(text[:from], '\n') + 1
	if end := strings.IndexByte(text[to:], '\n'); end >= 0 {
		return text[start : to+end]
	}
	return text[start:]
}

// entropy is Shannon's, in bits per byte.
func entropy(s string) float64 {
	var count [256]float64
	for i := range len(s) {
		count[s[i]]++
	}
	sum := 0.0
	for _, n := range count {
		if n > 0 {
			p := n / float64(len(s))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}
