package facts

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/opencortex-go/cortex/skills"
)

// callHosts answers hosts.
func callHosts(c *skills.Case, _ []any) (any, error) {
	const key = "hosts"
	if got, ok := c.Shared(key).([]any); ok {
		return got, nil
	}
	h := &hostList{seen: map[string]bool{}}
	for _, l := range leaves(c) {
		if err := h.leaf(c, l); err != nil {
			return nil, err
		}
	}
	out, err := h.done()
	if err == nil {
		c.Share(key, out)
	}
	return out, err
}

// hostList collects hosts, each once, in order.
type hostList struct {
	list    []any
	seen    map[string]bool
	unknown string
}

func (h *hostList) done() ([]any, error) {
	if len(h.list) > maxHosts {
		return nil, fmt.Errorf("the action names more than %d hosts", maxHosts)
	}
	if h.list == nil {
		h.list = []any{}
	}
	if h.unknown != "" {
		return append(h.list, Unknown{h.unknown}), nil
	}
	return h.list, nil
}

func (h *hostList) leaf(c *skills.Case, l leaf) error {
	switch l.kind {
	case skills.KindCommand:
		m := lineOf(c, l.text)
		if m.err != nil {
			return m.err
		}
		for i := range m.line.commands {
			h.command(&m.line.commands[i])
		}
		if m.line.rest != "" {
			h.unknown = m.line.rest
		}
	case skills.KindHost, skills.KindURL:
		if l.text != "" {
			h.operand(l.text)
		}
	default:
		// A string counts if it is a URL as a whole.
		if !strings.Contains(l.text, "://") {
			return nil
		}
		if u, err := url.Parse(strings.TrimSpace(l.text)); err == nil && u.Scheme != "" && u.Host != "" {
			h.operand(strings.TrimSpace(l.text))
		}
	}
	return nil
}

// operand adds the host of a URL, with or without its scheme.
func (h *hostList) operand(text string) {
	name, err := hostOf(text)
	if err != nil {
		h.unknown = "which host " + text + " names"
		return
	}
	h.add(name)
}

func (h *hostList) add(name string) {
	if name != "" && !h.seen[name] {
		h.seen[name] = true
		h.list = append(h.list, name)
	}
}

// urls adds the host of every scheme:// in a text.
func (h *hostList) urls(text string) {
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
				h.operand(rest[start : i+3+end])
			}
		}
		rest = rest[i+3:]
	}
}

func isSchemeByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'
}

// hostOf returns the host in a URL, or in what programs take for one when its
// scheme is left out: [user@]host[:port][/path]. What they read differently is
// an error.
func hostOf(text string) (string, error) {
	authority := text
	if i := strings.Index(text, "://"); i >= 0 {
		authority = text[i+3:]
	} else if rest, ok := strings.CutPrefix(text, "//"); ok {
		authority = rest
	}
	if i := strings.IndexAny(authority, "/?#"); i >= 0 {
		if i > 0 && authority[i-1:i+1] == ":/" && len(authority) == len(text) {
			return "", fmt.Errorf("%q is a URL for some programs; write it with ://", text)
		}
		authority = authority[:i]
	}
	if strings.Count(authority, "@") > 1 || strings.ContainsAny(authority, "\\ \t\r\n%{}<>\"'`$,;*^|") {
		return "", fmt.Errorf("%q is read as different hosts by different programs", text)
	}
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		authority = authority[i+1:]
	}
	name, rest := authority, ""
	if strings.HasPrefix(name, "[") {
		end := strings.IndexByte(name, ']')
		if end < 0 {
			return "", fmt.Errorf("%q has a bracket that never closes", text)
		}
		name, rest = name[1:end], name[end+1:]
		if _, err := netip.ParseAddr(name); err != nil {
			return "", fmt.Errorf("%q has no IPv6 address in its brackets", text)
		}
	} else if i := strings.IndexByte(name, ':'); i >= 0 && strings.Count(name, ":") == 1 {
		name, rest = name[:i], name[i:]
	}
	if strings.Trim(strings.TrimPrefix(rest, ":"), "0123456789") != "" {
		return "", fmt.Errorf("%q has no number for a port", text)
	}
	return hostName(name)
}

// hostName returns a host as hosts lists it: in lower case, without the final
// dot, an address in its usual spelling.
func hostName(name string) (string, error) {
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if addr, err := netip.ParseAddr(name); err == nil {
		return addr.Unmap().WithZone("").String(), nil
	}
	if name == "" || strings.HasPrefix(name, ".") || strings.Contains(name, "..") || len(name) > 253 {
		return "", fmt.Errorf("%q is no host", name)
	}
	for i := range len(name) {
		c := name[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '.' && c != '_' {
			return "", fmt.Errorf("%q is no host in ASCII; write other letters in punycode, xn--", name)
		}
	}
	return oldAddress(name)
}

// oldAddress refuses other spellings of an IPv4 address, such as 2130706433,
// 0x7f.1 or 127.1: programs that resolve names read them as one.
func oldAddress(name string) (string, error) {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if strings.HasPrefix(last, "0x") || strings.Trim(last, "0123456789") == "" {
		return "", fmt.Errorf("%q is an address in a spelling of its own; write it as 127.0.0.1", name)
	}
	return name, nil
}

func callHost(_ *skills.Case, args []any) (any, error) {
	text, _ := args[0].(string)
	return hostOf(text)
}

// callDomainIn answers domain-in?. Addresses are compared whole.
func callDomainIn(_ *skills.Case, args []any) (any, error) {
	text, _ := args[0].(string)
	name, err := hostName(text)
	if err != nil {
		return nil, err
	}
	_, notAddr := netip.ParseAddr(name)
	domains, _ := args[1].([]any)
	for _, d := range domains {
		s, ok := d.(string)
		if !ok {
			return nil, fmt.Errorf("a domain is a string")
		}
		domain, err := hostName(s)
		if err != nil {
			return nil, err
		}
		if name == domain || notAddr != nil && strings.HasSuffix(name, "."+domain) {
			return true, nil
		}
	}
	return false, nil
}

func checkDomains(v any) error {
	return each(v, func(s string) error {
		_, err := hostName(s)
		return err
	})
}

// each checks every string of a literal list.
func each(v any, check func(string) error) error {
	items, ok := v.([]any)
	if !ok {
		items = []any{v}
	}
	for _, x := range items {
		s, ok := x.(string)
		if !ok {
			return fmt.Errorf("expected a string, found %T", x)
		}
		if err := check(s); err != nil {
			return err
		}
	}
	return nil
}

// callCIDRIn answers cidr-in?.
func callCIDRIn(_ *skills.Case, args []any) (any, error) {
	text, _ := args[0].(string)
	addr, err := netip.ParseAddr(strings.Trim(text, "[]"))
	if err != nil {
		return nil, fmt.Errorf("%q is no IP address", text)
	}
	addr = addr.Unmap().WithZone("")
	ranges, _ := args[1].([]any)
	for _, r := range ranges {
		s, ok := r.(string)
		if !ok {
			return nil, fmt.Errorf("a range of addresses is a string")
		}
		p, err := prefix(s)
		if err != nil {
			return nil, err
		}
		if p.Contains(addr) {
			return true, nil
		}
	}
	return false, nil
}

func prefix(s string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(s); err == nil {
		addr = addr.Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	p, err := netip.ParsePrefix(s)
	if err != nil {
		return p, fmt.Errorf("%q is no range of addresses, expected one like \"10.0.0.0/8\"", s)
	}
	if p.Addr().Is4In6() && p.Bits() >= 96 {
		p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
	}
	return p, nil
}

func checkCIDRs(v any) error {
	return each(v, func(s string) error {
		_, err := prefix(s)
		return err
	})
}
