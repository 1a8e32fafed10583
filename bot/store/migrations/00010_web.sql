-- +goose Up
-- What lists of runs show and filter by, narrow enough for an index that holds all
-- of it: a run's other columns are large. Migration 11 fills it for older runs.
ALTER TABLE runs ADD COLUMN title TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN actor TEXT NOT NULL DEFAULT '';
DROP INDEX runs_created;
CREATE INDEX runs_list ON runs (created_at, id, installation, repo, issue, state, outcome, tier, cost, budget_usd, attempts, started_at, ended_at, not_before, private, title, actor);

-- The same for deliveries.
DROP INDEX deliveries_received;
CREATE INDEX deliveries_list ON deliveries (received_at, id, installation, event, state, tries, finished_at);

-- Who may look at the pages and use the API: tokens (kind 'token') and what was made of
-- one at a sign-in (kind 'session'), by the hash of what the visitor keeps. ends_at 0: never.
CREATE TABLE logins (
    hash    TEXT   NOT NULL PRIMARY KEY,
    kind    TEXT   NOT NULL,
    name    TEXT   NOT NULL,
    body    TEXT   NOT NULL,
    made_at BIGINT NOT NULL,
    ends_at BIGINT NOT NULL
);

-- +goose Down
DROP TABLE logins;
DROP INDEX deliveries_list;
CREATE INDEX deliveries_received ON deliveries (received_at);
DROP INDEX runs_list;
CREATE INDEX runs_created ON runs (created_at);
ALTER TABLE runs DROP COLUMN actor;
ALTER TABLE runs DROP COLUMN title;
