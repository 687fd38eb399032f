package main

import (
	"os"
	"path/filepath"
	"testing"
)

// A suite has the tools of its own name, or else of the name that its own begins with, or
// else those with the tool of its first request.
func TestToolsOfASuite(t *testing.T) {
	known := tools{"shop": []byte(`[{"name":"buy"}]`), "shop-fruit": []byte(`[{"name":"weigh"}]`),
		"desk": []byte(`[{"name":"write"}]`)}
	for _, c := range []struct{ suite, first, want string }{
		{"shop", "write", "shop"}, {"shop-fruit-old", "write", "shop-fruit"}, {"shopping", "write", "desk"},
		{"", "buy", "shop"}, {"", "sing", ""},
	} {
		got, err := known.of(&suite{name: c.suite, first: c.first})
		if err != nil || string(got) != string(known[c.want]) {
			t.Errorf("suite %q with %q: found %s (%v), expected those of %q", c.suite, c.first, got, err, c.want)
		}
	}
}

// Requests are kept apart by suite, and each knows its place; empty lines are none.
func TestReadKeepsTheOrder(t *testing.T) {
	name := filepath.Join(t.TempDir(), "requests")
	text := `{"action":{"tool":"a"},"facts":{"env":{"suite":"x"}}}` + "\n\n" + `{"action":{"tool":"b"}}` + "\n" +
		`{"action":{"tool":"c"},"facts":{"env":{"suite":"x"}}}`
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	all, n, err := read(name)
	if err != nil || n != 3 || len(all) != 2 {
		t.Fatalf("found %d suites of %d requests (%v)", len(all), n, err)
	}
	if x := all[0]; x.name != "x" || x.first != "a" || len(x.at) != 2 || x.at[1] != 2 {
		t.Errorf("found %+v", x)
	}
	if err := os.WriteFile(name, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := read(name); err == nil {
		t.Error("half a request is an error")
	}
}

// Code runs in a place, unless the request names one; files with an argument that is code say
// that it runs.
func TestCodeRunsInAPlace(t *testing.T) {
	lines, err := placed([][]byte{[]byte(`{"action":{"tool":"a"}}`), []byte(`{"facts":{"env":{"cwd":"/x","suite":"s"}}}`)})
	if err != nil || len(lines) != 2 {
		t.Fatalf("found %d lines (%v)", len(lines), err)
	}
	for i, want := range []string{`{"action":{"tool":"a"},"facts":{"env":{"cwd":"/workspace","home":"/home/user"}}}`,
		`{"facts":{"env":{"cwd":"/x","home":"/home/user","suite":"s"}}}`} {
		if got := string(lines[i]); got != want+"\n" {
			t.Errorf("found %s", got)
		}
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"code": "(deftool a :roles (:n :amount :cmd :code))",
		"none": "(deftool a :roles (:n :id))"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if !runsCode([]string{dir, filepath.Join(dir, "code")}) || runsCode([]string{dir, filepath.Join(dir, "none")}) {
		t.Error("a tool with an argument that is code runs code, and no other does")
	}
}
