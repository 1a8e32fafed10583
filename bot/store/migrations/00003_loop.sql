-- +goose Up
-- What came to a run from outside, in order: what it can be replayed from.
CREATE TABLE effects (
    run  TEXT   NOT NULL REFERENCES runs (id),
    seq  BIGINT NOT NULL,
    body TEXT   NOT NULL,
    PRIMARY KEY (run, seq)
);

-- What humans said at a run's gates, in order.
CREATE TABLE answers (
    run  TEXT   NOT NULL REFERENCES runs (id),
    seq  BIGINT NOT NULL,
    body TEXT   NOT NULL,
    PRIMARY KEY (run, seq)
);

-- What a parked run waits for, as JSON; empty when it waits for a time only.
ALTER TABLE runs ADD COLUMN waiting TEXT NOT NULL DEFAULT '';

-- When a call was bought last: caps count by day and month.
ALTER TABLE reservations ADD COLUMN made_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX reservations_made ON reservations (made_at);

-- What came of the tiers of finished runs: the history that chooses the first
-- tier. Keyed by installation, like everything that is learned.
CREATE TABLE observations (
    installation BIGINT NOT NULL,
    run          TEXT   NOT NULL REFERENCES runs (id),
    seq          BIGINT NOT NULL,
    made_at      BIGINT NOT NULL,
    body         TEXT   NOT NULL,
    PRIMARY KEY (run, seq)
);
CREATE INDEX observations_made ON observations (installation, made_at);

-- +goose Down
DROP TABLE observations;
DROP INDEX reservations_made;
ALTER TABLE reservations DROP COLUMN made_at;
ALTER TABLE runs DROP COLUMN waiting;
DROP TABLE answers;
DROP TABLE effects;
