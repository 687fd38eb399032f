; Shell commands are judged by their effects, as python-code and javascript-code judge
; programs: what is deleted, changed, copied, fetched, ended, and where it lies. These rules
; look at the commands that a line runs, with quotes and wrappers resolved: here at the places
; that they touch, in shell-machine.lisp at what they do to the machine and in shell-net.lisp
; at what leaves and comes in. Those of shell-words.lisp look at the words of a line, also
; where it cannot be read. They hold commands back and vouch for none, so tiers and other
; rules count as ever. They judge every tool with an argument cmd or command, and want
; facts.env.cwd: without it, a relative path may lie anywhere, also in /etc.

(include "shell-terms.lisp")

; What is fetched with care: what is run, and what is put in a protected place.
(deflist fetched
  "/**/*.{py,sh,bash,exe,bin,pl,rb,ps1,jar,bat,elf,so,run,php,js,apk,msi,deb,rpm}"
  "/{boot,bin,sbin,lib,lib64,root,etc,usr,usr/{bin,sbin,lib,share},var/{lib,log,spool}}{,/*}")

(deflist deleting "rm" "rmdir" "unlink" "shred" "srm" "wipe" "truncate")
(deflist changing "tee" "chmod" "chown" "chgrp" "chattr" "setfacl" "patch" "ed" "ex" "vi" "vim"
  "nano" "touch")
(deflist copying "cp" "mv" "rsync" "scp" "tar" "zip" "7z" "install" "ln" "unzip" "cpio" "dd"
  "split")
(deflist writing "rm" "shred" "srm" "wipe" "cp" "mv" "dd" "tee" "cat" "cryptsetup" "hdparm"
  "badblocks")
(deflist formatting
  "mkfs" "mke2fs" "wipefs" "blkdiscard" "fdisk" "sfdisk" "gdisk" "sgdisk" "cfdisk" "parted" "mkswap"
  "debugfs"
  "lvremove" "vgremove" "pvremove")

(defskill shell-code
  :doc "Commands by the places that they touch."
  :priority 140
  :trigger (and (or (has? action.args.cmd) (has? action.args.command))
                (readable? (get action.args.cmd (get action.args.command ""))))
  :gate
  ((ask delete
     :when (runs-on? deleting protected)
     :reason "the command deletes what the system runs on, a key, or what starts by itself")
   (ask delete-shared
     :when (runs-on? deleting shared)
     :reason "the command deletes what many share")
   (ask delete-work
     :when (or (says? "\\brm\\s+(-\\w+\\s+)*['\"]?([.]{1,2}/?[*]?|[$]PWD/?[*]?|[$][(]pwd[)])['\"]?\\s*($|[;&|])")
               (says-bare? "\\brm\\s[^;&|\\n]*[\\s/][.]git/?\\s*($|[;&|])|\\bmv\\s[^;&|\\n]*\\s/dev/null\\b"))
     :reason "the command deletes all of the work, or its history")
   (ask delete-found
     :when (and (says? "-delete") (runs-on? ("find") protected))
     :reason "the command deletes what it finds among files of the system")
   (ask overwrite
     :when (and (holds? ">") (may-reach?) (writes-to? protected))
     :reason "the command overwrites what the system runs on, a key, or what starts by itself")
   (ask change
     :when (and (runs? changing) (may-reach?) (runs-on? changing protected))
     :reason "the command changes files of the system, or what starts by itself")
   (ask edit
     :when (and (holds? " -") (says? "\\s-\\w*i") (may-reach?)
                (runs-on? ("sed" "gsed" "perl" "ruby" "awk" "gawk") protected))
     :reason "the command edits files of the system, or what starts by itself")
   (ask disk
     :when (or (and (holds? ">") (writes-to? disks))
               (says? "\\bif=/dev/(sd|hd|vd|xvd|nvme|mmcblk|mem|kmem|port)")
               (some (commands (get action.args.cmd (get action.args.command "")))
                 (or (in it.name formatting) (starts-with? it.name "mkfs.")))
               (and (says? "/dev/") (runs-on? writing disks)))
     :reason "the command writes below the files of a disk")
   (ask copy
     :when (and (runs? copying) (may-reach?) (runs-on? copying protected))
     :reason "the command takes copies of protected files, or puts them in a protected place")
   (ask read
     :when (and (says? "\\bcd\\s+[\"']?(/|[.][.])") (takes?)
                (some (commands (get action.args.cmd (get action.args.command "")))
                  (some (leads it.operands)
                    (glob-any? it ("/{etc,root,proc}/**" "{~,/home/*}/.{ssh,gnupg,aws}/**")))))
     :reason "the command takes what the system keeps to itself, or keys")
   (ask rights
     :when (or (and (runs? ("chmod" "install" "mkdir"))
                    (says? "(chmod|install|mkdir)\\s+([^;&|]*\\s)?(-m\\s*)?([0-7]?[4267][0-7]{3}|[ugoa]*[+=][rwxXt]*s[rwxXt]*)(\\s|$)"))
               (and (runs? ("chmod"))
                    (says? "chmod\\s+(-\\w+\\s+)*(-\\w*R\\w*|--recursive)\\s+(-\\w+\\s+)*(0?[0-7][0-7][2367]|[ugo]*[oa][ugo]*[+=][rxX]*w)|chmod\\s+0?[0-7][0-7][2367]\\s+-R"))
               (says? "\\bumask\\s+0{1,4}\\s*($|[;&|])"))
     :reason "the command gives rights to all, or lets others run a program as its owner")
   (ask fetch
     :when (runs-on? ("curl" "wget" "aria2c") fetched)
     :reason "the command fetches a program, or fetches into a protected place")))

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

(defexample "what is deleted cannot be told"
  :action (:tool "shell" :args (:cmd "rm -rf $1"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask shell-code/delete/error))

(defexample "a folder of the user's"
  :action (:tool "shell" :args (:cmd "rm -rf ~/Documents"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask shell-code/delete-shared))
