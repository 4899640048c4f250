-- Tables of @tenon/store-postgres, version 1. Names and values of users are JSON strings, because
-- PostgreSQL does not store NUL characters. All times are milliseconds since 1970.

CREATE TABLE tenon_session (
  id text COLLATE "C" PRIMARY KEY,
  version integer NOT NULL,
  principal text COLLATE "C",
  opening text NOT NULL,
  facts text NOT NULL,
  node text,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL
);
CREATE INDEX tenon_session_principal ON tenon_session (principal, created_at, id);
CREATE INDEX tenon_session_expiry ON tenon_session (expires_at);

CREATE TABLE tenon_event_session (
  session text COLLATE "C" PRIMARY KEY,
  sequence bigint NOT NULL,
  fence bigint NOT NULL,
  used_at bigint NOT NULL
);
CREATE INDEX tenon_event_session_use ON tenon_event_session (used_at);
CREATE TABLE tenon_event (
  session text COLLATE "C" NOT NULL,
  stream text COLLATE "C" NOT NULL,
  sequence bigint NOT NULL,
  at bigint NOT NULL,
  data text NOT NULL,
  PRIMARY KEY (session, sequence)
);
CREATE INDEX tenon_event_stream ON tenon_event (session, stream, sequence);
CREATE INDEX tenon_event_age ON tenon_event (at);

CREATE TABLE tenon_message (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  payload text NOT NULL,
  at bigint NOT NULL
);
CREATE INDEX tenon_message_age ON tenon_message (at);

CREATE TABLE tenon_lease (
  key text COLLATE "C" PRIMARY KEY,
  holder text NOT NULL,
  fence bigint NOT NULL,
  expires_at bigint NOT NULL
);
CREATE INDEX tenon_lease_expiry ON tenon_lease (expires_at);

CREATE TABLE tenon_auth (
  key text COLLATE "C" PRIMARY KEY,
  value text,
  generation bigint NOT NULL,
  expires_at double precision
);
CREATE INDEX tenon_auth_expiry ON tenon_auth (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE tenon_replay (key text COLLATE "C" PRIMARY KEY, until double precision NOT NULL);
CREATE INDEX tenon_replay_until ON tenon_replay (until);

CREATE TABLE tenon_rate (key text COLLATE "C" PRIMARY KEY, full_at double precision NOT NULL);
CREATE INDEX tenon_rate_full ON tenon_rate (full_at);

CREATE TABLE tenon_task (
  id text COLLATE "C" PRIMARY KEY,
  revision bigint NOT NULL,
  principal text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  is_final boolean NOT NULL,
  record text NOT NULL,
  created_at bigint NOT NULL,
  expires_at double precision,
  claim_at bigint,
  attempt integer NOT NULL,
  fence bigint NOT NULL,
  worker text,
  lease_until bigint NOT NULL
);
CREATE INDEX tenon_task_principal ON tenon_task (principal, created_at, id);
CREATE INDEX tenon_task_claim ON tenon_task (claim_at) WHERE claim_at IS NOT NULL;
CREATE INDEX tenon_task_expiry ON tenon_task (expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE tenon_task_journal (
  task text COLLATE "C" NOT NULL REFERENCES tenon_task (id) ON DELETE CASCADE,
  position bigint GENERATED ALWAYS AS IDENTITY,
  kind text NOT NULL,
  key text COLLATE "C" NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (task, position)
);
CREATE UNIQUE INDEX tenon_task_journal_key ON tenon_task_journal (task, kind, key);
