package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
)

// python is Debian's: what the gate in Python needs is not in most others.
const python = "/usr/bin/python3"

// encore asks a gate that is written in Python, where Python has what that needs.
// It is not part of what is compared.
func encore(ctx context.Context, out io.Writer, made parts) (err error) {
	if exec.CommandContext(ctx, python, "-I", "-c", "import grpc, google.protobuf").Run() != nil {
		_, err := fmt.Fprintln(out, "A gate in Python was not asked: "+python+
			" lacks grpcio or protobuf (Debian: python3-grpcio python3-protobuf).")
		return err
	}
	if made.skills == "" {
		_, err := fmt.Fprintln(out,
			"A gate in Python was not asked: make skills puts it in place, and -skills names the folder.")
		return err
	}
	h, leave, err := newHouse()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	if err := h.write("rules/python.lisp", `(deftool python :doc "Run a program." :params (:code string) :required (:code) :tier :allow)`, 0o600); err != nil {
		return err
	}
	p, err := made.build(ctx, h)
	if err != nil {
		return err
	}
	if made.skills, err = filepath.Abs(made.skills); err != nil {
		return err
	}
	file := func(name string) string { return filepath.Join(made.skills, name) }
	said, code, err := p.run("plugins", "lock", "--with", file("cortex_skill.py"), "--with", file("skill_pb2.py"),
		file("python_gate.py"))
	if err != nil || code != 0 {
		return fmt.Errorf("cortex plugins lock: %w: %s", err, said)
	}
	if err := p.patient(); err != nil {
		return err
	}
	d, err := p.start("--dir", "state", "--rules", "rules", "--plugins", "skills.lock", "--socket", "run/c.sock")
	if err != nil {
		return err
	}
	defer func() {
		if d.cmd != nil {
			err = errors.Join(err, d.kill())
		}
	}()
	if err := encoreCases(p, out); err != nil {
		return err
	}
	return d.stop()
}

// encoreCases are programs, and what the gate in Python says of them.
func encoreCases(p program, out io.Writer) error {
	if _, err := fmt.Fprint(out, "\nA gate in Python, asked beside it:\n\n"); err != nil {
		return err
	}
	for _, c := range []struct{ code, want string }{
		{"print(sum(range(10)))", "allow  tier/python"},
		{"from os import system as s; s('id')", "deny  python-gate/runs-programs"},
		{"import shutil; shutil.rmtree('notes')", "ask  python-gate/deletes"},
	} {
		form := fmt.Sprintf(`(decide (:tool "python" :args (:code %q)))`, c.code)
		text, _, err := p.run("repl", "--json", "--socket", "run/c.sock", form)
		if err != nil {
			return err
		}
		var said struct{ Text string }
		if err := json.Unmarshal([]byte(text), &said); err != nil {
			return fmt.Errorf("cortex repl: %w: %s", err, text)
		}
		got, _, _ := strings.Cut(said.Text, "\n")
		t := &teller{out: out}
		t.say("code", c.code)
		t.say("rules", got)
		if got != c.want {
			return fmt.Errorf("the gate in Python: %s: got %s, expected %s", c.code, got, c.want)
		}
	}
	return nil
}
