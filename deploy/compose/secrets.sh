#!/usr/bin/env bash
# Makes the secrets of compose.yaml that do not exist yet, in the folder secrets beside it.
set -euo pipefail
cd "$(dirname "$0")"
mkdir -p secrets
chmod 700 secrets # the files are for users of the containers, who reach them by mounts
cd secrets

random() { openssl rand -hex 24; }

for name in postgres_password reader_password grafana_password collector_token server_token admin_token; do
  [[ -e $name ]] || random >"$name"
done
[[ -e server_tokens ]] || printf 'read prometheus %s\nadmin admin %s\n' "$(<server_token)" "$(<admin_token)" >server_tokens
if [[ ! -e server_key ]]; then
  openssl req -x509 -newkey rsa:3072 -nodes -days 825 -subj /CN=flowmon \
    -addext subjectAltName=DNS:server,DNS:localhost,IP:127.0.0.1 -keyout server_key.part -out server_cert 2>/dev/null
  mv server_key.part server_key
fi
chmod 644 -- *
echo "the secrets are in $PWD; the console's token is admin_token, Grafana's password grafana_password"
