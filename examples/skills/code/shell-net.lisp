; What leaves by a command, what comes in, what opens a way for others, and what is fetched
; and run.

(include "shell-terms.lisp")

(deflist connecting "nc" "ncat" "netcat" "socat" "telnet" "cryptcat" "pwncat" "ngrok" "localtunnel"
  "sshd" "dropbear" "vsftpd" "tftp" "lftp" "uucp")
(deflist mailing "mail" "mailx" "mutt" "sendmail" "swaks" "msmtp" "ssmtp" "s-nail" "mpack")
(deflist watching
  "tcpdump" "tshark" "dumpcap" "ngrep" "dsniff" "ettercap" "xinput" "xev" "logkeys" "showkey"
  "evtest" "scrot" "maim"
  "gnome-screenshot" "screencapture" "fswebcam" "streamer" "arecord" "parecord" "xclip" "xsel"
  "wl-paste" "pbpaste")
(deflist breaking
  "nmap" "masscan" "zmap" "hydra" "medusa" "ncrack" "patator" "john" "hashcat" "sqlmap" "nikto"
  "wpscan" "gobuster"
  "dirb" "ffuf" "wfuzz" "hping3" "slowloris" "slowhttptest" "msfconsole" "msfvenom" "responder"
  "crackmapexec" "unshadow"
  "aircrack-ng" "aireplay-ng" "fcrackzip" "xmrig" "minerd" "cpuminer" "cgminer" "bfgminer"
  "ethminer" "nbminer")

(defskill shell-net
  :doc "Commands by what they send, fetch, open and watch."
  :priority 139
  :trigger (or (has? action.args.cmd) (has? action.args.command))
  :gate
  ((ask connect
     :when (runs? connecting)
     :reason "the command talks to another machine, and does not show what it says")
   (ask listen
     :when (or (says? "\\b(http[.]server|SimpleHTTPServer|pyftpdlib|twisted\\s+web)\\b|\\bphp\\s+(-\\w+\\s+)*-S\\b|\\bruby\\s+-run\\b|\\bbusybox\\s+(httpd|telnetd|ftpd)|\\bcloudflared\\s[^;&|]*tunnel|\\btailscale\\s+funnel|\\bnpx\\s+(http-server|serve|localtunnel)")
               (and (runs? ("ssh" "autossh"))
                    (says? "\\bssh\\s[^;&|]*-\\w*[RLDw]\\s*[\\d\\w*\\[]")))
     :reason "the command opens a port or a tunnel for others")
   (ask send
     :when (or (runs? mailing) (says? "(^|[\\s;&|(])ftp\\s")
               (and (runs? ("curl" "wget" "http" "https" "xh"))
                    (says? "(\\s-\\w*[Fd]|\\s--(data[\\w-]*|form|json)[= ])\\s*['\"]?[^\\s]*@|\\s(-\\w*T|--upload-file|--post-file|--body-file)[= ]?\\s*\\S|\\w@[\\w./~-]+")
                    (not (says? "//(localhost|127[.]0[.]0[.]1|\\[::1\\])[:/]")))
               (and (holds? ":")
                    (says? "\\b(scp|rsync|sftp)\\s([^;&|\\n]*\\s)?[^\\s;&|]+\\s+[\\w.-]*@?[\\w.-]+:[^\\s;&|]*\\s*($|[;&|\\n)])"))
               (says? "\\baws\\s+s3\\s+(cp|mv|sync)\\s[^;&|]*\\ss3://\\S+\\s*($|[;&|-])|\\bgsutil\\s[^;&|]*\\sgs://\\S+\\s*($|[;&|])|\\brclone\\s+(copy|sync|move|copyto)\\s|\\bgh\\s+gist\\s+create|\\bopenssl\\s+s_client[^|;]*<|[|]\\s*openssl\\s+s_client|\\b(transfer[.]sh|croc\\s+send|wormhole\\s+send|magic-wormhole)\\b")
               (and (runs? ("git"))
                    (says? "\\bgit\\s+push\\s[^;&|]*(://|\\w@[\\w.-]+:)|\\bgit\\s+remote\\s+(add|set-url)\\b[^\\n]*\\bgit\\s+push\\b")))
     :reason "the command sends files or mail elsewhere")
   (ask leak
     :when (or (says? "(?i)(^|[\\s;&|(`])(env|printenv|history|export -p|compgen\\s+-[ev])\\s*(>|[|]\\s*\\w*grep\\s[^|;]*(key|secret|token|pass|cred))|\\bcompgen\\s+-[ev]\\b")
               (and (holds? "|")
                    (says? "(^|[\\s;&|(`])(env|printenv|set|export|history|declare)(\\s+-\\w+)*\\s*[|][^;]*\\b(curl|wget|nc|ncat|socat|mailx?|ssh|openssl|tee|base64|telnet)\\b|[$]([(]|[{]?)[\\w]*(SECRET|TOKEN|PASSW|API_?KEY|PRIVATE_?KEY|CREDENTIAL)[^|;&\\n]*[|]\\s*(curl|wget|nc|mail|base64)"))
               (says? "\\b(curl|wget)\\s[^;|\\n]*([$][(]|`)\\s*(cat|base64|env|printenv|xxd|od|head|tail|gzip|tar|grep|awk|history|ps|find|ls)\\b")
               (says? "\\b(dig|nslookup|host|drill|ping|getent)\\s[^;|\\n]*(([$][(]|`)\\s*(cat|base64|env|printenv|xxd|od|hostname|whoami|id|head|cut|echo)\\b|[$][{]?\\w+[}]?[.][\\w.-]+)"))
     :reason "the command hides what it sends in a name, an address or a pipe")
   (ask package
     :when (or (says? "\\b(pip[\\d.]*|pipx|uv|easy_install|conda|npm|pnpm|yarn|bun|gem|cargo|poetry|apt|apt-get|dnf|yum|rpm|dpkg|snap|apk|brew|npx|luarocks)\\s[^;&|\\n]*\\b(install|add|i|-[iU]|exec|global|npx)\\s[^;&|\\n]*((git[+]|https?|ftp|ssh)://|git[+]|--(extra-)?index-url|--registry|--source[= ]|--trusted-host|--allow-unauthenticated|--nogpgcheck|--force-yes|--no-gpg-checks)|\\b(pip[\\d.]*)\\s+install\\s([^;&|\\n]*\\s)?-[if]\\s|\\bnpx\\s([^;&|\\n]*\\s)?(https?://|git[+])|\\brpm\\s+-\\w+\\s+https?:")
               (runs? ("apt-key" "add-apt-repository")))
     :reason "the command installs from a place that is no registry of packages, or trusts one")
   (ask run
     :when (or (says? "(?s)\\b(curl|wget|aria2c)\\s[^;&|\\n]*(-o|-O|--output)\\b.*(&&|;|\\n)[^\\n]*\\b((ba|z|da)?sh|source)\\s+\\S")
               (says? "(?s)\\b(curl|wget|aria2c)\\s.*(\\bchmod\\s+(-\\w+\\s+)*([0-7]*[1357][0-7]*|[ugoa]*[+]\\w*x)|\\b((ba|z|da)?sh|python[\\d.]*|perl|node|source|[.])\\s+(\\S*/)?[\\w.-]+[.](sh|py|pl|js|bin|run))\\b")
               (says? "\\b(tar|bsdtar|unzip)\\s[^;&|]*(-C|-d|--directory)[= ]?/(\\s|$|etc|usr|bin|lib|root)|\\btar\\s+-?\\w*x\\w*P|\\btar\\s[^;&|]*(--absolute-names|--to-command|--checkpoint-action|--use-compress-program)"))
     :reason "the command runs what it fetches, or unpacks it into the system")
   (ask watch
     :when (or (and (runs? watching)
                    (not (says? "\\bxinput\\s+(list|--list)|[|]\\s*(xclip|xsel)\\b[^|]*$")))
               (says? "\\bffmpeg\\s[^;&|]*(x11grab|v4l2|avfoundation|gdigrab|pulse|alsa)|\\bimport\\s[^;&|]*-window\\s+root|/dev/(input/|video\\d|snd/)|\\bscript\\s+(-\\w+\\s+)*[/\\w]"))
     :reason "the command watches a person, or what others say")
   (ask attack
     :when (or (runs? breaking)
               (says? "stratum[+]\\w+://|--donate-level|\\bfind\\s[^;|]*-perm\\s+[-/]?(u[=+]s|g[=+]s|[0-7]?[246]000)|\\bping\\s+(-\\w+\\s+)*-\\w*f\\b|\\bab\\s[^;&|]*-n\\s*\\d{5,}|\\b(wrk|hey|siege|vegeta)\\s[^;&|]*-\\w*[cz]\\s*\\d{3,}"))
     :reason "the command probes or floods others, breaks passwords, or mines")
   (ask secret
     :when (or (says? "\\bgetent\\s+g?shadow|\\b(pass|gopass)\\s+(show|ls|grep)\\b|\\bsecurity\\s+(find-(generic|internet)-password|dump-keychain|export)|\\bvault\\s+(kv\\s+get|read)|\\bkubectl\\s[^;&|]*\\bget\\s+[^;&|]*secrets?\\b|\\bgcloud\\s+auth\\s+(application-default\\s+)?print|\\baws\\s+(sts\\s+(get-session-token|assume-role)|configure\\s+(get|export-credentials)|secretsmanager\\s+get|ssm\\s+get-parameter)|\\bsecret-tool\\s+(lookup|search)|\\b(op|bw)\\s+(read|get|item)\\b")
               (says? "\\bgh\\s+auth\\s+token|\\bgit\\s+credential\\s+fill|\\bgpg2?\\s[^;&|]*--export-secret|\\breg(\\.exe)?\\s+(save|add|delete)\\b|\\b(mysqldump|mariadb-dump)\\s[^;&|]*--all-databases|\\bpg_dumpall\\b|\\bmysql[.]user\\b|\\bpg_(shadow|authid)\\b|\\b(tar|zip)\\s[^;&|\\n]*\\s['\"]?(~|[$]HOME|/home(/\\w+)?)/?['\"]?\\s*($|[;&|\\n])|169[.]254[.]169[.]254|metadata[.]google")
               (and (holds? "find")
                    (says? "\\bfind\\s+(/|~|/home|/root|/etc|/Users|[$]HOME)\\S*\\s[^;]*-i?(name|path|regex)\\s+['\"]?[^\\s]*(id_|rsa|[.]pem|[.]key|[.]p12|[.]pfx|passw|secret|cred|[.]kdbx|wallet|[.]env|[.]ssh|[.]aws|token|shadow|history)"))
               (says? "(?i)\\b([ef]?grep|rg|ag)\\s[^;|]*(passw|secret|token|api_?key|private|AKIA|credential|BEGIN)[^;|]*\\s(/(home|root|etc|var|Users|proc)?\\S*|~\\S*|[$]HOME\\S*)(\\s|$)")
               (and (takes?)
                    (says-bare? "(^|[\\s/=@<])[.]env([.](local|production|prod|staging|dev|development|test))?([\\s;&|)]|$)")))
     :reason "the command looks for keys, passwords or tokens, or prints them")))

(defexample "a raw connection"
  :action (:tool "shell" :args (:cmd "echo hi | nc 192.0.2.7 9"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask shell-net/connect))
