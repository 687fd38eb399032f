package facts

import (
	"strings"

	"github.com/opencortex-go/cortex/skills/facts/internal/options"
)

// others are network and package programs whose options are in no table. Which
// hosts they talk to is unknown as soon as they are given words.
var others = words(`tftp lftp ping6 traceroute tracepath mtr nslookup whois nmap aria2c axel lynx w3m links elinks http
	https xh httpie wscat websocat grpcurl rclone smbclient mongo mongosh ldapsearch rdesktop xfreerdp
	vncviewer finger rlogin rsh rcp ab wrk hey siege youtube-dl yt-dlp ssh-copy-id ssh-keyscan ftpget
	ftpput drill sendmail swaks snmpwalk arping hping3 masscan ipmitool etherwake helm dnf yum apk brew
	composer gcloud aws az gsutil hg svn wget2 mosh autossh docker-compose podman-compose apt-cache
	apt-key aptitude add-apt-repository debootstrap pipx uv uvx poetry conda mamba micromamba bundle
	bundler corepack bunx skopeo crane oras buildah gh glab hub flyctl heroku terraform vagrant ansible
	sshpass sshfs mount.nfs mysqldump pg_dump pg_restore mysqladmin`)

// alike are names of programs in the table.
var alike = map[string]string{
	"slogin": "ssh", "apt": "apt-get", "tnftp": "ftp", "mariadb": "mysql", "pip3": "pip", "yarnpkg": "yarn",
}

// netcats are the programs that nc may be.
var netcats = []string{"nc.openbsd", "nc.traditional", "ncat"}

// programOf finds a command's program in the table.
func programOf(cmd *command) (use, bool) {
	name, args := cmd.name.text, cmd.args
	switch {
	case name == "npx":
		p := options.Find("npm")
		return use{p, p.Section("npx"), args}, true
	case strings.HasPrefix(name, "python") && strings.Trim(name[len("python"):], "0123456789.") == "":
		rest, ok := moduleArgs(args, "pip")
		if !ok {
			return use{}, false
		}
		name, args = "pip", rest
	case strings.HasPrefix(name, "pip") && strings.Trim(name[len("pip"):], "0123456789.") == "":
		name = "pip"
	}
	if same, ok := alike[name]; ok {
		name = same
	}
	p := options.Find(name)
	if p == nil {
		return use{}, false
	}
	return use{p, p.Section(name), args}, true
}

// moduleArgs returns the words behind python -m module.
func moduleArgs(args []word, module string) ([]word, bool) {
	for i, w := range args {
		if !w.known || len(w.text) < 2 || w.text[0] != '-' || w.text[1] == '-' {
			continue
		}
		if strings.HasSuffix(w.text, "m") && i+1 < len(args) && args[i+1].text == module {
			return args[i+2:], true
		}
		if strings.HasSuffix(w.text, "m"+module) {
			return args[i+1:], true
		}
	}
	return nil, false
}

// command adds the hosts that one command names: in URLs anywhere, in
// /dev/tcp/host/port, in variables, and in the words of network commands.
func (h *hostList) command(cmd *command) {
	for _, r := range cmd.redirects {
		h.device(r.target)
	}
	for _, w := range cmd.args {
		h.anywhere(w)
	}
	for _, w := range cmd.own {
		h.anywhere(w)
	}
	if !cmd.name.known {
		h.unknown = cmd.name.why
		return
	}
	name := cmd.name.text
	use, listed := programOf(cmd)
	networks := listed || others[name] || name == "nc" || name == "netcat"
	for _, w := range cmd.own {
		h.variable(w, networks)
	}
	switch {
	case name == "export" || name == "declare" || name == "typeset" || name == "readonly":
		for _, w := range cmd.args {
			h.variable(w, false)
		}
	case name == "nc" || name == "netcat":
		h.netcat(cmd)
	case listed:
		h.used(use, cmd.more)
	case networks:
		h.unlisted(cmd)
	}
}

// anywhere adds the hosts that any word may name.
func (h *hostList) anywhere(w word) {
	if !w.known {
		return
	}
	if strings.Contains(w.text, "://") {
		h.urls(w.text)
	}
	h.device(w)
}

// device adds the host of bash's own /dev/tcp/host/port.
func (h *hostList) device(w word) {
	if !w.known || !strings.Contains(w.text, "/dev/") {
		return
	}
	for _, dev := range []string{"/dev/tcp/", "/dev/udp/"} {
		if rest, ok := strings.CutPrefix(strings.TrimLeft(w.text, "<>&0123456789"), dev); ok {
			name, _, _ := strings.Cut(rest, "/")
			h.operand(name)
		}
	}
}

// used adds the hosts in the words of a program of the table, and returns how
// they were read.
func (h *hostList) used(use use, more string) usage {
	var inner []word
	u := usage{program: use.program, section: use.section}
	u.visit = func(kind options.Kind, option string, w word) {
		switch {
		case kind == options.Command:
			inner = []word{}
		case inner != nil:
			inner = append(inner, w)
		default:
			h.value(&u, kind, option, w)
		}
	}
	u.read(use.args)
	if inner != nil {
		h.inner(inner)
	}
	if more != "" && !u.local {
		u.unsure(more)
	}
	if u.why != "" {
		h.unknown = u.why
	}
	return u
}

// inner adds the hosts of a command in the words of another one, as in docker
// run. What a word means there the image may decide, so it need only look like a
// host.
func (h *hostList) inner(words []word) {
	for _, w := range words {
		if w.known && looksLikeHost(w.text) {
			h.operand(w.text)
		}
	}
	h.command(&command{name: words[0], args: words[1:], around: &around{}})
}

// netcat reads nc, which may be any of several programs. One that does not know
// an option contacts no host.
func (h *hostList) netcat(cmd *command) {
	before, accepted := h.unknown, false
	why := ""
	for _, name := range netcats {
		p := options.Find(name)
		h.unknown = ""
		u := h.used(use{p, p.Section(name), cmd.args}, cmd.more)
		if u.stray {
			why = u.why
			continue
		}
		accepted = true
		if h.unknown != "" {
			before = h.unknown
		}
	}
	if h.unknown = before; !accepted {
		h.unknown = why
	}
}

// unlisted reads a network program that is in no table: it names what looks like
// a host, and perhaps others.
func (h *hostList) unlisted(cmd *command) {
	for _, w := range cmd.args {
		if w.known && w.text != "--help" && w.text != "--version" {
			h.unknown = "which hosts " + cmd.name.text + " takes from its words"
		}
		switch {
		case !w.known:
			h.unknown = w.why
		case w.text[:min(1, len(w.text))] != "-" && looksLikeHost(w.text):
			h.operand(w.text)
		}
	}
	if cmd.more != "" {
		h.unknown = cmd.more
	}
}
