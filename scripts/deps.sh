#!/usr/bin/env bash
# Makes a Debian 12 machine ready to build and test Ringmaster; does nothing the second time.
#
#   scripts/deps.sh            what a build and the tests need, and CAF into the user's cache
#   scripts/deps.sh --build    only what a build needs (no MariaDB server, no JDK)
#   scripts/deps.sh --tsan     the same, with a CAF built with ThreadSanitizer
#
# Prints the prefix of CAF as its last line. A CAF >= 0.18.7 that find_package would find anyway (CAF_ROOT) is used as it is.
set -euo pipefail

caf_version=0.18.7
caf_sha256=d5c3abe8fd67a729aab1baeece10367637d903ba335f4c79378bcadfbcd34552
# Without HOME, as under some service managers, the account's own home.
home=${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}
cache=${RINGMASTER_CACHE:-${XDG_CACHE_HOME:-$home/.cache}/ringmaster}

build_packages=(g++ cmake ninja-build ccache pkg-config dpkg-dev ca-certificates
  libboost1.81-dev libssl-dev default-libmysqlclient-dev libsqlite3-dev nlohmann-json3-dev libexpected-dev
  libcurl4-openssl-dev libargon2-dev libspdlog-dev libfmt-dev libcli11-dev libtomlplusplus-dev catch2 python3 tzdata)
test_packages=(mariadb-server python3-aiosmtpd python3-pymysql python3-venv curl openjdk-17-jdk-headless maven procps
  clang-14 libclang-rt-14-dev)

want_tests=yes want_tsan=no
for option in "$@"; do
  case "$option" in
    --build) want_tests=no ;;
    --tsan) want_tsan=yes ;;
    *) echo "deps.sh: unknown option $option" >&2; exit 2 ;;
  esac
done

say() { echo "deps: $*" >&2; }

fail() {
  say "$*"
  exit 1
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# What has to go away however this ends: a folder, and the file that keeps servers from starting.
scratch='' policy=''
clean_up() {
  [ -z "$policy" ] || as_root rm -f "$policy"
  [ -z "$scratch" ] || rm -rf "$scratch"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

# A command that is there already (a JDK of another vendor, say) needs no package.
satisfied_by_command() {
  case "$1" in
    openjdk-17-jdk-headless) command -v javac >/dev/null ;;
    maven) command -v mvn >/dev/null ;;
    python3) command -v python3 >/dev/null ;;
    python3-venv) python3 -c 'import ensurepip, venv' 2>/dev/null ;;
    cmake) command -v cmake >/dev/null ;;
    *) return 1 ;;
  esac
}

install_packages() {
  local package missing=()
  for package in "$@"; do
    if [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" != installed ] \
      && ! satisfied_by_command "$package"; then
      missing+=("$package")
    fi
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  [ "$(id -u)" = 0 ] || command -v sudo >/dev/null \
    || fail "these packages are missing and there is no sudo; as root: apt-get install --no-install-recommends ${missing[*]}"
  say "installing ${missing[*]}"
  as_root apt-get update -qq >&2 || fail "apt-get update failed (its message stands above); is there a network?"
  # The policy file keeps a freshly installed database server from starting on its own: tests start theirs in private folders.
  if [ ! -e /usr/sbin/policy-rc.d ]; then
    policy=/usr/sbin/policy-rc.d
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
    as_root chmod +x "$policy"
  fi
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2 \
    || fail "apt-get install failed (its message stands above)"
  [ -z "$policy" ] || as_root rm -f "$policy"
  policy=''
}

# URIs of the system's own Debian sources, one a line, the likeliest first: no mirror is named here. A mirror+file: list counts by
# what stands in it; the security archive holds no experimental.
debian_uris() {
  local files=(/etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources) uri
  awk '
    FILENAME ~ /\.sources$/ && tolower($1) == "uris:" { for (i = 2; i <= NF; i++) print $i; next }
    FILENAME !~ /\.sources$/ && /^[[:space:]]*deb(-src)?[[:space:]]/ {
      sub(/^[[:space:]]*deb(-src)?[[:space:]]+(\[[^]]*\][[:space:]]*)?/, ""); print $1
    }' $(ls -d "${files[@]}" 2>/dev/null) /dev/null \
    | while read -r uri; do
        case "$uri" in
          mirror+file:*) awk '!/^[[:space:]]*(#|$)/ { print $1 }' "${uri#mirror+file:}" 2>/dev/null || true ;;
          *) echo "$uri" ;;
        esac
      done \
    | sed 's|/*$||' | grep -v -e security -e '^cdrom:' | awk '!seen[$0]++' \
    | awk '/\/debian$/ { print; next } { rest = rest $0 "\n" } END { printf "%s", rest }'
}

# apt_in FOLDER ARGUMENT…: an apt of its own; the system's lists stay untouched.
apt_in() {
  local folder=$1
  shift
  (cd "$folder/source" && APT_CONFIG=$folder/apt.conf apt-get -qq -o Acquire::Retries=2 "$@" >&2)
}

# Fetches CAF's source into the cache, from whichever of the system's Debian mirrors has it.
fetch_caf_source() {
  local file=actor-framework_$caf_version.orig.tar.gz uri
  tarball=$cache/$file
  if [ -f "$tarball" ] && echo "$caf_sha256  $tarball" | sha256sum -c --quiet - 2>/dev/null; then return; fi
  scratch=$(mktemp -d)
  mkdir -p "$scratch/lists/partial" "$scratch/cache/archives/partial" "$scratch/source"
  chmod -R a+rX "$scratch"
  cat > "$scratch/apt.conf" <<CONF
Dir::State::lists "$scratch/lists";
Dir::Cache "$scratch/cache";
Dir::Etc::sourcelist "$scratch/sources.list";
Dir::Etc::sourceparts "-";
APT::Sandbox::User "";
CONF
  for uri in $(debian_uris); do
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri experimental main" > "$scratch/sources.list"
    if apt_in "$scratch" update -o APT::Update::Error-Mode=any \
      && apt_in "$scratch" source --download-only --tar-only "actor-framework" && [ -f "$scratch/source/$file" ]; then
      break
    fi
    say "no source of CAF $caf_version from $uri"
  done
  [ -f "$scratch/source/$file" ] \
    || fail "CAF's source could not be fetched from the Debian sources in /etc/apt; is there a network? Or put $file into $cache"
  echo "$caf_sha256  $scratch/source/$file" | sha256sum -c --quiet - >&2 || fail "the checksum of CAF's source does not match"
  mkdir -p "$cache"
  mv "$scratch/source/$file" "$tarball"
  rm -rf "$scratch"
  scratch=''
}

# build_caf PREFIX [cmake option...]: once per prefix; the marker file is written last. Static, so that a binary needs no library
# of a user's cache; position independent, as everything that it is linked with.
build_caf() {
  local prefix=$1
  shift
  if [ -f "$prefix/.complete" ]; then return; fi
  fetch_caf_source
  say "building CAF $caf_version into $prefix (about two minutes on two cores)"
  scratch=$(mktemp -d)
  tar -xzf "$tarball" -C "$scratch" --strip-components=1
  cmake -S "$scratch" -B "$scratch/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$prefix" \
    -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DBUILD_SHARED_LIBS=OFF \
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCAF_ENABLE_TESTING=OFF -DCAF_ENABLE_EXAMPLES=OFF \
    -DCAF_ENABLE_TOOLS=OFF "$@" > "$scratch/build.log" 2>&1 \
    && cmake --build "$scratch/build" >> "$scratch/build.log" 2>&1 \
    && cmake --install "$scratch/build" >> "$scratch/build.log" 2>&1 \
    || { tail -n 30 "$scratch/build.log" >&2; fail "CAF could not be built (see above)"; }
  touch "$prefix/.complete"
  rm -rf "$scratch"
  scratch=''
}

install_packages "${build_packages[@]}"
[ "$want_tests" = no ] || install_packages "${test_packages[@]}"

if [ "$want_tsan" = yes ]; then
  caf=$cache/caf-$caf_version-static-tsan
  build_caf "$caf" -DCAF_SANITIZERS=thread
elif [ -n "${CAF_ROOT:-}" ]; then
  caf=$CAF_ROOT
else
  caf=$cache/caf-$caf_version-static
  build_caf "$caf"
fi
echo "$caf"
