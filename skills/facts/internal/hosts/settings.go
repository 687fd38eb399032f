package hosts

import (
	"strings"

	"github.com/opencortex-go/cortex/skills/facts/internal/options"
	"github.com/opencortex-go/cortex/skills/facts/internal/shell"
	"github.com/opencortex-go/cortex/skills/facts/internal/words"
)

// setting adds the hosts in one entry of a program's configuration: -o of ssh,
// -c of git, and what git config sets.
func (h *List) setting(program, option string, w shell.Word) {
	text := w.Text
	if w.Pattern {
		h.Unknown = "which setting " + text + " matches"
		return
	}
	if program == "git" {
		h.gitSetting(option, text)
		return
	}
	key, value := text, ""
	if i := strings.IndexAny(text, "= \t"); i >= 0 {
		key, value = text[:i], strings.Trim(text[i:], "= \t\"")
	}
	switch key = strings.ToLower(key); {
	case key == "hostname" || key == "proxyjump":
		if strings.EqualFold(value, "none") || strings.Contains(value, "://") {
			return // urls has the second
		}
		for v := range strings.SplitSeq(value, ",") {
			h.Operand(v)
		}
	case !sshPlain[key]:
		h.Unknown = "which hosts " + program + " -o " + text + " brings in"
	}
}

// sshPlain are the settings of ssh that name no host, and no program or file
// that may.
var sshPlain = words.Of(`addkeystoagent addressfamily batchmode bindaddress bindinterface casignaturealgorithms
	certificatefile checkhostip ciphers clearallforwardings compression connectionattempts
	connecttimeout controlmaster controlpersist enablesshkeysign escapechar exitonforwardfailure
	fingerprinthash forkafterauthentication forwardagent forwardx11 forwardx11timeout forwardx11trusted
	gatewayports globalknownhostsfile gssapiauthentication gssapidelegatecredentials hashknownhosts
	hostbasedauthentication hostkeyalgorithms hostkeyalias identitiesonly identityfile ipqos
	kbdinteractiveauthentication kexalgorithms loglevel logverbose macs nohostauthenticationforlocalhost
	numberofpasswordprompts passwordauthentication permitlocalcommand port preferredauthentications
	pubkeyacceptedalgorithms pubkeyacceptedkeytypes pubkeyauthentication rekeylimit remotecommand
	requesttty requiredrsasize sendenv serveralivecountmax serveraliveinterval sessiontype setenv
	stdinnull streamlocalbindmask streamlocalbindunlink stricthostkeychecking syslogfacility
	tcpkeepalive tunnel tunneldevice updatehostkeys user userknownhostsfile verifyhostkeydns
	visualhostkey`)

// gitSetting adds the hosts in section.key=value. An operand of git config may
// be a key alone, with its value in the next word.
func (h *List) gitSetting(option, text string) {
	key, value, set := strings.Cut(text, "=")
	section, name, _ := strings.Cut(strings.ToLower(key), ".")
	last := name[strings.LastIndexByte(name, '.')+1:]
	switch {
	case gitPlain[section] || gitPlain[section+"."+last]:
	case !set && option == "":
		h.Unknown = "which hosts git's setting " + key + " brings in"
	case section == "http" && last == "proxy":
		if value != "" {
			h.named("git", options.Host, withoutURL(value))
		}
	case section == "remote" && (last == "url" || last == "pushurl" || last == "proxy" || last == "pushdefault"):
		h.named("git", options.Remote, withoutURL(value))
	default:
		h.Unknown = "which hosts git's setting " + text + " brings in"
	}
}

// withoutURL is "" for a URL, which is counted wherever it stands.
func withoutURL(value string) string {
	if strings.Contains(value, "://") {
		return ""
	}
	return value
}

// gitPlain are the sections and settings of git that name no host, and no
// program or file that may.
var gitPlain = words.Of(`user author committer color advice column commit tag log pull push fetch init rebase status
	grep i18n format.pretty checkout safe gc index pack feature transfer am apply blame diff.color
	diff.algorithm diff.renames diff.renamelimit diff.context diff.mnemonicprefix diff.noprefix
	diff.colormoved merge.conflictstyle merge.ff merge.log core.quotepath core.autocrlf core.eol
	core.safecrlf core.abbrev core.filemode core.ignorecase core.longpaths core.symlinks
	core.compression core.bare core.fscache core.untrackedcache core.preloadindex core.precomposeunicode
	http.sslverify http.lowspeedlimit http.lowspeedtime http.postbuffer http.version http.maxrequests
	http.extraheader http.followredirects http.useragent protocol.version protocol.allow
	submodule.recurse submodule.fetchjobs clone.defaultremotename clone.rejectshallow`)
