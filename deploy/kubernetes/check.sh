#!/usr/bin/env bash
# Checks the manifests of this folder against the schemas of Kubernetes, without a cluster: it takes node and npm, which fetches the
# schemas (the packages kubernetes-models and js-yaml) into a temporary folder.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
command -v npm >/dev/null || { echo "npm is needed, it is not there: install Node.js" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-fund --no-audit kubernetes-models@4 js-yaml@4 >&2
cat >check.cjs <<'JS'
const fs = require('fs');
const yaml = require('js-yaml');
let failures = 0;
for (const file of process.argv.slice(2)) {
  for (const manifest of yaml.loadAll(fs.readFileSync(file, 'utf8'))) {
    const name = `${file.replace(/.*\//, '')}: ${manifest.kind} ${manifest.metadata.name}`;
    try {
      const Model = require(`kubernetes-models/${manifest.apiVersion}/${manifest.kind}`)[manifest.kind];
      new Model(manifest).validate();
      console.log(`${name}: valid`);
    } catch (e) {
      failures++;
      console.log(`${name}: ${e.message}`);
    }
  }
}
process.exit(failures === 0 ? 0 : 1);
JS
node check.cjs "$here"/*.yaml
