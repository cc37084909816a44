-- An event may be forgotten more than once: undoing one forgetting leaves the others. A name is a key of 20 bytes, or an
-- event id of 12 that has not come yet.
CREATE TABLE gone(key BLOB NOT NULL, by INTEGER NOT NULL, PRIMARY KEY(key, by)) WITHOUT ROWID, STRICT;
INSERT INTO gone SELECT key, by FROM tombstone;
DROP TABLE tombstone;
ALTER TABLE gone RENAME TO tombstone;
CREATE INDEX tombstone_by ON tombstone(by);

CREATE TABLE lost(event INTEGER NOT NULL, by INTEGER NOT NULL, PRIMARY KEY(event, by)) WITHOUT ROWID, STRICT;
INSERT INTO lost SELECT event, by FROM forgotten;
DROP TABLE forgotten;
ALTER TABLE lost RENAME TO forgotten;
CREATE INDEX forgotten_by ON forgotten(by);

-- What is forgotten whatever comes of it later: a session, a project, a contributor, a time.
CREATE TABLE forgotten_scope(
  by INTEGER PRIMARY KEY,
  client INTEGER,
  session TEXT,
  repo TEXT,
  actor TEXT,
  from_ms INTEGER,
  to_ms INTEGER
) STRICT;
CREATE INDEX forgotten_scope_session ON forgotten_scope(session);

-- Each tombstone record, under the name by which its forgetting can be undone.
CREATE TABLE forgetting(
  by INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  purge INTEGER NOT NULL,
  events INTEGER NOT NULL,
  undone INTEGER,
  erased INTEGER
) STRICT;
CREATE INDEX forgetting_name ON forgetting(name);
INSERT INTO forgetting(by, name, purge, events)
  SELECT by, 'f-' || by, 0, count(*) FROM forgotten GROUP BY by;

-- What a memory or an archive is made of: with its last source it is gone.
CREATE TABLE cites(made INTEGER NOT NULL, source INTEGER NOT NULL, PRIMARY KEY(made, source)) WITHOUT ROWID, STRICT;
CREATE INDEX cites_source ON cites(source);
CREATE TABLE cites_session(
  made INTEGER NOT NULL,
  client INTEGER NOT NULL,
  session TEXT NOT NULL,
  PRIMARY KEY(made, session, client)
) WITHOUT ROWID, STRICT;
CREATE INDEX cites_session_name ON cites_session(session);
