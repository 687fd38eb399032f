package words

import (
	"net/url"
	"strings"
)

// IsURL reports whether an atom names its host as a URL does.
func IsURL(s string) bool {
	scheme, rest, ok := strings.Cut(s, "://")
	if ok {
		return letters(strings.TrimRight(scheme, "0123456789")) && rest != ""
	}
	if host, _, ok := strings.Cut(s, "/"); ok {
		return isHost(host) && (KnownTop(host) || strings.HasPrefix(strings.ToLower(host), "www."))
	}
	return strings.HasPrefix(strings.ToLower(s), "www.") && isHost(s)
}

// KnownTop reports whether a host ends in a domain that files seldom end in.
func KnownTop(host string) bool {
	switch strings.ToLower(host[strings.LastIndexByte(host, '.')+1:]) {
	case "com", "net", "org", "io", "co", "dev", "app", "info", "me", "ai", "edu", "gov", "uk", "de", "fr", "eu",
		"ch", "at", "nl", "it", "es", "us", "ca", "au", "xyz", "site", "online", "biz", "tech", "cloud", "shop", "ru", "cn",
		"jp":
		return true
	}
	return false
}

// foldURL folds the scheme and host of a URL and keeps its path.
func foldURL(s string) string {
	host := HostOf(s)
	if i := strings.Index(strings.ToLower(s), host); host != "" && i >= 0 {
		end := min(i+len(host), len(s)) // small letters may take more bytes
		s = strings.ToLower(s[:end]) + s[end:]
		if strings.HasSuffix(s, host+"/") {
			s = strings.TrimSuffix(s, "/")
		}
	}
	return s
}

// HostOf returns the host of a URL in small letters, or "" if there is none.
func HostOf(s string) string {
	if !strings.Contains(s, "://") {
		s = "http://" + s
	}
	u, err := url.Parse(s)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// Parts returns the host of a URL, and the other parts that somebody could choose by
// themselves: user, port, segments of the path, names and values of the query, fragment.
func Parts(s string) (host string, rest []string, ok bool) {
	if !strings.Contains(s, "://") {
		s = "http://" + s
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" {
		return "", nil, false
	}
	if u.User != nil {
		rest = append(rest, u.User.String())
	}
	if p := u.Port(); p != "" {
		rest = append(rest, p)
	}
	rest = append(rest, strings.Split(u.Path, "/")...)
	for _, pair := range strings.FieldsFunc(u.RawQuery, func(r rune) bool { return r == '&' || r == ';' }) {
		k, v, _ := strings.Cut(pair, "=")
		for _, x := range []string{k, v} {
			if d, err := url.QueryUnescape(x); err == nil {
				x = d
			}
			rest = append(rest, x)
		}
	}
	return strings.ToLower(u.Hostname()), append(rest, u.Fragment), true
}

// BaseName returns the last part of a path, if the path has others.
func BaseName(path string) (string, bool) {
	i := strings.LastIndexAny(strings.TrimRight(path, "/"), "/\\")
	name := strings.TrimRight(path, "/")[i+1:]
	return name, i >= 0 && len(name) > 3 && ShapeOf(path) == Path
}
