-- One session may work in any number of directories, and a file may have any number of kinds: each is found at once.
DROP INDEX origin_session;
CREATE INDEX origin_session ON origin(session, repo, client, source);
CREATE INDEX shape_name ON shape(event_type, kind, item_type);
