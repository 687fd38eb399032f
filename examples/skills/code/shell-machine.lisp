; What commands do to the machine: its processes, services, accounts, kernel, network and
; protection, and how much of it they use up.

(include "shell-terms.lisp")

(deflist ending "kill" "killall" "killall5" "pkill" "xkill" "skill" "fuser" "shutdown" "reboot"
  "halt" "poweroff" "telinit")
(deflist accounts
  "useradd" "adduser" "usermod" "userdel" "deluser" "groupadd" "addgroup" "groupmod" "groupdel"
  "delgroup" "gpasswd"
  "passwd" "chpasswd" "newusers" "chsh" "chfn" "chage" "vipw" "vigr" "visudo" "setcap" "ssh-copy-id"
  "newgrp" "su-exec")
(deflist starting "at" "batch" "launchctl" "schtasks" "update-rc.d" "chkconfig" "rc-update"
  "systemd-run" "atd" "anacron")
(deflist guarding
  "iptables" "ip6tables" "nft" "ufw" "firewall-cmd" "pfctl" "netsh" "setenforce" "setsebool"
  "semanage" "aa-teardown"
  "aa-disable" "aa-complain" "apparmor_parser" "auditctl" "spctl" "csrutil" "tccutil"
  "Set-MpPreference" "fail2ban-client"
  "update-crypto-policies" "update-ca-certificates" "trust")
(deflist kernel
  "insmod" "modprobe" "rmmod" "kexec" "bpftool" "losetup" "swapoff" "swapon"
  "gdb" "lldb" "reptyr")
(deflist tiring "stress" "stress-ng" "fallocate" "bonnie++" "sysbench" "memtester")

(defskill shell-machine
  :doc "Commands by what they do to the machine."
  :priority 139
  :trigger (or (has? action.args.cmd) (has? action.args.command))
  :gate
  ((ask end
     :when (or (and (runs? ending) (not (says? "^\\s*kill\\s+-l\\b")))
               (does? ("init") "\\b(init)\\s([^;&|]*\\s)?(0|1|6)\\b")
               (does? ("service" "rc-service") "\\s(stop)\\b")
               (does? ("systemctl") "\\b(systemctl)\\s([^;&|]*\\s)?(stop|kill|mask|poweroff|reboot|halt|kexec|suspend|isolate|rescue|emergency)\\b"))
     :reason "the command ends processes or the machine")
   (ask accounts
     :when (or (runs? accounts)
               (and (runs? ("sudo" "su" "doas" "pkexec"))
                    (says? "\\b(sudo|doas)\\s+(-[is]\\b|su\\b|(ba|z|da)?sh\\b)|\\bsu\\s*(-|root|$)")))
     :reason "the command changes accounts or privileges")
   (ask later
     :when (or (runs? starting)
               (does? ("crontab")
                      "\\bcrontab\\s+(-u\\s+\\w+\\s+)?(-(\\s|$|[)])|-[eri]\\b|[\\w/.~$<])")
               (does? ("systemctl") "\\b(systemctl)\\s([^;&|]*\\s)?(enable|link|edit|add-wants|preset|set-default|unmask|reenable)\\b")
               (says-bare? "(>|\\b(cp|mv|ln|tee|install|chmod)\\s)[^;&|\\n]*[.]git/hooks/")
               (does? ("git") "\\b(git)\\s([^;&|]*\\s)?(core.hooksPath|core.sshCommand|core.pager|core.editor|credential.helper|core.fsmonitor)\\b"))
     :reason "the command arranges for something to run later")
   (ask protection
     :when (or (and (runs? guarding)
                    (not (says? "\\b(ufw\\s+(status|show)|firewall-cmd\\s+--(state|list|get)|iptables\\s+(-\\w+\\s+)*(-L|-S)|nft\\s+list|auditctl\\s+-[ls]|fail2ban-client\\s+status|spctl\\s+--status|csrutil\\s+status)")))
               (and (does? ("systemctl") "\\bsystemctl\\s([^;&|]*\\s)?disable\\b")
                    (says? "(app)?armor|selinux|firewall|ufw|fail2ban|audit|syslog|journal|clam|falco|ossec|wazuh|crowdstrike|defender|sshd?\\b|network|cron|dbus|systemd-|iptables|nftables|ntp|chrony|docker"))
               (says? "sslVerify[= ]+(false|0)|NODE_TLS_REJECT_UNAUTHORIZED=0|PYTHONHTTPSVERIFY=0|GIT_SSL_NO_VERIFY=|strict-ssl[= ]+false"))
     :reason "the command turns protection off, or changes it")
   (ask kernel
     :when (or (runs? kernel)
               (says? "(^|[\\s;&|(])(nsenter|unshare|chroot|pivot_root)\\s|\\bumount\\s+(-\\w+\\s+)*(-\\w*[alf]|/(\\s|$|home|etc|usr|var|boot|root|proc|sys))")
               (and (runs? ("mount"))
                    (says? "\\bmount\\s[^;&|]*(--r?bind|--move|\\bremount|/dev/(sd|hd|vd|xvd|nvme|mmcblk))"))
               (and (runs? ("sysctl")) (says? "\\bsysctl\\s[^;&|]*(-\\w*w|-p|--system|\\w=)"))
               (and (runs? ("strace" "ltrace"))
                    (says? "\\b[sl]trace\\s[^;&|]*(-\\w*p\\s*\\d|--attach)"))
               (and (runs? ("docker" "podman" "nerdctl"))
                    (says? "--privileged|--pid[= ]host|--cap-add|--net(work)?[= ]host|docker[.]sock|(-v|--volume|source)[= ]?/(etc|root|proc|sys|var)?[:/,]")))
     :reason "the command reaches into the kernel, other processes, or the machine around it")
   (ask network
     :when (or (does? ("ip")
                      "\\b(ip)\\s([^;&|]*\\s)?(add|del|delete|set|change|replace|flush|append)\\b")
               (and (runs? ("ifconfig" "iwconfig")) (says? "\\bi[fw]config\\s+[\\w.:]+\\s+[\\w]"))
               (does? ("route") "\\b(route)\\s([^;&|]*\\s)?(add|del|delete|flush|change)\\b")
               (does? ("nmcli") "\\b(nmcli)\\s([^;&|]*\\s)?(modify|mod|add|delete|down|off|up)\\b")
               (does? ("resolvectl" "hostnamectl" "timedatectl" "networksetup") "\\b(resolvectl|hostnamectl|timedatectl|networksetup)\\s([^;&|]*\\s)?(dns|domain|set-hostname|hostname|set-time|set-ntp|-setdnsservers)\\b")
               (runs? ("arpspoof" "ettercap" "bettercap" "macchanger" "dnsspoof" "hwclock"
                       "systemd-resolve"))
               (and (runs? ("date")) (says? "\\bdate\\s+(-s|--set)"))
               (and (runs? ("git" "npm" "pnpm" "yarn" "pip" "pip3" "conda" "gem" "go" "cargo"))
                    (says? "\\bconfig\\s[^;&|]*(proxy|registry|index-url|insteadOf|trusted-host|sources|cafile)\\S*[= ]+\\S*//")))
     :reason "the command changes how the machine reaches others, or what time it has")
   (ask exhaust
     :when (or (runs? tiring)
               (says? "\\b(truncate|fallocate|dd|mkfile|head|split)\\s[^;&|]*(\\d{12,}|\\d{3,}[Gg]i?[Bb]?|\\d+[TPE]i?[Bb]?)(\\s|$)|\\bbs=\\d+[GT]|\\bbs=\\d+M\\S*\\s[^;&|]*count=\\d{5,}|count=\\d{5,}\\s[^;&|]*bs=\\d+M|\\brenice\\s+(-n\\s+)?-\\d")
               (and (says? "\\bdd\\s[^;&|]*if=/dev/(zero|u?random|full)")
                    (says? "\\bdd\\s[^;&|]*\\bof=") (not (says? "\\bcount=\\d{1,7}\\b")))
               (and (or (holds? "/dev/") (holds? "yes"))
                    (says? "\\b(cat|cp|tail|pv)\\s+(-\\w+\\s+)*/dev/(zero|u?random)\\s*(>|&|$|\\S*/)|\\btail\\s[^|]*/dev/zero|\\byes\\b[^|;&]*(>|&\\s*$)|\\byes\\b[^|]*[|]\\s*(tee|cat|sh)\\s+\\w+\\s*>"))
               (and (or (holds? "for") (holds? "while"))
                    (says? "\\bfor\\s+\\w+\\s+in\\s+([$][(]|`)seq\\s+(\\d+\\s+)*\\d{4,}|[{]\\d+[.][.]\\d{4,}[}]|\\bwhile\\s[^;\\n]*(-l[te]|<=?)\\s*\\d{4,}")
                    (says? "[^&]&\\s*(;\\s*)?(done|$|\\n)|\\b(curl|wget|nc|ssh|touch|mkdir|ping|dd)\\b")))
     :reason "the command uses up the machine: its memory, its disk or its processes")
   (ask destroy
     :when (or (runs? ("dropdb" "dropuser"))
               (and (runs? ("mysql" "mariadb" "psql" "sqlite3" "mongo" "mongosh" "clickhouse-client"
                            "cqlsh" "sqlcmd"))
                    (says? "(?i)\\bdrop\\s+(database|schema|table|user|role|keyspace)|\\btruncate\\s+(table\\s+)?\\w|\\bdelete\\s+from\\s+[\\w.]+\\s*(;|['\"]|$)|dropDatabase|[.]drop\\("))
               (does? ("redis-cli")
                      "\\b(redis-cli)\\s([^;&|]*\\s)?(flushall|flushdb|FLUSHALL|FLUSHDB)\\b")
               (does? ("terraform" "tofu" "pulumi")
                      "\\b(terraform|tofu|pulumi)\\s([^;&|]*\\s)?(destroy)\\b")
               (says? "\\bterraform\\s[^;&|]*-destroy\\b|\\b(aws\\s+s3\\s+(rb|rm\\s[^;&|]*--recursive)|gsutil\\s+[^;&|]*rm\\s+-r|az\\s+group\\s+delete|gcloud\\s+projects\\s+delete)\\b|\\bkubectl\\s[^;&|]*delete\\s[^;&|]*(\\b(ns|namespaces?|pvc?|all)\\b|--all)")
               (says? "\\bgit\\s+push\\s[^;&|]*(--mirror|--force(\\s|$)|-f\\b|--delete)|\\bfind\\s+([.~]|[$]HOME|/home/\\w+)/?\\s+(-type\\s+[fd]\\s+)?-delete"))
     :reason "the command destroys what cannot be had back")))

(defexample "processes end"
  :action (:tool "shell" :args (:cmd "sudo killall -9 postgres"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask shell-machine/end))

(defexample "an account"
  :action (:tool "shell" :args (:cmd "sudo useradd -m eve"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask shell-machine/accounts))

(defexample "the other name of the argument"
  :action (:tool "bash" :args (:command "sudo killall -9 postgres"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask shell-machine/end))
