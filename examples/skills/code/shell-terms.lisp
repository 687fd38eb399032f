; What the files shell-*.lisp have in common: a command line, the commands in it, and the
; places that it names.

; Asked before a pattern, it spares the pattern most lines: a pattern takes a hundred times as long.
(defcondition holds? (text) "The line holds this text."
  (contains? (get action.args.cmd (get action.args.command "")) text))

(defcondition says? (pattern) "The line holds this pattern."
  (matches? (get action.args.cmd (get action.args.command "")) pattern))

(defcondition says-bare? (pattern) "The line holds this pattern, quotes and backslashes apart."
  (matches? (replace (get action.args.cmd (get action.args.command "")) "['\"\\\\]" "") pattern))

(defcondition runs? (names) "The line can be read, and runs one of these programs."
  (and (readable? (get action.args.cmd (get action.args.command "")))
       (some (commands (get action.args.cmd (get action.args.command ""))) (in it.name names))))

(defcondition does? (names pattern) "It runs one of these programs, and what it says of it is this."
  (and (runs? names) (says-bare? pattern)))

(defcondition runs-on? (names places) "It runs one of these programs on one of these places."
  (some (commands (get action.args.cmd (get action.args.command "")))
    (and (in it.name names) (some (leads it.operands) (glob-any? it places)))))

(defcondition writes-to? (places) "It writes the output of something to one of these places."
  (some (commands (get action.args.cmd (get action.args.command "")))
    (some (redirected it :write) (glob-any? it places))))

; What the system runs on, keys, and what runs at a login or at a time. A pattern costs one
; step, whatever stands in its braces.
(deflist protected
  "/{,{boot,bin,sbin,lib,lib32,lib64,root,proc,sys,etc,usr/{bin,sbin,lib,lib32,lib64,libexec,include,share},var/{lib,log,spool,mail,backups}}{,/**}}"
  "{~,/home/*}/.{ssh,gnupg,aws,azure,kube,docker,password-store,config/{autostart,systemd,fish}}{,/**}"
  "{~,/home/*}/.{netrc,pgpass,git-credentials,gitconfig,npmrc,pypirc,bashrc,bash_profile,bash_login,bash_logout,bash_aliases,profile,zshrc,zprofile,zshenv,cshrc,xprofile,xinitrc,pam_environment,bash_history,zsh_history}")

; What many share: it is changed seldom by accident, and seldom in an attack.
(deflist shared "/{usr{,/*,/{src,games,ports}/**},var{,/*},home{,/*},opt,srv}" "~{,/*}" "/home/*/*")

(deflist disks "/dev/{{sd,hd,vd,xvd}[a-zA-Z]*,{nvme,mmcblk,dm-,md}*,mapper/*,mem,kmem,port}")

(defcondition names-system? () "It names a place of the system, or keys, in full."
  (says? "(^|[\\s'\"=@:(>])(/(etc|boot|s?bin|lib(32|64)?|root|proc|sys|usr/(s?bin|lib\\w*|share)|var/(lib|log|spool|mail|backups))(['\"\\s;&|)]|/|$)|/usr/[\\w.-]+(['\"\\s;&|)]|$)|(~|/home/\\w+|\\$HOME)/[.](ssh|gnupg|aws|azure|kube|bashrc|profile|netrc|zshrc|bash_profile))"))

; Whatever way it is written: quotes count for nothing, and x/../etc is /etc. What any program
; may know of the machine is no such place, if the line names it openly.
(defcondition names-guarded? ()
  "It names what the system keeps to itself: settings, accounts, states, keys."
  (matches?
   (replace
    (replace
     (replace (get action.args.cmd (get action.args.command "")) "['\"\\\\]" "")
     "(^|[\\s=:@(<>])/(etc/((os|lsb)-release|hostname|timezone|localtime|mime[.]types|services|protocols|shells|issue)|proc/(cpuinfo|meminfo|version|loadavg|uptime|v?m?stat|mounts|filesystems|partitions|swaps|config[.]gz|net/\\w+|self/\\w+)|var/log/(syslog|messages|dmesg|kern[.]log|daemon[.]log|(nginx|apache2|httpd|postgresql|mysql)(/[\\w.-]+)?)|sys/(class|devices|block|bus)/[\\w/.-]*)"
     " ")
    "[^\\s=:@(<>;&|,]*[.][.]/+" "/")
   "(^|[\\s=:@(<>,{])(/(etc|root|boot|proc|sys|var/(lib|log|spool|mail|backups|run))([\\s;&|)/,*]|$)|(~|/home/[\\w*.-]+|/Users/[\\w*.-]+|[$]HOME|[$]{HOME})/[.](ssh|gnupg|aws|azure|kube|docker/config|netrc|pgpass|pypirc|git-credentials|password-store|mozilla|thunderbird|\\w*_history|config/(gh|gcloud|google-chrome|chromium|rclone)|local/share/keyrings))"))

(defcondition builds-words? ()
  "It makes words as it runs, other than a part of a name, a date or who runs it."
  (matches? (replace (get action.args.cmd (get action.args.command ""))
                     "([$][(]|`)(basename|dirname|date|pwd|whoami|hostname|id|nproc)\\b[^()`]*[)`]"
                     "")
            "[$][(]|`|\\b\\w+=|\\bread\\b|<<<"))

; Of a word that is unknown, in a line that names no such place and builds no words, there is
; nothing to say: $1 may be anything, and mostly is a file of the user's.
(defcondition may-reach? () "It may reach what is protected."
  (or (builds-words?)
      (says-bare? "(^|[\\s=:@(<>])/(etc|boot|s?bin|lib|root|proc|sys|usr/(s?bin|lib|share|include)|var)\\b|(^|[\\s=:@(<>])(/[*]?|~)([\\s;&|)]|$)|[.]{2}|/[.]\\w|\\bcd\\s")))

(defcondition takes? () "It runs something that opens files."
  (says? "(^|[\\s;&|({`])(cat|tac|head|tail|less|more|most|bat|nl|od|xxd|hexdump|strings|base(32|64)|sort|uniq|cut|[efz]?grep|rg|ag|ack|sed|[gm]?awk|perl|python[\\d.]*|ruby|node|php|lua|tar|zip|7z|[bgx]zip2?|xz|cpio|cp|mv|ln|rsync|scp|sftp|ftp|curl|wget|dd|tee|install|rm|unlink|shred|truncate|touch|chmod|chown|chgrp|chattr|setfacl|source|diff|cmp|comm|wc|jq|yq|vim?|nano|ed|ex|emacs|split|shuf|paste|join|rev|tr|fold|(md5|sha\\d+)sum|openssl|gpg|sqlite3|patch|mount|mailx?|mutt|nc|ncat|xclip|xargs|mapfile|readarray)\\s|<\\s*[^<\\s(]"))
