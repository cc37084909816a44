-- Events of one moment lie in the order of their places, so that a page of them is a range and needs no sorting.
DROP INDEX by_time;
DROP INDEX by_origin;
DROP INDEX by_shape;
CREATE INDEX by_time ON record(ts_ms, seq, origin, shape, flags) WHERE event IS NULL;
CREATE INDEX by_origin ON record(origin, ts_ms, seq, shape, flags) WHERE event IS NULL;
CREATE INDEX by_shape ON record(shape, ts_ms, seq, origin, flags) WHERE event IS NULL;
