; Shell commands are judged by their effects, as python-code and javascript-code judge
; programs: what is deleted, changed, copied, read, fetched, ended, and where it lies. These
; rules look at the commands that a line runs, with variables, quotes and wrappers resolved;
; those of shell-words.lisp look at its words. Both hold commands back and vouch for none, so
; tiers and other rules count as ever. They judge every tool with an argument cmd or command,
; and want facts.env.cwd: without it, a relative path may lie anywhere, also in /etc.

; What the system runs on, keys, and what runs at a login or at a time. A pattern costs one
; step, whatever stands in its braces.
(deflist protected
  "/{,{boot,bin,sbin,lib,lib32,lib64,root,proc,sys,etc,usr/{bin,sbin,lib,lib32,lib64,libexec,include,share},var/{lib,log,spool,mail,backups}}{,/**}}"
  "{~,/home/*}/.{{ssh,gnupg,aws,azure,kube,docker}{,/**},netrc,pgpass,git-credentials,npmrc,pypirc,bashrc,bash_profile,profile,zshrc,zprofile}")

; What many share: it is changed seldom by accident, and seldom in an attack.
(deflist shared "/{usr{,/*,/{src,games,ports}/**},var{,/*},home{,/*},opt,srv}" "~{,/*}" "/home/*/*")

(deflist disks "/dev/{{sd,hd,vd,xvd}[a-zA-Z]*,{nvme,mmcblk,dm-,md}*,mapper/*,mem,kmem,port}")

; What is fetched with care: what is run, and what is put in a protected place.
(deflist fetched
  "/**/*.{py,sh,bash,exe,bin,pl,rb,ps1,jar,bat,elf,so,run,php,js,apk,msi,deb,rpm}"
  "/{boot,bin,sbin,lib,lib64,root,etc,usr,usr/{bin,sbin,lib,share},var/{lib,log,spool}}{,/*}")

(deflist deleting "rm" "rmdir" "unlink" "shred" "srm" "truncate")
(deflist changing "tee" "chmod" "chown" "chgrp" "chattr" "setfacl")
(deflist copying "cp" "mv" "rsync" "scp" "tar" "zip" "install" "ln")
(deflist formatting "mkfs" "wipefs" "blkdiscard" "fdisk" "parted" "sfdisk")
(deflist connecting "nc" "ncat" "netcat" "socat" "telnet")
(deflist ending "kill" "killall" "pkill" "shutdown" "reboot" "halt" "poweroff")
(deflist accounts
  "useradd" "adduser" "usermod" "userdel" "deluser" "groupadd" "groupmod" "gpasswd" "passwd"
  "chpasswd" "visudo" "setcap"
  "setenforce" "iptables" "nft" "ufw" "crontab")

(defskill shell-code
  :doc "Commands by their effects: what they delete, change, copy, fetch and end."
  :priority 140
  :trigger (and (or (has? action.args.cmd) (has? action.args.command))
                (readable? (get action.args.cmd (get action.args.command ""))))
  :gate
  ((ask delete
     :when (some (commands (get action.args.cmd (get action.args.command "")))
             (and (in it.name deleting) (some it.operands (glob-any? it protected))))
     :reason "the command deletes what the system runs on, a key, or what starts by itself")
   (ask delete-shared
     :when (some (commands (get action.args.cmd (get action.args.command "")))
             (and (in it.name deleting) (some it.operands (glob-any? it shared))))
     :reason "the command deletes what many share")
   (ask delete-found
     :when (and (contains? (get action.args.cmd (get action.args.command "")) "-delete")
                (some (commands (get action.args.cmd (get action.args.command "")))
                  (and (= it.name "find") (some it.operands (glob-any? it protected)))))
     :reason "the command deletes what it finds among files of the system")
   (ask overwrite
     :when (some (commands (get action.args.cmd (get action.args.command "")))
             (some it.redirects (and (starts-with? it.op ">") (glob-any? it.target protected))))
     :reason "the command overwrites what the system runs on, a key, or what starts by itself")
   (ask change
     :when (some (commands (get action.args.cmd (get action.args.command "")))
             (and (in it.name changing) (some it.operands (glob-any? it protected))))
     :reason "the command changes files of the system, or what starts by itself")
   (ask disk
     :when (some (commands (get action.args.cmd (get action.args.command "")))
             (or (in it.name formatting) (starts-with? it.name "mkfs.")
                 (some it.redirects (and (starts-with? it.op ">") (glob-any? it.target disks)))))
     :reason "the command writes below the files of a disk")
   (ask copy
     :when (some (commands (get action.args.cmd (get action.args.command "")))
             (and (in it.name copying) (some it.operands (glob-any? it protected))))
     :reason "the command takes copies of protected files, or puts them in a protected place")
   (ask fetch
     :when (some (commands (get action.args.cmd (get action.args.command "")))
             (and (in it.name ("curl" "wget" "aria2c")) (some it.operands (glob-any? it fetched))))
     :reason "the command fetches a program, or fetches into a protected place")
   (ask connect
     :when (some (commands (get action.args.cmd (get action.args.command "")))
             (in it.name connecting))
     :reason "the command talks to another machine, and does not show what it says")
   (ask end
     :when (some (commands (get action.args.cmd (get action.args.command ""))) (in it.name ending))
     :reason "the command ends processes or the machine")
   (ask accounts
     :when (some (commands (get action.args.cmd (get action.args.command "")))
             (in it.name accounts))
     :reason "the command changes accounts or privileges, or arranges for something to run later")))

(defexample "a command that keeps to the workspace"
  :action (:tool "a-shell" :args (:cmd "rm -rf build && cp a.txt out/"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask default/unknown-tool))

(defexample "a deleted system file, in quotes"
  :action (:tool "shell" :args (:cmd "rm -f /e'tc'/hosts"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask shell-code/delete))

(defexample "a shared folder"
  :action (:tool "shell" :args (:cmd "rm -r /usr/src/linux"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask shell-code/delete-shared))

(defexample "found and deleted"
  :action (:tool "shell" :args (:cmd "find /var/log -name '*.gz' -delete"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask shell-code/delete-found))

(defexample "a system file is overwritten"
  :action (:tool "shell" :args (:cmd "echo x > /e'tc'/motd"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask shell-code/overwrite))

(defexample "a log of the workspace is not"
  :action (:tool "a-shell" :args (:cmd "echo x >> log.txt 2> /dev/null"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask default/unknown-tool))

(defexample "rights of a system file"
  :action (:tool "shell" :args (:cmd "chmod a+w /e'tc'/passwd"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask shell-code/change))

(defexample "a disk is formatted"
  :action (:tool "shell" :args (:cmd "mkfs.ext4 /dev/sdb1"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask shell-code/disk))

(defexample "a copy of protected data"
  :action (:tool "shell" :args (:cmd "cp /e'tc'/passwd ."))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask shell-code/copy))

(defexample "a program is fetched"
  :action (:tool "shell" :args (:cmd "curl -O https://example.org/setup.sh"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask shell-code/fetch))

(defexample "a table is"
  :action (:tool "a-shell" :args (:cmd "curl -O https://example.org/table.csv"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask default/unknown-tool))

(defexample "a raw connection"
  :action (:tool "shell" :args (:cmd "echo hi | nc 192.0.2.7 9"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask shell-code/connect))

(defexample "processes end"
  :action (:tool "shell" :args (:cmd "sudo killall -9 postgres"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask shell-code/end))

(defexample "an account"
  :action (:tool "shell" :args (:cmd "sudo useradd -m eve"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask shell-code/accounts))

(defexample "the other name of the argument"
  :action (:tool "bash" :args (:command "sudo killall -9 postgres"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask shell-code/end))

(defexample "what is deleted cannot be told"
  :action (:tool "shell" :args (:cmd "rm -rf $1"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask shell-code/delete/error))

(defexample "a folder of the user's"
  :action (:tool "shell" :args (:cmd "rm -rf ~/Documents"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask shell-code/delete-shared))
