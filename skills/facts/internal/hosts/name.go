package hosts

import (
	"fmt"
	"net/netip"
	"strings"
)

// Of returns the host in a URL, or in what programs take for one when its
// scheme is left out: [user@]host[:port][/path]. What they read differently is
// an error.
func Of(text string) (string, error) {
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
	return Name(name)
}

// Name returns a host as hosts lists it: in lower case, without the final
// dot, an address in its usual spelling.
func Name(name string) (string, error) {
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if addr, err := netip.ParseAddr(name); err == nil {
		return addr.Unmap().WithZone("").String(), nil
	}
	if name == "" || strings.HasPrefix(name, ".") || strings.Contains(name, "..") || len(name) > 253 {
		return "", fmt.Errorf("%q is not a host", name)
	}
	for i := range len(name) {
		c := name[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '.' && c != '_' {
			return "", fmt.Errorf("%q is not a host in ASCII; write other letters in punycode, xn--", name)
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
