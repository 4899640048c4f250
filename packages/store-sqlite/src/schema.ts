/**
 * The tables of version 1. Names and values of users are JSON strings, because SQLite libraries cut
 * text at NUL characters.
 */
export const schema = `
CREATE TABLE IF NOT EXISTS tenon_session (
  id TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  principal TEXT,
  opening TEXT NOT NULL,
  facts TEXT NOT NULL,
  node TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS tenon_session_principal ON tenon_session (principal, created_at);
CREATE INDEX IF NOT EXISTS tenon_session_expiry ON tenon_session (expires_at);

CREATE TABLE IF NOT EXISTS tenon_event_session (
  session TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  used_at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS tenon_event_session_use ON tenon_event_session (used_at);
CREATE TABLE IF NOT EXISTS tenon_event (
  session TEXT NOT NULL,
  stream TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  at INTEGER NOT NULL,
  data TEXT NOT NULL,
  PRIMARY KEY (session, sequence)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS tenon_event_stream ON tenon_event (session, stream, sequence);
CREATE INDEX IF NOT EXISTS tenon_event_age ON tenon_event (at);

CREATE TABLE IF NOT EXISTS tenon_lease (
  key TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  fence INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS tenon_lease_expiry ON tenon_lease (expires_at);

CREATE TABLE IF NOT EXISTS tenon_auth (
  key TEXT PRIMARY KEY,
  value TEXT,
  generation INTEGER NOT NULL,
  expires_at REAL
);
CREATE INDEX IF NOT EXISTS tenon_auth_expiry ON tenon_auth (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE IF NOT EXISTS tenon_replay (key TEXT PRIMARY KEY, until INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS tenon_replay_until ON tenon_replay (until);

CREATE TABLE IF NOT EXISTS tenon_rate (key TEXT PRIMARY KEY, full_at REAL NOT NULL);
CREATE INDEX IF NOT EXISTS tenon_rate_full ON tenon_rate (full_at);

CREATE TABLE IF NOT EXISTS tenon_task_counter (id INTEGER PRIMARY KEY, value INTEGER NOT NULL);
INSERT INTO tenon_task_counter VALUES (1, 0) ON CONFLICT DO NOTHING;
CREATE TABLE IF NOT EXISTS tenon_task (
  id TEXT PRIMARY KEY,
  revision INTEGER NOT NULL,
  change INTEGER NOT NULL,
  principal TEXT NOT NULL,
  name TEXT NOT NULL,
  is_final INTEGER NOT NULL,
  record TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  claim_at INTEGER,
  attempt INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  worker TEXT,
  lease_until INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS tenon_task_principal ON tenon_task (principal, created_at, id);
CREATE UNIQUE INDEX IF NOT EXISTS tenon_task_change ON tenon_task (change);
CREATE INDEX IF NOT EXISTS tenon_task_claim ON tenon_task (claim_at) WHERE claim_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS tenon_task_expiry ON tenon_task (expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE IF NOT EXISTS tenon_task_journal (
  task TEXT NOT NULL,
  position INTEGER NOT NULL,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (task, position),
  UNIQUE (task, kind, key)
) WITHOUT ROWID;
`;
