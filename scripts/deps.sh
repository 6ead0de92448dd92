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
cache=${RINGMASTER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ringmaster}

build_packages=(g++ cmake ninja-build ccache pkg-config dpkg-dev ca-certificates
  libboost1.81-dev libssl-dev default-libmysqlclient-dev libsqlite3-dev nlohmann-json3-dev libexpected-dev
  libspdlog-dev libfmt-dev libcli11-dev libtomlplusplus-dev catch2 tzdata)
test_packages=(mariadb-server python3 curl openjdk-17-jdk-headless maven procps)

want_tests=yes want_tsan=no
for option in "$@"; do
  case "$option" in
    --build) want_tests=no ;;
    --tsan) want_tsan=yes ;;
    *) echo "deps.sh: unknown option $option" >&2; exit 2 ;;
  esac
done

say() { echo "deps: $*" >&2; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# A command that is there already (a JDK of another vendor, say) needs no package.
satisfied_by_command() {
  case "$1" in
    openjdk-17-jdk-headless) command -v javac >/dev/null ;;
    maven) command -v mvn >/dev/null ;;
    python3) command -v python3 >/dev/null ;;
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
  say "installing ${missing[*]}"
  as_root apt-get update -qq >&2
  # The policy file keeps a freshly installed database server from starting on its own: tests start theirs in private folders.
  local policy=/usr/sbin/policy-rc.d made_policy=no
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
    as_root chmod +x "$policy"
    made_policy=yes
  fi
  local status=0
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2 || status=$?
  [ "$made_policy" = no ] || as_root rm -f "$policy"
  return "$status"
}

# The URI of the system's own Debian source, so that no mirror is named here.
debian_uri() {
  local uri
  uri=$(sed -n 's/^URIs:[[:space:]]*\([^[:space:]]*\/debian\)\/\{0,1\}[[:space:]]*$/\1/p' \
    /etc/apt/sources.list.d/*.sources 2>/dev/null | head -n 1)
  [ -n "$uri" ] || uri=$(sed -n \
    's/^deb[[:space:]]\(\[[^]]*\][[:space:]]\)\{0,1\}\([^[:space:]]*\/debian\)\/\{0,1\}[[:space:]].*/\2/p' \
    /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null | head -n 1)
  [ -n "$uri" ] || { say "no Debian source found in /etc/apt"; return 1; }
  echo "$uri"
}

# Fetches CAF's source through a private apt configuration; the system's own lists stay untouched.
fetch_caf_source() {
  local tarball=$cache/actor-framework_$caf_version.orig.tar.gz work
  if [ -f "$tarball" ] && echo "$caf_sha256  $tarball" | sha256sum -c --quiet - 2>/dev/null; then
    echo "$tarball"
    return
  fi
  work=$(mktemp -d)
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/source"
  chmod -R a+rX "$work"
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(debian_uri) experimental main" > "$work/sources.list"
  cat > "$work/apt.conf" <<CONF
Dir::State::lists "$work/lists";
Dir::Cache "$work/cache";
Dir::Etc::sourcelist "$work/sources.list";
Dir::Etc::sourceparts "-";
APT::Sandbox::User "";
CONF
  (
    cd "$work/source"
    export APT_CONFIG=$work/apt.conf
    apt-get update -qq >&2
    apt-get source -qq --download-only --tar-only actor-framework >&2
  )
  echo "$caf_sha256  $work/source/actor-framework_$caf_version.orig.tar.gz" | sha256sum -c --quiet - >&2 \
    || { say "the checksum of CAF's source does not match"; rm -rf "$work"; return 1; }
  mkdir -p "$cache"
  mv "$work/source/actor-framework_$caf_version.orig.tar.gz" "$tarball"
  rm -rf "$work"
  echo "$tarball"
}

# build_caf PREFIX [cmake option...]: once per prefix; the marker file is written last.
build_caf() {
  local prefix=$1 tarball work
  shift
  if [ -f "$prefix/.complete" ]; then return; fi
  tarball=$(fetch_caf_source)
  say "building CAF $caf_version into $prefix (about two minutes on two cores)"
  work=$(mktemp -d)
  tar -xzf "$tarball" -C "$work" --strip-components=1
  cmake -S "$work" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$prefix" \
    -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCAF_ENABLE_TESTING=OFF -DCAF_ENABLE_EXAMPLES=OFF \
    -DCAF_ENABLE_TOOLS=OFF "$@" > "$work/build.log" 2>&1 \
    && cmake --build "$work/build" >> "$work/build.log" 2>&1 \
    && cmake --install "$work/build" >> "$work/build.log" 2>&1 \
    || { tail -n 30 "$work/build.log" >&2; rm -rf "$work"; return 1; }
  touch "$prefix/.complete"
  rm -rf "$work"
}

install_packages "${build_packages[@]}"
[ "$want_tests" = no ] || install_packages "${test_packages[@]}"

if [ "$want_tsan" = yes ]; then
  caf=$cache/caf-$caf_version-tsan
  build_caf "$caf" -DCAF_SANITIZERS=thread
elif [ -n "${CAF_ROOT:-}" ]; then
  caf=$CAF_ROOT
else
  caf=$cache/caf-$caf_version
  build_caf "$caf"
fi
echo "$caf"
