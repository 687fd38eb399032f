package mcp

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/adapters/mcp/internal/wire"
)

// joiner makes one result of those of several servers.
type joiner func(l *merged, answers map[string][]wire.Object) json.RawMessage

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
func first(l *merged, answers map[string][]wire.Object) json.RawMessage {
	for _, name := range l.names {
		if pages := answers[name]; pages != nil {
			return pages[0].With("", nil)
		}
	}
	return json.RawMessage("{}")
}

// greeting says what all can do, in the protocol version of the one that lags behind.
func greeting(l *merged, answers map[string][]wire.Object) json.RawMessage {
	out, _ := wire.Members(first(l, answers))
	can, say := map[string]map[string]any{}, []string{}
	var versions []string
	lowest := ""
	for _, name := range l.names {
		if answers[name] == nil {
			continue
		}
		one := answers[name][0]
		var theirs map[string]map[string]any
		if json.Unmarshal(one.Get("capabilities"), &theirs) == nil {
			for key, value := range theirs {
				if can[key] == nil {
					can[key] = map[string]any{}
				}
				for k, v := range value {
					can[key][k] = v
				}
			}
		}
		delete(can, "tasks") // a task is not known by its server
		var text, version string
		if json.Unmarshal(one.Get("instructions"), &text) == nil && text != "" {
			say = append(say, name+": "+text)
		}
		if json.Unmarshal(one.Get("protocolVersion"), &version) == nil && (lowest == "" || version < lowest) {
			lowest = version
		}
		var all []string
		if json.Unmarshal(one.Get("supportedVersions"), &all) == nil {
			versions = common(versions, all)
		}
	}
	set := func(key string, v any, is bool) {
		if raw := wire.Encode(v); !is {
			return
		} else if out.Get(key) == nil {
			out = append(out, wire.Member{Key: key, Value: raw})
		} else {
			out, _ = wire.Members(out.With(key, raw))
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
	set("serverInfo", map[string]string{"name": l.p.Name, "version": "1"}, out.Get("serverInfo") != nil)
	set("instructions", strings.Join(say, "\n\n"), len(say) > 0)
	set("protocolVersion", lowest, lowest != "")
	set("supportedVersions", versions, versions != nil)
	return out.With("", nil)
}

// common are the versions that are in both; all, if none were there before.
func common(before, all []string) []string {
	if before == nil {
		return all
	}
	return slices.DeleteFunc(slices.Clone(before), func(v string) bool { return !slices.Contains(all, v) })
}

// lists joins the lists under a key; entry sees each entry of each, and may change it.
func lists(key string, entry func(l *merged, server string, raw json.RawMessage) json.RawMessage) joiner {
	return func(l *merged, answers map[string][]wire.Object) json.RawMessage {
		all := []json.RawMessage{}
		for _, name := range l.names {
			for _, page := range answers[name] {
				var list []json.RawMessage
				_ = json.Unmarshal(page.Get(key), &list)
				for _, raw := range list {
					all = append(all, entry(l, name, raw))
				}
			}
		}
		head, _ := wire.Members(first(l, answers))
		head = slices.DeleteFunc(head, func(m wire.Member) bool { return m.Key == "nextCursor" })
		if head.Get(key) == nil {
			head = append(head, wire.Member{Key: key})
		}
		return head.With(key, wire.Encode(all))
	}
}

// prefixed is an entry under the name of its server.
func prefixed(_ *merged, server string, raw json.RawMessage) json.RawMessage {
	all, err := wire.Members(raw)
	var name string
	if err != nil || json.Unmarshal(all.Get("name"), &name) != nil {
		return raw
	}
	text, _ := json.Marshal(server + between + name)
	return all.With("name", text)
}

// at notes whose the address of an entry is.
func at(key string) func(*merged, string, json.RawMessage) json.RawMessage {
	return func(l *merged, server string, raw json.RawMessage) json.RawMessage {
		all, err := wire.Members(raw)
		var uri string
		if err != nil || json.Unmarshal(all.Get(key), &uri) != nil {
			return raw
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
