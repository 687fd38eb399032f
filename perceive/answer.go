package perceive

import "strings"

// Answers is how a person writes an answer.
const Answers = "/approve TOKEN, /answer TOKEN words, or /deny TOKEN why"

// Answer is a person's typed answer to an approval: "/approve T", "/answer T words" or
// "/deny T because".
type Answer struct {
	Approve bool
	Answers bool   // Reason answers the question of the approval
	Token   string // which approval; "" if the command names none
	Reason  string // the rest of the text
}

// Command is how the answer is written, without the rest of the text.
func (a Answer) Command() string {
	switch {
	case a.Approve:
		return "/approve " + a.Token
	case a.Answers:
		return "/answer " + a.Token
	}
	return "/deny " + a.Token
}

// Done says to its sender that the answer counts.
func (a Answer) Done() string {
	switch {
	case a.Approve:
		return "approved " + a.Token
	case a.Answers:
		return "answered " + a.Token
	}
	return "denied " + a.Token
}

// ParseAnswer recognises an approval command in a person's text. It runs before
// any model sees the text, and a model never sees a command, even if its token is
// missing or wrong (row 88). It ignores case, surrounding white space, invisible
// characters before the command and a bot's name after it. It does not match in the
// middle of a text.
func ParseAnswer(text string) (Answer, bool) {
	command, rest := Word(text)
	command, _, _ = strings.Cut(command, "@") // /approve@our_bot, as Telegram writes it
	var a Answer
	switch strings.ToLower(command) {
	case "/approve":
		a.Approve = true
	case "/answer":
		a.Answers = true
	case "/deny":
	default:
		return Answer{}, false
	}
	a.Token, rest = Word(rest)
	a.Reason = strings.TrimFunc(rest, ignorable)
	return a, true
}

// Word returns the first word of a person's text, and what follows it. White space of any kind and invisible
// characters stand before and behind a word.
func Word(text string) (word, rest string) {
	text = strings.TrimLeftFunc(text, ignorable)
	i := strings.IndexFunc(text, ignorable)
	if i < 0 {
		return text, ""
	}
	return text[:i], strings.TrimLeftFunc(text[i:], ignorable)
}

// ignorable are white space and invisible characters.
func ignorable(r rune) bool {
	switch {
	case r <= ' ', r == 0x7f, r == 0x85, r == 0xa0, r == 0xad, r == 0x1680, r == 0x3000, r == 0xfeff:
		return true
	}
	return r >= 0x2000 && r <= 0x200f || r >= 0x2028 && r <= 0x202f || r >= 0x205f && r <= 0x206f
}
