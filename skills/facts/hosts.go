package facts

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts/internal/hosts"
)

// callHosts answers hosts.
func callHosts(c *skills.Case, _ []any) (any, error) {
	const key = "hosts"
	if got, ok := c.Shared(key).([]any); ok {
		return got, nil
	}
	h := hosts.New()
	for _, l := range leaves(c) {
		if err := leafHosts(h, c, l); err != nil {
			return nil, err
		}
	}
	out, err := found(h)
	if err == nil {
		c.Share(key, out)
	}
	return out, err
}

// found lists the hosts that were collected, with Unknown at the end if there may
// be more.
func found(h *hosts.List) ([]any, error) {
	if len(h.Found) > maxHosts {
		return nil, fmt.Errorf("the action names more than %d hosts", maxHosts)
	}
	if h.Found == nil {
		h.Found = []any{}
	}
	if h.Unknown != "" {
		return append(h.Found, Unknown{h.Unknown}), nil
	}
	return h.Found, nil
}

// leafHosts adds the hosts in one argument.
func leafHosts(h *hosts.List, c *skills.Case, l leaf) error {
	switch l.kind {
	case skills.KindCommand:
		m := lineOf(c, l.text)
		if m.err != nil {
			return m.err
		}
		for i := range m.line.Commands {
			h.Command(&m.line.Commands[i])
		}
		if m.line.Rest != "" {
			h.Unknown = m.line.Rest
		}
	case skills.KindHost, skills.KindURL:
		if l.text != "" {
			h.Operand(l.text)
		}
	default:
		// A string counts if it is a URL as a whole.
		if !strings.Contains(l.text, "://") {
			return nil
		}
		if u, err := url.Parse(strings.TrimSpace(l.text)); err == nil && u.Scheme != "" && u.Host != "" {
			h.Operand(strings.TrimSpace(l.text))
		}
	}
	return nil
}

func callHost(_ *skills.Case, args []any) (any, error) {
	text, _ := args[0].(string)
	return hosts.Of(text)
}

// callDomainIn answers domain-in?. Addresses are compared whole.
func callDomainIn(_ *skills.Case, args []any) (any, error) {
	text, _ := args[0].(string)
	name, err := hosts.Name(text)
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
		domain, err := hosts.Name(s)
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
		_, err := hosts.Name(s)
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
		return nil, fmt.Errorf("%q is not an IP address", text)
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
		return p, fmt.Errorf("%q is not a range of addresses, expected one like \"10.0.0.0/8\"", s)
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
