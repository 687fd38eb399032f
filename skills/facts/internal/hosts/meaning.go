package hosts

import (
	"strings"

	"github.com/opencortex-go/cortex/skills/facts/internal/options"
	"github.com/opencortex-go/cortex/skills/facts/internal/shell"
	"github.com/opencortex-go/cortex/skills/facts/internal/usage"
	"github.com/opencortex-go/cortex/skills/facts/internal/words"
)

// value adds the hosts of one value or operand.
func (h *List) value(u *usage.Reader, kind options.Kind, option string, w shell.Word) {
	if !w.Known {
		switch kind {
		case options.Plain, options.Path, options.Data, options.Rest:
		default:
			h.Unknown = w.Why
		}
		return
	}
	switch kind {
	case options.Opaque, options.List, options.Hides:
		h.Unknown = "which hosts " + usage.Opens(u, option, w) + " brings in"
		return
	case options.Setting:
		h.setting(u.Program.Name, option, w)
		return
	case options.Variable:
		h.variable(w, true)
		return
	}
	text := strings.TrimPrefix(w.Text, "=") // -x=host, as some programs take it
	if text == "" || !kind.NamesHost() || w.Pattern && h.hidden(w) || strings.Contains(text, "://") {
		return // urls has the last
	}
	h.named(u.Program.Name, kind, text)
}

// hidden reports that a pattern names no host for certain, or notes that it may
// name one.
func (h *List) hidden(w shell.Word) bool {
	// Programs and the shell give ? [ ] and * meanings of their own, but only
	// behind the host do they leave it as it is.
	text := w.Text
	meta := strings.IndexAny(text, "*?[")
	if slash := strings.IndexByte(text, '/'); slash >= 0 && slash < meta && !strings.ContainsAny(text[:slash], ":") {
		if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "/") || w.Tilde {
			return true // a file
		}
	}
	i := strings.Index(text, "://")
	if i < 0 || i+3 > meta || !strings.Contains(text[i+3:meta], "/") {
		h.Unknown = "which host " + text + " names"
		return true
	}
	return false
}

// named adds the host in the text of a value.
func (h *List) named(program string, kind options.Kind, text string) {
	switch kind {
	case options.Host:
		if strings.HasPrefix(text, "@") {
			h.Unknown = "which hosts the file " + text[1:] + " names"
			return
		}
		if strings.Contains(text, "/") {
			h.Operand(text) // a URL, whose path may have commas
			return
		}
		for v := range strings.SplitSeq(text, ",") {
			h.Operand(v)
		}
	case options.Place:
		if name, _, ok := beforePath(text); ok {
			text = name
		}
		h.Operand(text)
	case options.Remote:
		h.remote(program, text)
	case options.Image:
		if first, _, ok := strings.Cut(text, "/"); ok && (strings.ContainsAny(first, ".:") || first == "localhost") {
			h.Operand(first)
		}
	case options.Package:
		h.npmPackage(text)
	case options.Module:
		h.module(text)
	case options.Dsn:
		if strings.Contains(text, "=") {
			h.Unknown = "which host " + text + " names"
		}
	case options.Address:
		h.address(text)
	case options.Looks:
		if looksLikeHost(text) {
			h.Operand(text)
		}
	}
}

// beforePath cuts [user@]host:path at the colon that ends the host.
func beforePath(text string) (place, path string, ok bool) {
	start := 0
	if i := strings.IndexByte(text, '['); i == 0 || i > 0 && text[i-1] == '@' {
		if end := strings.IndexByte(text, ']'); end > i {
			start = end
		}
	}
	i := strings.IndexByte(text[start:], ':')
	if i < 0 || strings.Contains(text[:start+i], "/") {
		return "", "", false
	}
	return text[:start+i], text[start+i+1:], true
}

// remote adds the host of [user@]host:path.
func (h *List) remote(program, text string) {
	place, path, ok := beforePath(text)
	switch {
	case !ok:
		if strings.HasPrefix(text, "github.com/") && (program == "docker" || program == "podman") {
			h.add("github.com")
		}
	case program == "git" && strings.HasPrefix(path, ":"):
		h.Unknown = "what the remote helper " + place + " talks to"
	case place != "":
		h.Operand(place)
	}
}

// npmPackage adds the host that a package is fetched from, where its name says
// so: a repository, or a shorthand of one.
func (h *List) npmPackage(text string) {
	// name@version, name@tag, name@user/repo, name@github:user/repo; and git@host:path
	if i := strings.IndexByte(text[1:], '@') + 1; i > 0 && !strings.Contains(text[:i], ":") {
		if text = text[i+1:]; !strings.ContainsAny(text, ":/") {
			return
		}
	}
	scheme, rest, ok := strings.Cut(text, ":")
	if host, short := shorthands[scheme]; ok && short {
		h.add(host)
		return
	}
	switch {
	case ok && npmLocal[scheme]:
	case ok && strings.Contains(scheme, "."):
		h.Operand(scheme)
	case ok:
		h.Unknown = "where " + text + " comes from"
	case strings.Count(scheme, "/") == 1 && rest == "" && strings.IndexByte("./~@", scheme[0]) < 0:
		h.add("github.com") // user/repo
	}
}

// shorthands are how npm names the hosts of repositories.
var shorthands = map[string]string{
	"github": "github.com", "gitlab": "gitlab.com", "bitbucket": "bitbucket.org", "gist": "gist.github.com",
}

// npmLocal are what a package's name may begin with where it names no host.
var npmLocal = words.Of("file link workspace npm catalog patch portal")

// module adds the host in the path of a Go package: its first part, which has a
// dot where it is one.
func (h *List) module(text string) {
	text, _, _ = strings.Cut(text, "@")
	first, rest, _ := strings.Cut(text, "/")
	if !strings.Contains(first, ".") || strings.HasPrefix(first, ".") || rest == "" && strings.HasSuffix(first, ".go") {
		return
	}
	h.Operand(first)
}

// address adds the host of one of socat's addresses.
func (h *List) address(text string) {
	if strings.Contains(text, "!!") {
		h.Unknown = "which hosts " + text + " names"
		return
	}
	keyword, rest, ok := strings.Cut(text, ":")
	keyword, _, _ = strings.Cut(strings.ToLower(keyword), ",")
	switch {
	case socatHosts[keyword] || socatHosts[strings.TrimRight(keyword, "46")]:
		name, _, _ := strings.Cut(rest, ",")
		if place, _, ok := beforePath(name); ok {
			name = place
		}
		h.Operand(name)
	case socatPlain[keyword] || !ok && strings.Trim(keyword, "0123456789-") == "" || strings.Contains(keyword, "/"):
	default:
		h.Unknown = "which hosts " + text + " names"
	}
}

// socatHosts are the addresses of socat that begin with a host, and socatPlain
// those that name none. All others, such as exec, may talk to any.
var (
	socatHosts = words.Of(`tcp tcp4-connect tcp6-connect tcp-connect udp udp-connect udp4-connect udp6-connect udp-sendto
		udp4-sendto udp6-sendto udp-datagram openssl openssl-connect ssl sctp sctp-connect ip ip-sendto
		ip-datagram dtls openssl-dtls-client`)
	socatPlain = words.Of(`- stdio stdin stdout stderr pipe fifo fd pty tcp-listen tcp-l tcp4-listen tcp6-listen tcp4-l
	tcp6-l udp-listen udp-l udp4-listen udp6-listen udp-recv udp-recvfrom unix unix-connect unix-listen
		unix-client unix-sendto unix-recv unix-recvfrom unix-l openssl-listen ssl-l ssl-listen open file
		create gopen readline sctp-listen vsock-listen`)
)

// looksLikeHost reports whether an operand may be a host: it has a dot, a colon
// or an @, or is localhost, and reads as one.
func looksLikeHost(text string) bool {
	if strings.HasPrefix(text, "/") || strings.HasPrefix(text, ".") || strings.HasPrefix(text, "~") {
		return false
	}
	if i := strings.IndexByte(text, '/'); i >= 0 {
		text = text[:i]
	}
	text = strings.TrimPrefix(text, "@")
	if !strings.ContainsAny(text, ".:@") && text != "localhost" {
		return false
	}
	_, err := Of(text)
	return err == nil
}
