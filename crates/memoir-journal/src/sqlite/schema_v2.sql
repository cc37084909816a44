-- Events by what they say, for captures that share no name. Several events of a session may say the same; `named` tells
-- by which kinds of names each is known: captures with names of one kind are the same thing only if those agree.
CREATE TABLE alike(key BLOB NOT NULL, event INTEGER NOT NULL, named INTEGER NOT NULL, PRIMARY KEY(key, event)) WITHOUT ROWID, STRICT;
