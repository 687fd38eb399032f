package wire

import (
	"fmt"
	"strings"
	"unicode"
)

// scope is how the members of a value are read.
type scope int

const (
	free     scope = iota // names mean nothing to the protocol
	named                 // the protocol's own
	result                // the members of a result
	metadata              // of _meta: few are the protocol's, and their values are its extensions'
)

// open are members whose objects have names that the protocol does not give.
var open = set(`arguments structuredContent inputSchema outputSchema requestedSchema metadata experimental extensions
	data input inputRequests inputResponses`)

// protocol are the members that the protocol names. Source: the schemas of its revisions 2025-11-25 and 2026-07-28.
var protocol = set(`jsonrpc id method params result error code message data
	_meta action annotations argument arguments audience blob cacheScope capabilities clientInfo completion completions
	content contents context costPriority cursor description destructiveHint elicitation elicitationId experimental
	extensions form hasMore hints icons idempotentHint includeContext input inputRequests inputResponses inputSchema
	instructions intelligencePriority isError lastModified level listChanged logger logging maxTokens messages
	metadata mimeType mode model modelPreferences name nextCursor notifications openWorldHint outputSchema priority
	progress progressToken prompts promptsListChanged protocolVersion readOnlyHint reason ref requestId requestState
	requested requestedSchema required requiredCapabilities resource resourceSubscriptions resourceTemplates resources
	resourcesListChanged resultType role roots sampling serverInfo size sizes speedPriority src stopReason
	stopSequences structuredContent subscribe supported supportedVersions systemPrompt task tasks taskId temperature text
	theme title toolChoice toolUseId tools toolsListChanged total ttl ttlMs type uri uriTemplate url value values version
	websiteUrl`)

// extension are the members of _meta that the proxy reads.
var extension = set("progressToken " + MetaVersion + " " + metaCapabilities + " " + Subscription)

var (
	protocolFolded  = folded(protocol)
	extensionFolded = folded(extension)
)

func set(names string) map[string]bool {
	all := map[string]bool{}
	for _, name := range strings.Fields(names) {
		all[name] = true
	}
	return all
}

func folded(names map[string]bool) map[string]string {
	all := map[string]string{}
	for name := range names {
		all[fold(name)] = name
	}
	return all
}

// fold returns a name in the form that all its spellings in upper and lower case have.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, name)
}

// member returns how the value of a member is read. It refuses a name that differs from one of the protocol's
// only in case: some readers take the one for the other.
func (s scope) member(name string) (scope, error) {
	names, by := protocol, protocolFolded
	switch s {
	case free:
		return free, nil
	case metadata:
		names, by = extension, extensionFolded
	case named, result:
	}
	if !names[name] {
		if meant, ok := by[fold(name)]; ok {
			return free, fmt.Errorf("found the key %q; expected %q", name, meant)
		}
		return free, nil
	}
	switch {
	case s == metadata:
		return free, nil
	case name == "_meta":
		return metadata, nil
	case name == "result":
		return result, nil
	case s == result && name == "content":
		return result, nil // a list of blocks, or what a person filled in
	}
	return named, nil
}

// object returns how an object is read that is the value of a member.
func (s scope) object(key string) scope {
	switch {
	case open[key], s == result && key == "content":
		return free
	}
	return s
}
