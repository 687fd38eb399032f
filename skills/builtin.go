package skills

// ReplyTool is the name of the built-in tool that answers the user.
const ReplyTool = "reply"

// BuiltinTools returns the tools that every rulebook declares: today only reply,
// which sends text to the signal's sender. It needs no approval, and is gated like
// any other tool.
func BuiltinTools() []*Tool {
	return []*Tool{{
		Name:     ReplyTool,
		Doc:      "Say something to the user.",
		Params:   []Param{{Name: "text", Type: Type{Kind: KindString}}},
		Required: []string{"text"},
		Tier:     TierAllow,
		Effect:   EffectExternal,
		Builtin:  true,
	}}
}
