// Package authoring prints what the tools for authors of rules found: for people, as JSON,
// and in the formats of programs that collect the results of tests.
package authoring

import (
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/reason/author"
)

// Examples prints a run of examples for people: what does not hold, expected beside found,
// and what no example shows.
func Examples(c *console.Console, r *author.Report) {
	for _, x := range r.Results {
		if len(x.Wrong) == 0 {
			continue
		}
		c.Printf("%s %s:%s: %s\n", console.Paint(c.Out, console.Red, "fails"), x.Example.File, x.Example.Pos, x.Example.Name)
		for _, line := range details(x) {
			c.Printf("  %s\n", line)
		}
	}
	cov := r.Coverage
	for _, m := range cov.Missing {
		c.Printf("%s:%s: %s\n", m.Rule.File, m.Rule.Pos, missing(m))
	}
	c.Printf("%s, %d held, %d failed\n", examples(len(r.Results)), len(r.Results)-r.Failed, r.Failed)
	c.Printf("clauses that an example decides by: %d of %d (%d %%)\n", cov.Applied, cov.Clauses,
		author.Percent(cov.Applied, cov.Clauses))
	c.Printf("outcomes of conditions that an example shows: %d of %d (%d %%)\n", cov.Shown, cov.Outcomes,
		author.Percent(cov.Shown, cov.Outcomes))
}

func examples(n int) string {
	if n == 1 {
		return "1 example"
	}
	return fmt.Sprintf("%d examples", n)
}

func missing(m author.Missing) string {
	what := " passes"
	switch {
	case m.Rule.Kind == "definvariant" && m.Applies:
		what = " is broken"
	case m.Rule.Kind == "definvariant":
		what = " holds"
	case m.Applies:
		what = " applies"
	}
	return m.Rule.ID + what + " in no example"
}

// details are the lines that say how an example fails, and why.
func details(x author.Result) (out []string) {
	for _, w := range x.Wrong {
		indent := strings.Repeat(" ", len(w.What)+2)
		out = append(out, fmt.Sprintf("%s: expected %s", w.What, w.Expected), indent+"found    "+w.Found)
		if w.What == "decision" && x.Because != "" {
			out = append(out, indent+"because  "+x.Because)
		}
	}
	out = append(out, x.Notes...)
	rule := ""
	for _, v := range x.Values {
		if v.Rule != rule {
			rule = v.Rule
			out = append(out, rule+" ("+v.At+") saw")
		}
		out = append(out, "  "+v.Form+" = "+v.Value)
	}
	return out
}

// TAP prints a run in the Test Anything Protocol, version 13.
func TAP(c *console.Console, r *author.Report) {
	c.Printf("TAP version 13\n1..%d\n", len(r.Results))
	for i, x := range r.Results {
		word := "ok"
		if len(x.Wrong) > 0 {
			word = "not ok"
		}
		c.Printf("%s %d - %s:%s: %s\n", word, i+1, x.Example.File, x.Example.Pos,
			strings.NewReplacer("\\", "\\\\", "#", "\\#", "\n", " ").Replace(x.Example.Name))
		for _, line := range failed(x) {
			c.Printf("# %s\n", line)
		}
	}
}

func failed(x author.Result) []string {
	if len(x.Wrong) == 0 {
		return nil
	}
	return details(x)
}

// The elements of JUnit's XML.
type (
	suite struct {
		XMLName  xml.Name `xml:"testsuite"`
		Name     string   `xml:"name,attr"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Cases    []test   `xml:"testcase"`
	}
	test struct {
		Class   string   `xml:"classname,attr"`
		Name    string   `xml:"name,attr"`
		File    string   `xml:"file,attr"`
		Line    int32    `xml:"line,attr"`
		Failure *failure `xml:"failure"`
	}
	failure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit prints a run as JUnit's XML.
func JUnit(c *console.Console, r *author.Report) error {
	s := suite{Name: "rules", Tests: len(r.Results), Failures: r.Failed}
	for _, x := range r.Results {
		t := test{Class: strings.TrimSuffix(x.Example.File, ".lisp"), Name: x.Example.Name, File: x.Example.File,
			Line: x.Example.Pos.Line}
		if lines := failed(x); lines != nil {
			t.Failure = &failure{x.Wrong[0].What + " differs", strings.Join(lines, "\n")}
		}
		s.Cases = append(s.Cases, t)
	}
	text, err := xml.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	c.Raw(xml.Header + string(text) + "\n")
	return nil
}
