package shelljudge

import "strings"

// The folders of every sandbox. Work is where lines run, and the only folder that
// the rules of this package allow.
const (
	Work = "/work"
	Home = "/home/u"
	Path = "/usr/bin:/bin"
)

// Environment is what every line starts with. facts.env tells the reader of the
// first three; of the others it knows nothing, and their values are hostile.
func Environment() []string {
	return []string{
		"HOME=" + Home, "PATH=" + Path, "PWD=" + Work,
		"UNK=a b", "GLOB=/etc/*", "DASH=-rf", "ARR=a[$(touch /protected/env)]", "SUB=$(touch /protected/env)",
		"SECRET=/etc/shadow",
	}
}

// secrets are files that no line may touch.
var secrets = map[string]string{
	"etc/shadow": "root:secret\n", "etc/passwd": "root:x:0:0::/root:/bin/sh\nu:x:1:1::/home/u:/bin/sh\n",
	"etc/group": "root:x:0:\n", "etc/hosts": "",
	"home/u/.ssh/id": "key\n", "home/u/notes": "mine\n", "protected/record": "record\n", "root/secret": "",
}

// workFiles are the files of the work folder. A folder named 1, or a, is where a
// PATH leads that a number was assigned to; its programs are those of runFiles.
var workFiles = strings.Fields("a.txt b.txt notes -rf .env x.env y.env src/main.go src/sub/c.txt sub/c.txt " +
	"sub/deep/d.txt .hidden/e.txt a b x p")

// fileText stands in each of them: what a shell does that reads one for commands.
const fileText = "touch /protected/from-a-file\n"

// runFiles are links to the stub in the work folder.
var runFiles = strings.Fields("1/ls 1/cat 0/ls 5/ls dir/ls dir/cat dir/echo run.sh")

// Stubs are the programs that are there under their names, all of them one.
var Stubs = strings.Fields(`ls cat rm touch head tail wc grep diff cp mv mkdir rmdir ln chmod chown dd tee git go npm make jq rg
	sort uniq cut tr sed awk python3 perl node curl wget ssh scp nc date id whoami uname hostname stat
	du df file less vi ps evil true2 p x a b notes seq basename dirname sleep cargo pytest docker sudo
	systemctl mount openssl tar gzip zip P rename noglob repeat nocorrect whence r vared zle zmodload
	autoload select history sync column tree ruby gcc cmp realpath readlink paste tac nl base64 mkfifo
	mktemp install rsync crontab at batch pkill ed ex vim emacs nohup2`)
