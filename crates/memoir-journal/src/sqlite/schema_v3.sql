-- A position of a session file is longer than what WITHOUT ROWID keeps in place: each took a page of its own.
CREATE TABLE place(stream TEXT PRIMARY KEY, sequence INTEGER NOT NULL, position TEXT NOT NULL) STRICT;
INSERT INTO place SELECT stream, sequence, position FROM cursor ORDER BY stream;
DROP TABLE cursor;
ALTER TABLE place RENAME TO cursor;
