#!/usr/bin/env bash
# Installs a real VS Code server for the Node.js on PATH (20): that of code-server, from npm alone.
# usage: install-code-server.sh FOLDER VERSION
set -euo pipefail
readonly FOLDER=$(realpath -m "${1:?folder}") VERSION=${2:?version}
readonly PARTIAL=$FOLDER.partial

install() {
  npm install --ignore-scripts --omit=dev --no-audit --no-fund --silent "$@"
}

# What is compiled here needs the headers of Node.js: its own when they are there, else node-gyp fetches them.
prefix=$(node --print 'path.resolve(process.execPath, "../..")')
if [[ -e $prefix/include/node/node.h ]]; then export npm_config_nodedir=$prefix; fi

rm -rf "$PARTIAL"
mkdir -p "$PARTIAL"
cd "$PARTIAL"
npm init --yes >/dev/null
install "code-server@$VERSION"
# Its install script would ask GitHub for prebuilt files: the compiler makes them here.
npm rebuild argon2 --build-from-source

cd node_modules/code-server/lib/vscode
install
mapfile -t natives < <(cd node_modules && ls -d -- */binding.gyp @*/*/binding.gyp 2>/dev/null | sed 's,/binding.gyp,,' | grep -v '^kerberos$')
# Kerberos is left out: it needs headers of its own, and is loaded only for a proxy that wants it.
npm rebuild "${natives[@]}"
# ripgrep comes from GitHub as well: Debian's takes its place.
mkdir -p node_modules/@vscode/ripgrep/bin
ln -sf "$(command -v rg)" node_modules/@vscode/ripgrep/bin/rg
ln -sfn node_modules node_modules.asar
(cd bin/remote-cli && ln -sf code-linux.sh code-server)
(cd bin/helpers && ln -sf browser-linux.sh browser.sh)
(cd extensions && install)

# Whole or absent: a folder that is there is complete.
rm -rf "$FOLDER"
mv "$PARTIAL" "$FOLDER"
