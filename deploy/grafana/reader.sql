-- The role that Grafana reads reports with. Run it once, as a superuser, in the database of the reports:
--   psql -d flowmon -f reader.sql
-- Then give it a password (\password flowmon_reader). If the job's role is not "flowmon" or its schema is not
-- "public", change them below. Running it again does no harm.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'flowmon_reader') THEN
    CREATE ROLE flowmon_reader LOGIN;
  END IF;
END
$$;

ALTER ROLE flowmon_reader WITH LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT CONNECTION LIMIT 20;

-- A question that takes longer is stopped, so that no panel holds the database up.
ALTER ROLE flowmon_reader SET statement_timeout = '10s';
ALTER ROLE flowmon_reader SET idle_in_transaction_session_timeout = '60s';
ALTER ROLE flowmon_reader SET default_transaction_read_only = on;
-- Texts of panels fit any time zone: times are shown in that of the browser.
ALTER ROLE flowmon_reader SET timezone = 'UTC';

GRANT USAGE ON SCHEMA public TO flowmon_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO flowmon_reader;
-- Tables that the job makes later, when an analysis reports for the first time.
ALTER DEFAULT PRIVILEGES FOR ROLE flowmon IN SCHEMA public GRANT SELECT ON TABLES TO flowmon_reader;
