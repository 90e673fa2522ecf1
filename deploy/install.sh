#!/bin/sh
# Installs Tollgate on Linux: the executable, and with systemd the service. A second run upgrades, or changes nothing when
# the same version is installed.
set -eu

usage() {
  cat <<'TEXT'
Usage: sh install.sh [--from ADDRESS] [--prefix FOLDER] [--no-service] [--unsigned]

  --from ADDRESS   https address or folder with the archives, SHA256SUMS and SHA256SUMS.sig of a release (default: the folder of this script)
  --prefix FOLDER  the executable becomes FOLDER/bin/tollgate (default: /usr/local)
  --no-service     install the executable only
  --unsigned       compare checksums only, for a release that you have built or checked yourself

Settings are environment variables of the service: /etc/tollgate/tollgate.env.
TEXT
}

# Whoever can replace the files of a release does not have the other half of this key.
RELEASE_KEY='-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAh050mq5akSnX6fhwE1byZhXdiECU9mC8Swfa+ax76E4=
-----END PUBLIC KEY-----'

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

FROM=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
PREFIX=/usr/local
SERVICE=yes
SIGNED=yes
while [ $# -gt 0 ]; do
  case $1 in
    --from | --prefix)
      [ $# -ge 2 ] || fail "$1 needs a value"
      if [ "$1" = --from ]; then FROM=${2%/}; else PREFIX=${2%/}; fi
      shift 2
      ;;
    --no-service)
      SERVICE=no
      shift
      ;;
    --unsigned)
      SIGNED=no
      shift
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    *) fail "unknown option $1; --help lists the options" ;;
  esac
done

[ "$(uname -s)" = Linux ] || fail "this script is for Linux; other systems use npx tollgate or the archive of the release"
case $(uname -m) in
  x86_64 | amd64) TARGET=linux-x64 ;;
  aarch64 | arm64) TARGET=linux-arm64 ;;
  *) fail "there is no executable for $(uname -m)" ;;
esac
if ldd --version 2>&1 | grep -qi musl; then TARGET=$TARGET-musl; fi
ARCHIVE=tollgate-$TARGET.tar.gz

if [ "$SERVICE" = yes ] && [ ! -d /run/systemd/system ]; then
  echo "systemd is not running here: only the executable is installed"
  SERVICE=no
fi
if [ "$SERVICE" = yes ] && [ "$(id -u)" != 0 ]; then fail "the service needs root: run with sudo, or with --no-service"; fi

WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
trap 'exit 1' HUP INT TERM

get() {
  case $FROM in
    https://*)
      if command -v curl >/dev/null; then
        curl --proto '=https' --tlsv1.2 -fsSL --retry 3 --max-time 600 -o "$WORK/$1" "$FROM/$1" || fail "cannot download $FROM/$1"
      elif command -v wget >/dev/null; then
        wget -q --tries=3 --timeout=60 -O "$WORK/$1" "$FROM/$1" || fail "cannot download $FROM/$1"
      else
        fail "curl or wget is needed to download"
      fi
      ;;
    *://*) fail "--from needs an https address or a folder, found $FROM" ;;
    *)
      [ -f "$FROM/$1" ] || fail "there is no $FROM/$1: --from names the address or folder of a release"
      cp "$FROM/$1" "$WORK/$1"
      ;;
  esac
}

# Ed25519, which the command line of openssl verifies since version 3.
verify_signature() {
  command -v openssl >/dev/null || fail "openssl is needed to check the signature: install it, or check SHA256SUMS yourself and add --unsigned"
  case $(openssl version) in
    *SSL\ [012].*) fail "openssl 3 or newer is needed to check the signature: check SHA256SUMS yourself and add --unsigned" ;;
  esac
  get SHA256SUMS.sig
  echo "$RELEASE_KEY" >"$WORK/key.pem"
  openssl pkeyutl -verify -pubin -inkey "$WORK/key.pem" -rawin -in "$WORK/SHA256SUMS" -sigfile "$WORK/SHA256SUMS.sig" >/dev/null 2>&1 ||
    fail "SHA256SUMS is not signed with the key of this script: download the release again, and do not run it"
}

get SHA256SUMS
if [ "$SIGNED" = yes ]; then verify_signature; fi
get "$ARCHIVE"
grep " [ *]$ARCHIVE\$" "$WORK/SHA256SUMS" >"$WORK/expected" || fail "SHA256SUMS does not list $ARCHIVE"
(cd "$WORK" && sha256sum -c expected >/dev/null 2>&1) ||
  fail "$ARCHIVE does not have the checksum of SHA256SUMS: download it again, and do not run it"
tar -xzf "$WORK/$ARCHIVE" -C "$WORK"
VERSION=$("$WORK/tollgate" --version) || fail "the executable does not run here: this machine cannot run it, or not from $WORK (set TMPDIR to another folder)"

# Replaces a file in one step, so that a running gateway keeps the old one. Fails when it is the same already.
replace() {
  if cmp -s "$1" "$2"; then return 1; fi
  mkdir -p "$(dirname "$2")"
  cp "$1" "$2.new"
  chmod "$3" "$2.new"
  mv -f "$2.new" "$2"
}

CHANGED=no
if replace "$WORK/tollgate" "$PREFIX/bin/tollgate" 755; then CHANGED=yes; fi

if [ "$SERVICE" = yes ]; then
  # Settings may contain passwords and keys.
  mkdir -p /etc/tollgate
  chmod 700 /etc/tollgate
  sed "s|^ExecStart=/usr/local/bin/|ExecStart=$PREFIX/bin/|" "$WORK/tollgate.service" >"$WORK/unit"
  if replace "$WORK/unit" /etc/systemd/system/tollgate.service 644; then
    CHANGED=yes
    systemctl daemon-reload
  fi
  systemctl enable --quiet tollgate
  if [ "$CHANGED" = yes ]; then systemctl restart tollgate; else systemctl start tollgate; fi
fi

if [ "$CHANGED" = yes ]; then
  echo "Tollgate $VERSION is installed: $PREFIX/bin/tollgate"
else
  echo "Tollgate $VERSION was installed already"
fi
if [ "$SERVICE" = yes ]; then
  echo "The first start prints the password of root once: journalctl -u tollgate | grep password"
fi
