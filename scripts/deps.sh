#!/usr/bin/env bash
# Prepares a Debian 12 machine to build and test Ringmaster; a second run changes nothing.
#
#   scripts/deps.sh            installs the packages for builds and tests, and CAF into the user's cache
#   scripts/deps.sh --build    installs only the packages for a build (no MariaDB server, no JDK)
#   scripts/deps.sh --tsan     the same, with a CAF built with ThreadSanitizer
#   scripts/deps.sh --source   fetches only CAF's source into the user's cache; prints its file
#
# Prints the prefix of CAF as its last line. Uses an installed CAF of the same release: that of CAF_ROOT, else one in /usr or
# /usr/local. Takes CAF's source from the first available place: Debian's experimental suite, upstream's release archive,
# Debian's snapshot archive.
set -euo pipefail

caf_version=0.18.7
# All three places have the same file; its checksum is compared.
caf_sha256=d5c3abe8fd67a729aab1baeece10367637d903ba335f4c79378bcadfbcd34552
caf_upstream=https://github.com/actor-framework/actor-framework/archive/refs/tags/$caf_version.tar.gz
# The snapshot archive names files by their SHA-1.
caf_snapshot=https://snapshot.debian.org/file/ff38889952c5a5a2299ac396d387f26b6e355c35
# Without HOME, as under some service managers: the home of the account.
home=${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}
cache=${RINGMASTER_CACHE:-${XDG_CACHE_HOME:-$home/.cache}/ringmaster}

build_packages=(g++ cmake ninja-build ccache pkg-config dpkg-dev file ca-certificates curl
  libboost1.81-dev libssl-dev default-libmysqlclient-dev libsqlite3-dev zlib1g-dev nlohmann-json3-dev libexpected-dev
  libcurl4-openssl-dev libargon2-dev libspdlog-dev libfmt-dev libcli11-dev libtomlplusplus-dev libyaml-cpp-dev
  libpugixml-dev catch2 python3 tzdata
  nodejs npm)
test_packages=(mariadb-server python3-aiosmtpd python3-pymysql python3-venv debootstrap sqlite3 openjdk-17-jdk-headless maven
  procps clang-14 libclang-rt-14-dev chromium)

want_tests=yes want_tsan=no source_only=no
for option in "$@"; do
  case "$option" in
    --build) want_tests=no ;;
    --tsan) want_tsan=yes ;;
    --source) source_only=yes ;;
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

# Objects to remove at every exit: a folder, and the file that keeps servers from starting.
scratch='' policy=''
clean_up() {
  [ -z "$policy" ] || as_root rm -f "$policy"
  [ -z "$scratch" ] || rm -rf "$scratch"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

# A command that is already installed (for example a JDK of another vendor) needs no package.
satisfied_by_command() {
  case "$1" in
    openjdk-17-jdk-headless) command -v javac >/dev/null ;;
    maven) command -v mvn >/dev/null ;;
    python3) command -v python3 >/dev/null ;;
    chromium) command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null ;;
    python3-venv) python3 -c 'import ensurepip, venv' 2>/dev/null ;;
    cmake) command -v cmake >/dev/null ;;
    # The web console needs node 18.
    nodejs) node -e 'process.exit(parseInt(process.versions.node) < 18)' 2>/dev/null ;;
    npm) command -v npm >/dev/null ;;
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
  as_root apt-get update -qq >&2 || fail "apt-get update failed (see its message above); check the network"
  # The policy file keeps a newly installed database server from starting: tests start servers in private folders.
  if [ ! -e /usr/sbin/policy-rc.d ]; then
    policy=/usr/sbin/policy-rc.d
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
    as_root chmod +x "$policy"
  fi
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2 \
    || fail "apt-get install failed (see its message above)"
  [ -z "$policy" ] || as_root rm -f "$policy"
  policy=''
}

# Prints the URIs of the system's own Debian sources, one a line, the likeliest first: no mirror is named here. A mirror+file:
# list is replaced by its content; the security archive has no experimental suite.
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

# apt_in FOLDER ARGUMENT…: runs apt with its own lists; the system's lists stay untouched.
apt_in() {
  local folder=$1
  shift
  (cd "$folder/source" && APT_CONFIG=$folder/apt.conf apt-get -qq -o Acquire::Retries=2 "$@" >&2)
}

is_caf_source() { [ -f "$1" ] && echo "$caf_sha256  $1" | sha256sum -c --quiet --status - 2>/dev/null; }

# Downloads from Debian's experimental suite, from the first of the system's Debian mirrors that has the file. A mirror may be
# weeks old: the file's checksum is compared, so the age of its list does not matter.
fetch_from_debian() { # FILE
  local uri file=actor-framework_$caf_version.orig.tar.gz
  mkdir -p "$scratch/lists/partial" "$scratch/cache/archives/partial" "$scratch/source"
  chmod -R a+rX "$scratch"
  cat > "$scratch/apt.conf" <<CONF
Dir::State::lists "$scratch/lists";
Dir::Cache "$scratch/cache";
Dir::Etc::sourcelist "$scratch/sources.list";
Dir::Etc::sourceparts "-";
APT::Sandbox::User "";
Acquire::Check-Valid-Until "false";
CONF
  for uri in $(debian_uris); do
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri experimental main" > "$scratch/sources.list"
    if apt_in "$scratch" update -o APT::Update::Error-Mode=any \
      && apt_in "$scratch" source --download-only --tar-only "actor-framework" && [ -f "$scratch/source/$file" ]; then
      mv "$scratch/source/$file" "$1"
      return 0
    fi
    say "no source of CAF $caf_version from $uri"
  done
  return 1
}

fetch_from() { # ADDRESS FILE
  curl -fsSL --proto '=https' --retry 2 --connect-timeout 20 --max-time 300 --output "$2" "$1" >&2
}

# Fetches CAF's source into the cache.
fetch_caf_source() {
  local place got
  tarball=$cache/actor-framework_$caf_version.orig.tar.gz
  if is_caf_source "$tarball"; then return; fi
  scratch=$(mktemp -d)
  got=$scratch/caf.tar.gz
  for place in "Debian's experimental suite" "$caf_upstream" "$caf_snapshot"; do
    rm -f "$got"
    case "$place" in
      https:*) fetch_from "$place" "$got" || { say "no source of CAF $caf_version from $place"; continue; } ;;
      *) fetch_from_debian "$got" || continue ;;
    esac
    if is_caf_source "$got"; then
      mkdir -p "$cache"
      mv "$got" "$tarball"
      rm -rf "$scratch"
      scratch=''
      say "CAF $caf_version: source taken from $place"
      return
    fi
    say "the file from $place has another checksum and is ignored"
  done
  fail "CAF's source could not be fetched from any place; check the network, or put its file into the cache as $tarball"
}

# Prints the prefix of an installed CAF of the tested release.
installed_caf() {
  local config prefix
  for prefix in /usr/local /usr; do
    for config in "$prefix"/lib*/cmake/CAF/CAFConfigVersion.cmake "$prefix"/lib/*/cmake/CAF/CAFConfigVersion.cmake; do
      if [ -f "$config" ] && grep -q "PACKAGE_VERSION \"$caf_version\"" "$config"; then
        echo "$prefix"
        return
      fi
    done
  done
}

# build_caf PREFIX [cmake option...]: builds CAF once per prefix; the marker file, which has the number of our changes, is
# written last. The libraries are static, so that a binary needs no library of a user's cache, and position independent, as all
# code that is linked with them.
build_caf() {
  local prefix=$1
  shift
  if [ -f "$prefix/.complete-2" ]; then return; fi
  fetch_caf_source
  say "building CAF $caf_version into $prefix (about a minute on two cores)"
  scratch=$(mktemp -d)
  tar -xzf "$tarball" -C "$scratch" --strip-components=1
  # Sources are compiled 24 at a time; two of them have a constant of the same name.
  sed -i 's/max_value/max_written/g' "$scratch/libcaf_core/src/binary_serializer.cpp"
  # A broker that has ended must close its mailbox: a message that it sends to itself later would never be freed.
  sed -i 's/return local_actor::cleanup/return scheduled_actor::cleanup/' "$scratch/libcaf_io/src/io/abstract_broker.cpp"
  cmake -S "$scratch" -B "$scratch/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$prefix" \
    -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DBUILD_SHARED_LIBS=OFF \
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCAF_ENABLE_TESTING=OFF -DCAF_ENABLE_EXAMPLES=OFF \
    -DCAF_ENABLE_TOOLS=OFF -DCAF_ENABLE_OPENSSL_MODULE=OFF -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=24 \
    "$@" > "$scratch/build.log" 2>&1 \
    && cmake --build "$scratch/build" >> "$scratch/build.log" 2>&1 \
    && cmake --install "$scratch/build" >> "$scratch/build.log" 2>&1 \
    || { tail -n 30 "$scratch/build.log" >&2; fail "CAF could not be built (see above)"; }
  touch "$prefix/.complete-2"
  rm -rf "$scratch"
  scratch=''
}

if [ "$source_only" = yes ]; then
  fetch_caf_source
  echo "$tarball"
  exit 0
fi
install_packages "${build_packages[@]}"
[ "$want_tests" = no ] || install_packages "${test_packages[@]}"

if [ "$want_tsan" = yes ]; then
  caf=$cache/caf-$caf_version-static-tsan
  build_caf "$caf" -DCAF_SANITIZERS=thread
elif [ -n "${CAF_ROOT:-}" ]; then
  caf=$CAF_ROOT
elif caf=$(installed_caf) && [ -n "$caf" ]; then
  say "using CAF $caf_version of $caf"
else
  caf=$cache/caf-$caf_version-static
  build_caf "$caf"
fi
echo "$caf"
