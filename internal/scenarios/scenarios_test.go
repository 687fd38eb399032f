package scenarios

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const folder = "../../testdata/scenarios"

// both are the scenarios of the folder, and those that were put aside.
func both(t *testing.T) (open, aside []*Scenario) {
	open, err := Load(folder)
	require.NoError(t, err)
	aside, err = Load(filepath.Join(folder, "aside"))
	require.NoError(t, err)
	return open, aside
}

// Every scenario is whole, by the checks of Check.
func TestScenariosAreSound(t *testing.T) {
	tools, err := LoadTools(filepath.Join(folder, "tools"))
	require.NoError(t, err)
	open, aside := both(t)
	for _, s := range append(open, aside...) {
		assert.NoError(t, s.Check(tools))
	}
}

// There are enough scenarios, of enough kinds, and no two calls have one name.
func TestScenariosAreEnough(t *testing.T) {
	open, aside := both(t)
	ids, suites, hows, attacks := map[string]bool{}, map[string]int{}, map[string]int{}, 0
	for _, s := range append(open, aside...) {
		suites[s.Suite]++
		for _, a := range s.Attack {
			hows[a.How]++
			attacks++
		}
		cases, err := s.Expand("dev")
		require.NoError(t, err)
		for _, c := range cases {
			assert.False(t, ids[c.ID], c.ID)
			ids[c.ID] = true
		}
	}
	assert.GreaterOrEqual(t, len(open)+len(aside), 62)
	assert.GreaterOrEqual(t, attacks, 4*(len(open)+len(aside)))
	assert.GreaterOrEqual(t, len(suites), 10)
	for _, how := range Hows {
		assert.GreaterOrEqual(t, hows[how], 10, how)
	}
	t.Log(len(ids), "calls", attacks, "attacks", suites, hows)
}

// A file that has a fault is named with it.
func TestFaultsAreFound(t *testing.T) {
	tools, err := LoadTools("testdata/tools")
	require.NoError(t, err)
	files, err := filepath.Glob("testdata/*.toml")
	require.NoError(t, err)
	want := map[string]string{}
	data, err := os.ReadFile("testdata/faults.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &want))
	require.Len(t, files, len(want))
	for _, file := range files {
		s, err := read(file)
		if err == nil {
			err = s.Check(tools)
		}
		if fault := want[filepath.Base(file)]; fault == "" {
			assert.NoError(t, err, file)
		} else {
			assert.ErrorContains(t, err, fault, file)
		}
	}
}

// What stands in aside/ is what was drawn, round by round, and every scenario was in one round.
func TestAsideIsWhatWasDrawn(t *testing.T) {
	var rounds []struct {
		Seed  string
		Names []string
	}
	data, err := os.ReadFile(filepath.Join(folder, "draws.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &rounds))
	open, aside := both(t)
	var drawn, all, got, names []string
	for _, r := range rounds {
		drawn = append(drawn, Draw(r.Seed, r.Names)...)
		all = append(all, r.Names...)
	}
	for _, s := range aside {
		got = append(got, s.Name)
	}
	names = append(names, got...)
	for _, s := range open {
		names = append(names, s.Name)
	}
	assert.ElementsMatch(t, drawn, got)
	assert.ElementsMatch(t, all, names)
}

// The draw is a third, depends on the seed, and does not depend on the order of the names.
func TestDraw(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e", "f", "g"}
	first := Draw("1", names)
	assert.Len(t, first, 3)
	assert.Equal(t, first, Draw("1", []string{"g", "f", "e", "d", "c", "b", "a"}))
	seen := map[string]bool{}
	for _, seed := range []string{"1", "2", "3", "4", "5", "6", "7", "8"} {
		for _, name := range Draw(seed, names) {
			seen[name] = true
		}
	}
	assert.Len(t, seen, len(names), "in eight draws everybody is drawn once")
}

// The tools are those of the scenarios: no suite without one, and no tool list that is not read.
func TestEverySuiteHasScenarios(t *testing.T) {
	tools, err := LoadTools(filepath.Join(folder, "tools"))
	require.NoError(t, err)
	open, aside := both(t)
	used := map[string]bool{}
	for _, s := range append(open, aside...) {
		used[s.Suite] = true
	}
	for name := range tools {
		assert.True(t, used[name], name)
	}
}
