package hosts

import (
	"strings"

	"github.com/opencortex-go/cortex/skills/facts/internal/options"
	"github.com/opencortex-go/cortex/skills/facts/internal/shell"
	"github.com/opencortex-go/cortex/skills/facts/internal/usage"
	"github.com/opencortex-go/cortex/skills/facts/internal/words"
)

// others are network and package programs whose options are in no table. Which
// hosts they talk to is unknown as soon as they are given words.
var others = words.Of(`tftp lftp ping6 traceroute tracepath mtr nslookup whois nmap aria2c axel lynx w3m links elinks
	http https xh httpie wscat websocat grpcurl rclone smbclient mongo mongosh ldapsearch rdesktop xfreerdp
	vncviewer finger rlogin rsh rcp ab wrk hey siege youtube-dl yt-dlp ssh-copy-id ssh-keyscan ftpget
	ftpput drill sendmail swaks snmpwalk arping hping3 masscan ipmitool etherwake helm dnf yum apk brew
	composer gcloud aws az gsutil hg svn wget2 mosh autossh docker-compose podman-compose apt-cache
	apt-key aptitude add-apt-repository debootstrap pipx uv uvx poetry conda mamba micromamba bundle
	bundler corepack bunx skopeo crane oras buildah gh glab hub flyctl heroku terraform vagrant ansible
	sshpass sshfs mount.nfs mysqldump pg_dump pg_restore mysqladmin`)

// netcats are the programs that nc may be.
var netcats = []string{"nc.openbsd", "nc.traditional", "ncat"}

// Command adds the hosts that one command names: in URLs anywhere, in
// /dev/tcp/host/port, in variables, and in the words of network commands.
func (h *List) Command(cmd *shell.Command) {
	for _, r := range cmd.Redirects {
		h.device(r.Target)
	}
	for _, w := range cmd.Args {
		h.anywhere(w)
	}
	for _, w := range cmd.Own {
		h.anywhere(w)
	}
	if !cmd.Name.Known {
		h.Unknown = cmd.Name.Why
		return
	}
	name := cmd.Name.Text
	use, listed := usage.Of(cmd)
	networks := listed || others[name] || name == "nc" || name == "netcat"
	for _, w := range cmd.Own {
		h.variable(w, networks)
	}
	switch {
	case name == "export" || name == "declare" || name == "typeset" || name == "readonly":
		for _, w := range cmd.Args {
			h.variable(w, false)
		}
	case name == "nc" || name == "netcat":
		h.netcat(cmd)
	case listed:
		h.used(use, cmd.More)
	case networks:
		h.unlisted(cmd)
	}
}

// anywhere adds the hosts that any word may name.
func (h *List) anywhere(w shell.Word) {
	if !w.Known {
		return
	}
	if strings.Contains(w.Text, "://") {
		h.urls(w.Text)
	}
	h.device(w)
}

// device adds the host of bash's own /dev/tcp/host/port.
func (h *List) device(w shell.Word) {
	if !w.Known || !strings.Contains(w.Text, "/dev/") {
		return
	}
	for _, dev := range []string{"/dev/tcp/", "/dev/udp/"} {
		if rest, ok := strings.CutPrefix(strings.TrimLeft(w.Text, "<>&0123456789"), dev); ok {
			name, _, _ := strings.Cut(rest, "/")
			h.Operand(name)
		}
	}
}

// used adds the hosts in the words of a program of the table, and returns how
// they were read.
func (h *List) used(use usage.Use, more string) usage.Reader {
	var inner []shell.Word
	u := usage.Reader{Program: use.Program, Section: use.Section}
	u.Visit = func(kind options.Kind, option string, w shell.Word) {
		switch {
		case kind == options.Command:
			inner = []shell.Word{}
		case inner != nil:
			inner = append(inner, w)
		default:
			h.value(&u, kind, option, w)
		}
	}
	u.Read(use.Args)
	if inner != nil {
		h.inner(inner)
	}
	if more != "" && !u.Local {
		u.Unsure(more)
	}
	if u.Why != "" {
		h.Unknown = u.Why
	}
	return u
}

// inner adds the hosts of a command in the words of another one, as in docker
// run. What a word means there the image may decide, so it need only look like a
// host.
func (h *List) inner(words []shell.Word) {
	for _, w := range words {
		if w.Known && looksLikeHost(w.Text) {
			h.Operand(w.Text)
		}
	}
	h.Command(shell.Bare(words[0], words[1:]))
}

// netcat reads nc, which may be any of several programs. One that does not know
// an option contacts no host.
func (h *List) netcat(cmd *shell.Command) {
	before, accepted := h.Unknown, false
	why := ""
	for _, name := range netcats {
		p := options.Find(name)
		h.Unknown = ""
		u := h.used(usage.Use{Program: p, Section: p.Section(name), Args: cmd.Args}, cmd.More)
		if u.Stray {
			why = u.Why
			continue
		}
		accepted = true
		if h.Unknown != "" {
			before = h.Unknown
		}
	}
	if h.Unknown = before; !accepted {
		h.Unknown = why
	}
}

// unlisted reads a network program that is in no table: it names what looks like
// a host, and perhaps others.
func (h *List) unlisted(cmd *shell.Command) {
	for _, w := range cmd.Args {
		if w.Known && w.Text != "--help" && w.Text != "--version" {
			h.Unknown = "which hosts " + cmd.Name.Text + " takes from its words"
		}
		switch {
		case !w.Known:
			h.Unknown = w.Why
		case w.Text[:min(1, len(w.Text))] != "-" && looksLikeHost(w.Text):
			h.Operand(w.Text)
		}
	}
	if cmd.More != "" {
		h.Unknown = cmd.More
	}
}
