#!/usr/bin/env bash
# Writes help/<program>.txtar: what each program says of its own options, with its
# version, its source and its licence. Runs the programs with --help and the like
# and nothing else. A program that is not installed keeps the file that is there,
# and the script says so.
#
# On Debian 12: apt-get install --no-install-recommends curl wget openssh-client
#   rsync git netcat-openbsd netcat-traditional ncat bind9-dnsutils bind9-host
#   mariadb-client-core postgresql-client-15 podman python3-pip
# and from their makers: docker, kubectl, node with npm, pnpm and yarn (npm install
# pnpm@10 yarn@1), go, cargo.
set -uo pipefail
cd "$(dirname "$0")/help"
export LC_ALL=C COLUMNS=100 NO_COLOR=1 HOME=/nonexistent MANPAGER=cat MANWIDTH=100
unset "${!GIT_@}" "${!npm_config_@}" 2>/dev/null
missing=()

# begin FILE COMMAND LAYOUT LICENCE VERSION...: starts a file; VERSION... tells the version.
begin() {
  file=$1 out="" layout=$3
  if ! command -v "$2" >/dev/null; then missing+=("$2"); out=/dev/null; return; fi
  out=$1.txtar.new
  local package; package=$(dpkg -S "$(readlink -f "$(command -v "$2")")" 2>/dev/null | cut -d: -f1)
  { echo "layout: $layout"
    echo "version: $("${@:5}" 2>&1 | grep -m1 '[0-9]' | tr -d '\r')"
    [ -z "$package" ] || echo "source: package $package $(dpkg-query -W -f '${Version}' "$package")"
    echo "licence: $4"
    echo
  } >"$out"
}
# section NAME COMMAND...: adds what COMMAND says under NAME.
section() {
  [ "$out" != /dev/null ] || return
  { echo "-- $1 --"; (cd / && "${@:2}") 2>&1 </dev/null | col -bx | sed -e 's|[ \t]*$||'; } >>"$out"
}
end() {
  [ "$out" = /dev/null ] || mv "$out" "$file.txtar"
}

begin curl curl angle 'curl (MIT-like), https://curl.se/docs/copyright.html' curl --version
section curl curl --help all; end
begin wget wget equals GPL-3.0-or-later wget --version
section wget wget --help; end
begin rsync rsync equals GPL-3.0-or-later rsync --version
section rsync rsync --help; end
for p in ssh scp sftp; do
  begin $p $p usage 'BSD and others, OpenSSH' ssh -V
  section $p $p -?; end
done

begin git git angle GPL-2.0-only git --version
repository=$(mktemp -d); git init -q "$repository"
section git git -h
for s in clone fetch pull push ls-remote archive remote 'remote add' 'remote set-url' 'submodule add' submodule send-pack; do
  section "git $s" git -C "$repository" $s -h
done
rm -rf "$repository"
end

begin nc.openbsd nc.openbsd usage BSD-3-Clause nc.openbsd -h
section nc.openbsd nc.openbsd -h; end
begin nc.traditional nc.traditional bare 'public domain' nc.traditional -h
section nc.traditional nc.traditional -h; end
begin ncat ncat angle 'Nmap Public Source License' ncat --version
section ncat ncat --help; end
begin dig dig bare MPL-2.0 dig -v
section dig dig -h; end
begin host host usage MPL-2.0 host -V
section host host; end
begin ping ping angle 'BSD-3-Clause and GPL-2.0-or-later' ping -V
section ping ping -h; end
begin telnet telnet equals GPL-3.0-or-later telnet --version
section telnet telnet --help; end
begin ftp tnftp usage BSD-2-Clause tnftp -?
section ftp tnftp -?; end
begin socat socat angle GPL-2.0-only socat -V
section socat socat -h; end
begin openssl openssl bare Apache-2.0 openssl version
for s in s_client s_time ocsp; do section "openssl $s" openssl $s -help; done
end
begin redis-cli redis-cli angle BSD-3-Clause redis-cli --version
section redis-cli redis-cli --help; end
begin psql psql equals PostgreSQL psql --version
section psql psql --help; end
begin mysql mariadb equals GPL-2.0-only mariadb --version
section mysql mariadb --no-defaults --help; end

begin docker docker bare Apache-2.0 docker --version
section docker docker --help
for s in run create exec pull push login logout search build import; do section "docker $s" docker $s --help; done
end
begin podman podman bare Apache-2.0 podman --version
section podman podman --help
for s in run create exec pull push login logout search build import; do section "podman $s" podman $s --help; done
end
begin kubectl kubectl kubectl Apache-2.0 kubectl version --client
section kubectl kubectl options
for s in get describe logs apply create delete exec run cp port-forward scale diff top version; do section "kubectl $s" kubectl $s --help; done
section 'kubectl rollout' kubectl rollout status --help
end

manual() { cat "$(dirname "$(readlink -f "$(command -v npm)")")/../docs/content/using-npm/config.md"; }
begin npm npm npm 'Artistic-2.0' npm --version
section npm manual; end
begin pnpm pnpm angle MIT pnpm --version
for s in install add update remove run exec dlx create test start publish pack list outdated audit why link unlink rebuild prune; do section "pnpm $s" pnpm help $s; done
end
begin yarn yarn angle BSD-2-Clause yarn --version
section yarn yarn help
for s in add install run upgrade remove publish global; do section "yarn $s" yarn help $s; done
end
begin pip /usr/bin/pip3 angle MIT /usr/bin/pip3 --version
section pip /usr/bin/pip3 --help
for s in install download wheel list show freeze uninstall index search check config cache hash; do section "pip $s" /usr/bin/pip3 $s --help; done
end
begin go go go BSD-3-Clause go version
section go go help build
for s in get install run test vet list generate clean env fmt; do section "go $s" go help $s; done
section 'go test' go help testflag
for s in download edit tidy vendor verify graph why init; do section "go mod $s" go help mod $s; done
end
begin cargo cargo angle 'MIT or Apache-2.0' cargo --version
section cargo cargo --help
for s in install add remove build run test check bench doc fmt clean update search publish login logout fetch new init tree metadata vendor owner yank uninstall package fix clippy; do section "cargo $s" cargo $s --help; done
end
begin gem gem bare 'Ruby or MIT' gem --version
for s in install update fetch search list info outdated uninstall push build sources owner yank specification env; do section "gem $s" gem help $s; done
end
begin apt-get apt-get man GPL-2.0-or-later apt-get --version
section apt-get man apt-get; end

rm -f ./*.new
((${#missing[@]} == 0)) || echo "not installed, so left as it is: ${missing[*]}"
