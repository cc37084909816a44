-- Events by what they say, for captures that share no name. Several events of a session may say the same; `named` tells
-- those that their client names, which only a capture without such a name can be taken for.
CREATE TABLE alike(key BLOB NOT NULL, event INTEGER NOT NULL, named INTEGER NOT NULL, PRIMARY KEY(key, event)) WITHOUT ROWID, STRICT;
