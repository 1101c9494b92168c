#!/bin/sh
# Runs once, when the database is made, after 10-reader.sql: the reader's password is the secret.
set -eu
psql -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -d "$POSTGRES_DB" -v password="$(cat /run/secrets/reader_password)" <<'SQL'
ALTER ROLE flowmon_reader PASSWORD :'password';
SQL
