package merging

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/adapters/mcp/internal/wire"
)

// joiner makes one result of those of several servers.
type joiner func(l *Merged, answers map[string][]wire.Object) json.RawMessage

// joins are the requests that go to every server.
var joins = map[string]joiner{
	wire.MethodInitialize:      greeting,
	wire.MethodDiscover:        greeting,
	wire.MethodList:            lists("tools", prefixed),
	"prompts/list":             lists("prompts", prefixed),
	"resources/list":           lists("resources", at("uri")),
	"resources/templates/list": lists("resourceTemplates", at("uriTemplate")),
	"ping":                     first,
	"logging/setLevel":         first,
}

// first is the answer of the first server.
func first(l *Merged, answers map[string][]wire.Object) json.RawMessage {
	for _, name := range l.names {
		if pages := answers[name]; pages != nil {
			whole, _ := pages[0].JSON() // it was read
			return whole
		}
	}
	return json.RawMessage("{}")
}

// greeting says what all can do, in the protocol version of the one that lags behind.
func greeting(l *Merged, answers map[string][]wire.Object) json.RawMessage {
	out, _ := wire.Members(first(l, answers))
	can, say := map[string]map[string]any{}, []string{}
	var versions []string
	lowest := ""
	for _, name := range l.names {
		if answers[name] == nil {
			continue
		}
		one := answers[name][0]
		for _, c := range one.Object("capabilities") {
			if can[c.Key] == nil {
				can[c.Key] = map[string]any{}
			}
			for _, m := range one.Object("capabilities").Object(c.Key) {
				can[c.Key][m.Key] = m.Value
			}
		}
		delete(can, "tasks") // a task is not known by its server
		if text := one.Text("instructions"); text != "" {
			say = append(say, name+": "+text)
		}
		if version := one.Text("protocolVersion"); version != "" && (lowest == "" || version < lowest) {
			lowest = version
		}
		var all []string
		if json.Unmarshal(one.Get("supportedVersions"), &all) == nil {
			versions = common(versions, all)
		}
	}
	set := func(key string, v any, is bool) {
		if is {
			out = out.Set(key, wire.Encode(v))
		}
	}
	if len(answers) < len(l.names) && can["tools"] == nil {
		can["tools"] = map[string]any{} // those of a server that is not there yet
	}
	for _, key := range []string{"tools", "prompts", "resources"} {
		if can[key] != nil {
			can[key]["listChanged"] = true // when a server's part comes late
		}
	}
	set("capabilities", can, true)
	set("serverInfo", map[string]string{"name": l.opt.Name, "version": "1"}, out.Get("serverInfo") != nil)
	set("instructions", strings.Join(say, "\n\n"), len(say) > 0)
	set("protocolVersion", lowest, lowest != "")
	set("supportedVersions", versions, versions != nil)
	whole, _ := out.JSON() // its parts were read
	return whole
}

// common are the versions that are in both; all, if none were there before.
func common(before, all []string) []string {
	if before == nil {
		return all
	}
	return slices.DeleteFunc(slices.Clone(before), func(v string) bool { return !slices.Contains(all, v) })
}

// lists joins the lists under a key; entry sees each entry of each, and may change it.
func lists(key string, entry func(l *Merged, server string, raw json.RawMessage) json.RawMessage) joiner {
	return func(l *Merged, answers map[string][]wire.Object) json.RawMessage {
		all := []json.RawMessage{}
		for _, name := range l.names {
			for _, page := range answers[name] {
				list, _ := page.List(key)
				for _, raw := range list {
					if raw = entry(l, name, raw); raw != nil {
						all = append(all, raw)
					}
				}
			}
		}
		head, _ := wire.Members(first(l, answers))
		whole, _ := head.Set("nextCursor", nil).Set(key, wire.Encode(all)).JSON() // its parts were read
		return whole
	}
}

// prefixed is an entry under the name of its server; nil for one without a name, which would stand beside the
// names of other servers.
func prefixed(l *Merged, server string, raw json.RawMessage) json.RawMessage {
	all, err := wire.Members(raw)
	name := all.Text("name")
	if err == nil && name != "" {
		raw, err = all.Set("name", wire.Encode(server+Between+name)).JSON()
	}
	if err != nil || name == "" {
		l.opt.Logger.Warn("an entry of a list has no name; it was left out", "server", server)
		return nil
	}
	return raw
}

// at notes whose the address of an entry is.
func at(key string) func(*Merged, string, json.RawMessage) json.RawMessage {
	return func(l *Merged, server string, raw json.RawMessage) json.RawMessage {
		all, err := wire.Members(raw)
		uri := all.Text(key)
		if err != nil || uri == "" {
			return nil
		}
		into := l.uris
		if key == "uriTemplate" {
			into = l.heads
			uri, _, _ = strings.Cut(uri, "{")
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		if into[uri] == "" {
			into[uri] = server
		}
		return raw
	}
}
