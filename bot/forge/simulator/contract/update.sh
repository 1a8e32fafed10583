#!/bin/sh
# Makes github.json.gz and github.graphql again from GitHub's description as npm carries it (MIT
# licence). Needs npm, tar and Go, and the network for npm.
set -eu
version=${1:-23.0.2}
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
(cd "$tmp" && npm pack --silent "@octokit/openapi@$version" >/dev/null && tar xzf octokit-openapi-*.tgz)
cd "$here"
(cd "$tmp" && npm pack --silent "@octokit/graphql-schema@${2:-15.26.1}" >/dev/null && mkdir graphql && tar xzf octokit-graphql-schema-*.tgz -C graphql)
go run ./cut -graphql -in "$tmp/graphql/package/schema.graphql" -list fields.txt -out github.graphql
go run ./cut -in "$tmp/package/generated/api.github.com.json" -list operations.txt -out github.json.gz
