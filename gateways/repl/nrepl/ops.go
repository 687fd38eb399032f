package nrepl

import (
	"errors"
	"strings"
)

// namespace is the only namespace: it becomes the prompt.
const namespace = "cortex"

// op is one operation of the protocol.
type op struct {
	doc string
	// named says that the message must name a session of this connection; session
	// that it may use the shared one of messages without a session.
	named, session bool
	run            func(c *conn, m dict, s *session)
}

// ops are the operations that describe lists.
func ops() map[string]op {
	return map[string]op{
		"clone":    {doc: "Makes a session and returns its id as new-session.", run: (*conn).opClone},
		"close":    {doc: "Ends a session and what runs in it.", named: true, session: true, run: (*conn).opClose},
		"describe": {doc: "Tells what this server can do.", run: (*conn).opDescribe},
		"eval":     {doc: "Evaluates the forms in code.", session: true, run: (*conn).opEval},
		"interrupt": {doc: "Stops the evaluation that runs in a session, or the one with the id interrupt-id.", named: true,
			session: true, run: (*conn).opInterrupt},
		"ls-sessions": {doc: "Lists the sessions of this connection.", run: (*conn).opSessions},
		"completions": {doc: "Lists the names that begin with prefix.", session: true, run: (*conn).opCompletions},
		"lookup":      {doc: "Describes the name sym.", session: true, run: (*conn).opLookup},
		"stdin":       {doc: "Is taken and ignored: no form reads input.", session: true, run: (*conn).opStdin},
	}
}

// dispatch handles one message.
func (c *conn) dispatch(m dict) {
	o, ok := c.s.ops[m.text("op")]
	if !ok {
		c.done(m, nil, "error", "unknown-op")
		return
	}
	if _, named := m["session"]; o.named && !named {
		c.refuse(m, nil, "no-session", "this takes a session")
		return
	}
	if _, named := m["session"]; !o.session && !named {
		o.run(c, m, nil)
		return
	}
	s, err := c.find(m)
	if err != nil {
		status := "unknown-session"
		if errors.Is(err, errNoRoom) {
			status = "too-many-sessions"
		}
		c.refuse(m, nil, status, err.Error())
		return
	}
	o.run(c, m, s)
}

func (c *conn) opClone(m dict, s *session) {
	c.mu.Lock()
	made := c.clone()
	c.mu.Unlock()
	if made == nil {
		c.refuse(m, s, "too-many-sessions", errNoRoom.Error())
		return
	}
	c.reply(m, s, dict{"new-session": made.id, "status": []string{"done"}})
}

func (c *conn) opClose(m dict, s *session) {
	c.closeSession(s)
	c.done(m, s, "session-closed")
}

func (c *conn) opDescribe(m dict, s *session) {
	known := dict{}
	for name, o := range c.s.ops {
		known[name] = dict{"doc": o.doc}
	}
	c.reply(m, s, dict{
		"ops": known, "aux": dict{"current-ns": namespace}, "status": []string{"done"},
		"versions": dict{
			"cortex": dict{"version-string": c.s.opt.Version},
			// The protocol that this speaks; editors ask for it.
			"nrepl": dict{"major": 1, "minor": 0, "incremental": 0, "version-string": "1.0.0"},
		},
	})
}

func (c *conn) opEval(m dict, s *session) {
	if _, ok := m["code"].(string); !ok {
		c.refuse(m, s, "no-code", "eval takes the code, a string")
		return
	}
	if err := c.enqueue(s, m); err != nil {
		c.refuse(m, s, "queue-full", err.Error())
	}
}

func (c *conn) opInterrupt(m dict, s *session) {
	id, named := m["interrupt-id"]
	found, idle := c.interrupt(s, ident(id), named)
	switch {
	case found:
		c.done(m, s)
	case idle:
		c.done(m, s, "session-idle")
	default:
		c.done(m, s, "error", "interrupt-id-mismatch")
	}
}

func (c *conn) opSessions(m dict, s *session) {
	c.mu.Lock()
	ids := make([]string, 0, len(c.sessions))
	for id := range c.sessions {
		ids = append(ids, id)
	}
	c.mu.Unlock()
	c.reply(m, s, dict{"sessions": ids, "status": []string{"done"}})
}

func (c *conn) opCompletions(m dict, s *session) {
	prefix := m.text("prefix")
	if prefix == "" {
		prefix = m.text("symbol") // as older clients call it
	}
	list := []any{}
	for _, name := range s.ev.Complete(prefix) {
		list = append(list, dict{"candidate": name, "type": "function"})
	}
	c.reply(m, s, dict{"completions": list, "status": []string{"done"}})
}

func (c *conn) opLookup(m dict, s *session) {
	name := m.text("sym")
	if name == "" {
		name = m.text("symbol")
	}
	d, ok := s.ev.Lookup(strings.TrimPrefix(name, namespace+"/"))
	if !ok {
		c.done(m, s, "lookup-error")
		return
	}
	info := dict{"name": d.Name, "ns": namespace, "doc": d.Text, "arglists-str": "[" + d.Args + "]"}
	if d.File != "" {
		info["file"], info["line"], info["column"] = d.File, d.Line, 1
	}
	c.reply(m, s, dict{"info": info, "status": []string{"done"}})
}

// opStdin answers at once: forms do not read input.
func (c *conn) opStdin(m dict, s *session) { c.done(m, s) }
