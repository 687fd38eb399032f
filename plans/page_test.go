package plans_test

import (
	"cmp"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/source"
)

const workflowsPage = "../docs/workflows.md"

// tables are the headings of the page's tables of members, by what they are the members of.
var tables = map[string]any{
	"a workflow": source.Workflow{}, "recommended preferences": source.Preferences{}, "a step": source.Step{},
	"prompt blocks": source.Blocks{}, "a fragment": source.Fragment{}, "a question": source.Person{},
	"a loop": source.Loop{}, "a condition source": source.Origin{}, "an output contract": source.Output{},
	"a check":       source.Rule{},
	"an assessment": source.Assessment{}, "a dimension": source.Dimension{}, "a consequence": source.Consequence{},
	"a function": source.Function{}, "a parameter": source.Parameter{}, "a function call": source.FunctionCall{},
	"a reference": source.Reference{}, "an extension point": source.Extension{}, "a feature": source.Feature{},
	"a delegation": source.Delegation{}, "a synthesis": source.Synthesis{}, "an audit": source.Audit{},
	"a verification": source.Verify{}, "a template call": source.Template{},
}

// Every member that the reader of workflows knows stands in its table of docs/workflows.md, with what it
// takes. With -update the second column is written.
func TestMembersOfTheWorkflowsPage(t *testing.T) {
	page := read(t, workflowsPage)
	known := map[reflect.Type]bool{}
	for what, of := range tables {
		known[reflect.TypeOf(of)] = true
		want := map[string]string{}
		for _, m := range members(reflect.TypeOf(of), "") {
			want[m[0]] = m[1]
		}
		head := "\nMembers of " + what + ":\n\n| member | takes | meaning |\n|---|---|---|\n"
		_, table, ok := strings.Cut(page, head)
		require.True(t, ok, "the page has no table for %s", what)
		table, _, _ = strings.Cut(table, "\n\n")
		got := map[string]string{}
		for row := range strings.SplitSeq(strings.TrimSpace(table), "\n") {
			cells := regexp.MustCompile(`^\| (\S.*?) \|(.*?)\|(.*)\|$`).FindStringSubmatch(row)
			require.NotNil(t, cells, row)
			got[cells[1]] = strings.TrimSpace(cells[2])
			if takes, ok := want[cells[1]]; ok && *update {
				written := "| " + cells[1] + " | " + takes + " |" + cells[3] + "|"
				page = strings.Replace(page, head+table, head+strings.Replace(table, row, written, 1), 1)
				table = strings.Replace(table, row, written, 1)
				got[cells[1]] = takes
			}
		}
		assert.Equal(t, want, got, "members of %s", what)
	}
	for _, kind := range structures(reflect.TypeFor[source.Workflow](), map[reflect.Type]bool{}) {
		assert.True(t, known[kind], "the page has no table for %s", kind)
	}
	for _, m := range regexp.MustCompile(`(?m)^Members of (.*):$`).FindAllStringSubmatch(page, -1) {
		assert.Contains(t, tables, m[1])
	}
	if *update {
		require.NoError(t, os.WriteFile(workflowsPage, []byte(page), 0o644))
	}
}

// members are the members of a structure as a plist spells them, with what each takes. Those of a
// structure without a name stand with the member that has it.
func members(kind reflect.Type, under string) (all [][2]string) {
	for i := range kind.NumField() {
		f := kind.Field(i)
		name := f.Tag.Get("is")
		if name == "" {
			continue
		}
		spelt := under + "`:" + source.Kebab(name) + "`"
		all = append(all, [2]string{spelt, takes(f)})
		if f.Type.Kind() == reflect.Struct && f.Type.Name() == "" {
			all = append(all, members(f.Type, spelt+" ")...)
		}
	}
	return all
}

// shapes are what the kinds of field take, by their name in package source.
var shapes = map[string]string{
	"Text": "text", "[]Text": "texts", "Int": "number", "Bool": "`t` or `nil`", "Cond": "condition",
	"Confirmation": "`t`, kind or condition", "Data": "value", "[]Data": "values", "Prose": "prose",
	"[]Prose": "list of prose",
	"Proses":  "prose by name", "Texts": "texts by name", "Count": "number or key", "Criteria": "checks",
	"Body": "steps, or an id",
}

// takes is what a field takes, from its type and its tags.
func takes(f reflect.StructField) string {
	name := strings.NewReplacer("*", "", "source.", "").Replace(f.Type.String())
	out, ok := shapes[name]
	if !ok {
		out = map[bool]string{true: "list of objects", false: "object"}[strings.HasPrefix(name, "[]")]
	}
	if one := strings.Fields(f.Tag.Get("one")); len(one) > 0 {
		for i, word := range one {
			one[i] = "`:" + source.Kebab(word) + "`"
		}
		out = strings.Join(one, ", ")
	}
	if form := f.Tag.Get("form"); form != "" {
		out = map[string]string{"id": "id", "word": "id", "name": "name", "path": "key of work", "version": "version"}[form]
	}
	if low, high, ok := strings.Cut(f.Tag.Get("len"), ".."); ok {
		unit := map[bool]string{true: " characters"}[name == "Text"]
		if high == "" {
			out += ", " + low + unit + " at least"
		} else {
			out += ", " + low + " to " + high + unit
		}
	}
	if f.Tag.Get("unique") != "" {
		out += ", each once"
	}
	if f.Tag.Get("need") != "" {
		out = "**" + out + "**"
	}
	return out
}

// structures are the structures with members that lie in one, itself included.
func structures(kind reflect.Type, seen map[reflect.Type]bool) (all []reflect.Type) {
	for kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice {
		kind = kind.Elem()
	}
	if kind.Kind() != reflect.Struct || seen[kind] {
		return nil
	}
	seen[kind] = true
	if kind.Name() != "" && len(members(kind, "")) > 0 {
		all = append(all, kind)
	}
	for i := range kind.NumField() {
		if f := kind.Field(i); f.IsExported() {
			all = append(all, structures(f.Type, seen)...)
		}
	}
	return all
}

// Every workflow of the page compiles: whole ones as they stand, steps and members in a workflow around
// them. One that stands in both spellings is one plan.
func TestWorkflowsOfTheWorkflowsPage(t *testing.T) {
	page := read(t, workflowsPage)
	registry := plans.NewRegistry()
	blocks := regexp.MustCompile("(?s)```(lisp|json)\n(.*?)```").FindAllStringSubmatch(page, -1)
	var flows []string
	for i, m := range blocks {
		name, text := fmt.Sprintf("block %d", i+1), m[2]
		switch {
		case strings.HasPrefix(text, "(:contracts"):
			require.NoError(t, registry.Add(name, []byte(text)))
		case strings.HasPrefix(text, `(:id "routine-`):
			require.NoError(t, registry.AddTemplate(name, []byte(text)))
		default:
			flows = append(flows, text)
		}
	}
	assert.Len(t, blocks, len(flows)+2, "a pack and a template")
	hashes := map[string]string{}
	for _, text := range flows {
		switch {
		case strings.Contains(text, ":version") || strings.HasPrefix(text, "{"):
		case strings.HasPrefix(text, ":"):
			text = `(:id "my.page" :name "Page" :version "1.0.0" ` + text + ")"
		default:
			text = `(:id "my.page" :name "Page" :version "1.0.0" :steps (` + text + "))"
		}
		plan, err := plans.Compile(plans.Source{Name: "page", Text: []byte(text)}, plans.Options{Registry: registry})
		require.NoError(t, err, text)
		if plan.WorkflowID != "my.page" {
			hash := plan.Hash().String()
			assert.Equal(t, cmp.Or(hashes[plan.WorkflowID], hash), hash, "two plans of %s", plan.WorkflowID)
			hashes[plan.WorkflowID] = hash
		}
	}
	assert.Len(t, hashes, 2, "whole workflows: one that ships, and one in both spellings")
	assert.Contains(t, read(t, "../examples/workflows/release.lisp"), flows[0])
}

// The page names the operators of conditions, and what the registry begins with.
func TestNamesOfTheWorkflowsPage(t *testing.T) {
	page := read(t, workflowsPage)
	ids := regexp.MustCompile(`"((?:wr\.features|wr\.contracts|cortex\.contracts)\.\w+)"`)
	for _, m := range ids.FindAllStringSubmatch(read(t, "packs/core.lisp"), -1) {
		assert.Contains(t, page, "`"+m[1]+"`")
	}
	for _, operator := range []string{"equals", "not_equals", "gt", "gte", "lt", "lte", "contains", "in", "startsWith",
		"endsWith", "matches", "and", "or", "not"} {
		assert.Contains(t, page, "`:"+source.Kebab(operator)+"`")
	}
	kinds := regexp.MustCompile(`"(cortex\.(?:probe|capability_use|divergence|needs_user|receipt))"`)
	for _, file := range []string{"close", "write", "confirm"} {
		found := kinds.FindAllStringSubmatch(read(t, "../runs/"+file+".go"), -1)
		require.NotEmpty(t, found, file)
		for _, m := range found {
			assert.Contains(t, page, "| `"+m[1]+"` |")
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(text)
}
