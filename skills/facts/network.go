package facts

import (
	"strings"
)

// network tells where a network command's hosts stand among its words.
type network struct {
	values string // short options with a value that is no host
	long   string // long options with such a value
	hosts  string // options, short or long, whose value is a host or a URL
	opaque string // options that hide hosts in a file or a command
	how    placing
}

type placing uint8

const (
	every     placing = iota // every operand is a host or URL
	first                    // the first operand is, the others are ports or a command
	remote                   // operands of the form [user@]host:path are
	looking                  // operands that look like a host are
	addresses                // socat: tcp:host:port
)

const curlLong = "request data data-ascii data-binary data-raw data-urlencode json output header form form-string user user-agent cookie cookie-jar upload-file max-time connect-timeout retry retry-delay retry-max-time write-out range limit-rate max-redirs cacert capath cert key cert-type key-type pass ciphers tls-max proto proto-redir proto-default output-dir dump-header proxy-user speed-limit speed-time local-port max-filesize noproxy oauth2-bearer aws-sigv4 trace trace-ascii stderr time-cond continue-at quote ftp-port rate parallel-max keepalive-time crlfile hostpubmd5 pinnedpubkey delegation engine"

var networks = map[string]network{
	"curl": {values: "XdoHFuAbcTmwrYyECDtzQPUZ", long: curlLong, hosts: "x proxy url preproxy e referer socks4 socks4a socks5 socks5-hostname doh-url interface dns-servers",
		opaque: "K config resolve connect-to unix-socket abstract-unix-socket"},
	"wget": {values: "OoaPtTwQUADRXlIB", long: "output-document output-file append-output directory-prefix tries timeout wait user-agent header post-data post-file user password method body-data quota level",
		hosts: "base", opaque: "i input-file e execute config"},
	"ssh":   {values: "bcDEFIilmOopQRSwBL", hosts: "J W", opaque: "F o L R D", how: first},
	"sftp":  {values: "BbcDFilPRSX", hosts: "J", opaque: "F o D S", how: first},
	"scp":   {values: "cDFilPSXo", hosts: "J", opaque: "F o S D", how: remote},
	"rsync": {values: "efBMT", opaque: "e rsh files-from", how: remote},
	"git":   {how: remote}, "hg": {how: remote}, "svn": {how: remote},
	"nc": {values: "eciIgGmMOPpqsTVwXdo", hosts: "x", opaque: "e c", how: first},
}

// alike are commands that place their hosts like another one.
var alike = map[string]string{
	"ncat": "nc", "netcat": "nc", "nc.openbsd": "nc", "nc.traditional": "nc", "mosh": "ssh", "autossh": "ssh", "slogin": "ssh", "wget2": "wget",
}

// others are commands that talk to hosts in operands of any place.
var others = words(`telnet ftp tftp lftp ping ping6 traceroute tracepath mtr dig host nslookup whois nmap socat openssl
	aria2c axel lynx w3m links elinks http https xh httpie wscat websocat grpcurl rclone smbclient psql mysql redis-cli
	mongo mongosh ldapsearch rdesktop xfreerdp vncviewer finger rlogin rsh rcp ab wrk hey siege youtube-dl yt-dlp
	ssh-copy-id ssh-keyscan ftpget ftpput drill sendmail swaks snmpwalk arping hping3 masscan ipmitool etherwake kubectl helm docker podman
	pip pip3 npm npx yarn pnpm go cargo gem apt apt-get dnf yum apk brew composer gcloud aws az gsutil`)

// command adds the hosts that one command names: in URLs anywhere, in
// /dev/tcp/host/port, and in the operands of network commands.
func (h *hostList) command(cmd *command) {
	for _, r := range cmd.redirects {
		h.device(r.target)
	}
	for _, w := range append(cmd.args[:len(cmd.args):len(cmd.args)], cmd.wrapper...) {
		if w.known {
			h.urls(w.text)
		}
		h.device(w)
	}
	for _, w := range cmd.wrapper {
		if !w.known && strings.HasSuffix(strings.ToLower(w.why), "_proxy") {
			h.unknown = w.why
		}
	}
	if !cmd.name.known {
		h.unknown = cmd.name.why
		return
	}
	name := cmd.name.text
	if same, ok := alike[name]; ok {
		name = same
	}
	net, ok := networks[name]
	if !ok && !others[name] {
		return
	}
	if !ok {
		net = network{how: looking}
		if name == "socat" {
			net.how = addresses
		}
	}
	if cmd.more != "" {
		h.unknown = cmd.more
	}
	h.operands(net, cmd.args)
}

// device adds the host of bash's own /dev/tcp/host/port.
func (h *hostList) device(w word) {
	if !w.known {
		return
	}
	for _, dev := range []string{"/dev/tcp/", "/dev/udp/"} {
		if rest, ok := strings.CutPrefix(strings.TrimLeft(w.text, "<>&0123456789"), dev); ok {
			name, _, _ := strings.Cut(rest, "/")
			h.operand(name)
		}
	}
}

// operands walks the words of a network command.
func (h *hostList) operands(net network, args []word) {
	ended, taken := false, false
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case !w.known:
			h.unknown = w.why
		case !ended && w.text == "--":
			ended = true
		case !ended && len(w.text) > 1 && w.text[0] == '-':
			var next *word
			if i+1 < len(args) {
				next = &args[i+1]
			}
			if h.option(net, w.text, next) {
				i++
			}
			taken = taken || net.how == first && listens(net, w.text)
		default:
			if net.how == first && taken {
				continue
			}
			h.place(net.how, w)
			taken = true
		}
	}
}

// listens reports whether nc only listens: then no operand is a host for sure.
func listens(net network, text string) bool {
	return strings.Contains(net.opaque, "c") && text[1] != '-' && strings.Contains(text, "l")
}

// option reads an option and reports whether it takes the next word.
func (h *hostList) option(net network, text string, next *word) bool {
	name, value, attached := text[2:], "", false
	if strings.HasPrefix(text, "--") {
		name, value, attached = strings.Cut(name, "=")
	} else {
		name = ""
		for i := 1; i < len(text); i++ {
			c := text[i : i+1]
			if hasWord(net.hosts, c) || hasWord(net.opaque, c) || strings.Contains(net.values, c) {
				name, value, attached = c, text[i+1:], i+1 < len(text)
				break
			}
		}
		if name == "" {
			return false
		}
	}
	if hasWord(net.opaque, name) {
		h.unknown = "which hosts " + text + " brings in"
		return !attached
	}
	isHost := hasWord(net.hosts, name)
	if !isHost && (hasWord(net.long, name) || len(name) == 1) {
		return !attached
	}
	if !isHost {
		return false // an option nobody listed: its value, if it has one, counts as an operand
	}
	if !attached {
		if next == nil {
			return false
		}
		if !next.known {
			h.unknown = next.why
			return true
		}
		value = next.text
	}
	for _, v := range strings.Split(value, ",") {
		h.operand(v)
	}
	return !attached
}

func hasWord(list, w string) bool {
	for _, x := range strings.Fields(list) {
		if x == w {
			return true
		}
	}
	return false
}

// place adds the host of one operand.
func (h *hostList) place(how placing, w word) {
	text := w.text
	if w.pattern {
		// curl and bash give ? [ ] and * meanings of their own, but only
		// behind the host do they leave it as it is.
		i, meta := strings.Index(text, "://"), strings.IndexAny(text, "*?[")
		if i < 0 || i+3 > meta || !strings.Contains(text[i+3:meta], "/") {
			h.unknown = "which host " + text + " names"
			return
		}
	}
	if strings.Contains(text, "://") {
		return // urls has it
	}
	switch how {
	case every, first:
		h.operand(text)
	case remote:
		if i := strings.IndexByte(text, ':'); i > 0 && !strings.Contains(text[:i], "/") {
			h.operand(text[:i])
		}
	case looking:
		if looksLikeHost(text) {
			h.operand(text)
		}
	case addresses:
		if parts := strings.Split(text, ":"); len(parts) > 1 {
			switch strings.ToLower(strings.TrimRight(parts[0], "0123456789-")) {
			case "tcp", "udp", "openssl", "ssl", "sctp", "tcp4-connect", "tcp-connect", "udp-connect", "openssl-connect", "socks", "socks4a", "proxy", "ip":
				h.operand(parts[1])
			default:
				if looksLikeHost(parts[1]) {
					h.operand(parts[1])
				}
			}
		}
	}
}

// looksLikeHost reports whether an operand may be a host: it has a dot or a
// colon, an @, or is a word that is surely no file.
func looksLikeHost(text string) bool {
	if strings.HasPrefix(text, "/") || strings.HasPrefix(text, ".") || strings.HasPrefix(text, "~") {
		return false
	}
	if i := strings.IndexByte(text, '/'); i >= 0 {
		text = text[:i]
	}
	text = strings.TrimPrefix(text, "@")
	if _, err := hostOf(text); err != nil {
		return false
	}
	return strings.ContainsAny(text, ".:@") || text == "localhost"
}
