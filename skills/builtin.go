package skills

import "strings"

// The names of the built-in tools: the one that answers the user, and the one that asks a
// person.
const (
	ReplyTool     = "reply"
	AskPersonTool = "ask_person"
)

// IsBuiltin reports whether a name is that of a built-in tool, case aside. Rules on it are about what Cortex
// does, so no other tool may have it.
func IsBuiltin(name string) bool {
	return strings.EqualFold(name, ReplyTool) || strings.EqualFold(name, AskPersonTool)
}

// BuiltinTools returns the tools that every rulebook declares. They are gated like any
// other tool. reply sends text to the signal's sender and needs no approval. ask_person
// puts a question to a person, and always waits for one: see [Question].
func BuiltinTools() []*Tool {
	text := Type{Kind: KindString}
	return []*Tool{{
		Name:     ReplyTool,
		Doc:      "Say something to the user.",
		Params:   []Param{{Name: "text", Type: text}},
		Required: []string{"text"},
		Tier:     TierAllow,
		Effect:   EffectExternal,
		Builtin:  true,
	}, {
		Name: AskPersonTool,
		Doc: "Ask a person, and wait: for a yes (confirm), for one of :choices (choice), or for words (answer). " +
			"The answer is the result.",
		Params: []Param{
			{Name: "kind", Type: Type{Kind: KindEnum, Enum: []string{Confirm, Choice, Artifact, Words}}},
			{Name: "question", Type: text},
			{Name: "choices", Type: Type{Kind: KindList, Elem: &text}},
			{Name: answerArg, Type: text},
		},
		Required: []string{"kind", "question"},
		Tier:     TierAsk,
		Effect:   EffectNone,
		Builtin:  true,
	}}
}
