-- Facts about the journal itself: its secret, its name, and running totals.
CREATE TABLE fact(name TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- Where events come from. Rows are never changed but for the running totals at their end.
CREATE TABLE origin(
  no INTEGER PRIMARY KEY,
  source INTEGER NOT NULL,
  client INTEGER NOT NULL,
  session TEXT NOT NULL,
  thread TEXT,
  repo TEXT NOT NULL,
  actor TEXT,
  events INTEGER NOT NULL DEFAULT 0,
  open_events INTEGER NOT NULL DEFAULT 0,
  first_ms INTEGER,
  last_ms INTEGER,
  first_prompt INTEGER
) STRICT;
CREATE INDEX origin_session ON origin(session);
CREATE INDEX origin_thread ON origin(thread) WHERE thread IS NOT NULL AND thread <> session;
CREATE INDEX origin_repo ON origin(repo);
CREATE INDEX origin_actor ON origin(actor) WHERE actor IS NOT NULL;

-- What events are: a kind with the type names its envelope carries.
CREATE TABLE shape(
  no INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL,
  event_type TEXT NOT NULL,
  item_type TEXT
) STRICT;

-- The records, in the order of storage. `event` is NULL for the first record of an event, else that record's place.
CREATE TABLE record(
  seq INTEGER PRIMARY KEY,
  event INTEGER,
  class INTEGER NOT NULL,
  origin INTEGER NOT NULL,
  shape INTEGER NOT NULL,
  flags INTEGER NOT NULL,
  ts_ms INTEGER NOT NULL,
  lag_ms INTEGER NOT NULL,
  number INTEGER NOT NULL,
  keys BLOB NOT NULL,
  chain BLOB NOT NULL,
  body BLOB
) STRICT;
CREATE INDEX record_event ON record(event) WHERE event IS NOT NULL;
CREATE INDEX by_time ON record(ts_ms, origin, shape, flags) WHERE event IS NULL;
CREATE INDEX by_origin ON record(origin, ts_ms, shape, flags) WHERE event IS NULL;
CREATE INDEX by_shape ON record(shape, ts_ms, origin, flags) WHERE event IS NULL;

-- What makes two captures the same thing.
CREATE TABLE key(key BLOB PRIMARY KEY, event INTEGER NOT NULL) WITHOUT ROWID, STRICT;

-- Event ids, newest in a plain list, older ones in sorted runs cut into buckets.
CREATE TABLE id_tail(seq INTEGER PRIMARY KEY, prefix INTEGER NOT NULL) STRICT;
CREATE TABLE id_run(no INTEGER PRIMARY KEY, level INTEGER NOT NULL, first_seq INTEGER NOT NULL, bits INTEGER NOT NULL) STRICT;
CREATE TABLE id_bucket(no INTEGER PRIMARY KEY, entries BLOB NOT NULL) STRICT;

-- What tombstone, supersede and alias events say, for quick look-up. The events themselves are records.
CREATE TABLE tombstone(key BLOB PRIMARY KEY, by INTEGER NOT NULL) WITHOUT ROWID, STRICT;
CREATE TABLE forgotten(event INTEGER PRIMARY KEY, by INTEGER NOT NULL) STRICT;
CREATE TABLE superseded(event INTEGER PRIMARY KEY, by INTEGER NOT NULL) STRICT;
CREATE TABLE alias(repo TEXT PRIMARY KEY, to_repo TEXT NOT NULL, by INTEGER NOT NULL) WITHOUT ROWID, STRICT;

-- How far streams have been taken in, and who works on what.
CREATE TABLE cursor(stream TEXT PRIMARY KEY, sequence INTEGER NOT NULL, position TEXT NOT NULL) WITHOUT ROWID, STRICT;
CREATE TABLE lease(name TEXT PRIMARY KEY, owner TEXT NOT NULL, until_ms INTEGER NOT NULL, fence INTEGER NOT NULL) WITHOUT ROWID, STRICT;
