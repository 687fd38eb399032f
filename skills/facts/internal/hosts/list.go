// Package hosts finds the hosts that command lines name: in URLs, in the options and
// operands of network and package programs, in their settings, and in variables such
// as http_proxy.
//
// What programs read differently is not guessed: then the list is not whole, and
// says why.
package hosts

import "strings"

// List collects hosts, each once, in order.
type List struct {
	Found   []any  // strings
	Unknown string // why there may be more; "" if these are all
	seen    map[string]bool
}

// New is an empty list.
func New() *List { return &List{seen: map[string]bool{}} }

// Operand adds the host of a URL, with or without its scheme.
func (h *List) Operand(text string) {
	name, err := Of(text)
	if err != nil {
		h.Unknown = "which host " + text + " names"
		return
	}
	h.add(name)
}

func (h *List) add(name string) {
	if name != "" && !h.seen[name] {
		h.seen[name] = true
		h.Found = append(h.Found, name)
	}
}

// urls adds the host of every scheme:// in a text.
func (h *List) urls(text string) {
	for rest := text; ; {
		i := strings.Index(rest, "://")
		if i < 0 {
			return
		}
		start := i
		for start > 0 && isSchemeByte(rest[start-1]) {
			start--
		}
		if start < i && !strings.EqualFold(rest[start:i], "file") {
			end := strings.IndexAny(rest[i+3:], " \t\r\n\"'`<>|;,")
			if end < 0 {
				end = len(rest) - i - 3
			}
			if end > 0 {
				h.Operand(rest[start : i+3+end])
			}
		}
		rest = rest[i+3:]
	}
}

func isSchemeByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'
}
