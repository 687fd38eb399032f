package plans_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write testdata/thirty/README.md anew")

const thirty = "testdata/thirty"

// workflows reads the thirty by name, and their scripts too if asked to.
func workflows(t *testing.T, scripts bool) map[string]map[string]any {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(thirty, "*.json"))
	require.NoError(t, err)
	out := map[string]map[string]any{}
	for _, file := range files {
		name, isScript := strings.CutSuffix(filepath.Base(file), ".script.json")
		if isScript != scripts {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		flow := map[string]any{}
		require.NoError(t, json.Unmarshal(text, &flow), file)
		out[strings.TrimSuffix(name, ".json")] = flow
	}
	return out
}

// found collects what stands where in one workflow, by path.
type found map[string][]any

func (f found) put(path string, v any) {
	f[path] = append(f[path], v)
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			f.put(path+"."+key, member)
			f.put(path+".*", member)
		}
	case []any:
		for _, element := range v {
			f.put(path+".*", element)
		}
	}
}

// collect walks a workflow once. A condition, a criterion and a part of a prompt are known by
// the member under which they stand.
func collect(flow map[string]any) found {
	f := found{}
	f.put("", flow)
	var walk func(under string, v any)
	walk = func(under string, v any) {
		switch v := v.(type) {
		case []any:
			for _, element := range v {
				walk(under, element)
			}
		case map[string]any:
			switch under {
			case "steps", "body":
				f.put("step", v)
				if loop, ok := v["loop"].(map[string]any); ok {
					f.put("loopStep", v)
					if source, ok := loop["conditionSource"].(map[string]any); ok {
						f.put(fmt.Sprintf("loop %s", loop["type"]), source["kind"])
					}
				}
			case "runCondition", "when", "condition", "requireConfirmation":
				f.condition(v)
			case "validationCriteria":
				f.criterion(v)
			}
			if _, ok := v["kind"]; ok && under != "requireConfirmation" && under != "conditionSource" {
				f.put("parts", v)
			}
			for key, member := range v {
				walk(key, member)
			}
		}
	}
	walk("", flow)
	return f
}

func (f found) condition(v map[string]any) {
	f["condition"] = append(f["condition"], v)
	for key, member := range v {
		f["condition."+key] = append(f["condition."+key], member)
		for _, inner := range list(member) {
			if m, ok := inner.(map[string]any); ok {
				f.condition(m)
			}
		}
	}
}

func (f found) criterion(v map[string]any) {
	for key, member := range v {
		f["criteria."+key] = append(f["criteria."+key], member)
		for _, inner := range list(member) {
			if m, ok := inner.(map[string]any); ok && slices.Contains([]string{"and", "or", "not"}, key) {
				f.criterion(m)
			}
		}
	}
}

func list(v any) []any {
	if all, ok := v.([]any); ok {
		return all
	}
	return []any{v}
}

// in reports whether a workflow uses the construct.
func (c construct) in(f found) bool {
	at := f[c.path]
	if at == nil {
		at = f["."+c.path]
	}
	return slices.ContainsFunc(at, c.is)
}

func (c construct) is(v any) bool {
	text, _ := v.(string)
	object, isObject := v.(map[string]any)
	absent, isAbsent := strings.CutPrefix(c.value, "-")
	_, there := object[absent]
	switch {
	case c.value == "?":
		return true
	case c.value == "undotted":
		return !strings.Contains(text, ".")
	case c.value == "dotted":
		return strings.Contains(text, ".")
	case c.value == "bare":
		return isObject && len(object) == 1 && object["var"] != nil
	case isAbsent:
		return isObject && !there && (absent != "itemVar" || object["type"] == "forEach")
	case c.value == "array":
		_, ok := v.([]any)
		return ok
	case c.value == "string":
		return text != ""
	case c.value == "number":
		_, ok := v.(float64)
		return ok
	}
	written, err := json.Marshal(v)
	return err == nil && string(written) == c.value
}

// The table says which of the thirty uses which construct; a construct that none uses fails.
func TestThirtyUseEveryConstruct(t *testing.T) {
	flows := workflows(t, false)
	require.Len(t, flows, 30)
	names := make([]string, 0, len(flows))
	places := map[string]found{}
	for name, flow := range flows {
		names = append(names, name)
		places[name] = collect(flow)
	}
	slices.Sort(names)
	var b strings.Builder
	b.WriteString("# Thirty workflows\n\nWorkflows as teams have them, in the JSON format of the reference. " +
		"Beside each stands what a scripted\nagent hands in for it: `start`, `steps` where plain notes do not do " +
		"(a list goes by iteration; `refused` comes\nfirst and must not pass), and `path`, the step instances in the " +
		"order in which they are due. A step that\na loop names as its body is due in the loop alone. " +
		"What the host registers for them is in `host`.\n\n" +
		"The tables are computed from the JSON: `go test ./plans -run Thirty -update`.\n\n" +
		"| number | workflow |\n|---|---|\n")
	for i, name := range names {
		fmt.Fprintf(&b, "| %d | [%s](%s.json) |\n", i+1, name, name)
	}
	b.WriteString("\n| construct | used by |\n|---|---|\n")
	for _, c := range constructs() {
		var users []string
		for i, name := range names {
			if c.in(places[name]) {
				users = append(users, strconv.Itoa(i+1))
			}
		}
		assert.NotEmpty(t, users, "no workflow uses %s", c.name)
		fmt.Fprintf(&b, "| %s | %s |\n", c.name, strings.Join(users, " "))
	}
	file := filepath.Join(thirty, "README.md")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, b.String(), string(written), "run go test ./plans -run Thirty -update")
}

// A construct that is taken out of the workflows is missed: the table can fail.
func TestThirtyTableMissesWhatIsNotThere(t *testing.T) {
	empty := collect(map[string]any{
		"id": "a.b", "steps": []any{map[string]any{"id": "one", "title": "One", "prompt": "Do."}},
	})
	var used []string
	for _, c := range constructs() {
		if c.in(empty) {
			used = append(used, c.name)
		}
	}
	assert.Equal(t, []string{"namespaced id (116)", "prompt"}, used)
}

// Every script belongs to a workflow, and names only steps that the workflow has. Steps of a
// template are under the step that calls it.
func TestThirtyScriptsNameStepsOfTheirWorkflow(t *testing.T) {
	flows, scripts := workflows(t, false), workflows(t, true)
	require.Len(t, scripts, len(flows))
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			ids := map[string]bool{}
			for _, s := range collect(flows[name])["step"] {
				id, _ := s.(map[string]any)["id"].(string)
				require.False(t, ids[id], "step %s twice", id)
				ids[id] = true
			}
			steps, _ := script["steps"].(map[string]any)
			for id := range steps {
				assert.True(t, ids[id], "the script has %s", id)
			}
			path, _ := script["path"].([]any)
			require.NotEmpty(t, path)
			for _, key := range path {
				text, _ := key.(string)
				if _, inner, looped := strings.Cut(text, "::"); looped {
					text = inner
				}
				caller, _, _ := strings.Cut(text, ".")
				assert.True(t, ids[caller], "the path has %s", key)
			}
		})
	}
}
