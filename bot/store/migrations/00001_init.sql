-- One text for SQLite and Postgres. Times are UTC microseconds of the
-- program's clock (0 = not yet), money is billionths of a dollar, flags are 0/1.

-- +goose Up
CREATE TABLE deliveries (
    id           TEXT   NOT NULL PRIMARY KEY,
    event        TEXT   NOT NULL,
    payload      BYTEA  NOT NULL,
    installation BIGINT NOT NULL,
    received_at  BIGINT NOT NULL,
    state        TEXT   NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'working', 'done', 'failed')),
    note         TEXT   NOT NULL DEFAULT '',
    tries        BIGINT NOT NULL DEFAULT 0,
    token        BIGINT NOT NULL DEFAULT 0,
    wake_at      BIGINT NOT NULL DEFAULT 0,
    beat_at      BIGINT NOT NULL DEFAULT 0,
    finished_at  BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX deliveries_received ON deliveries (received_at);
CREATE INDEX deliveries_open ON deliveries (state) WHERE state IN ('queued', 'working');

-- Whose turn it is: served counts over all claims, born over all repositories.
-- Neither is a time, so a clock that jumps changes nobody's turn.
CREATE TABLE repos (
    installation BIGINT NOT NULL,
    repo         TEXT   NOT NULL,
    served       BIGINT NOT NULL DEFAULT 0,
    arrivals     BIGINT NOT NULL DEFAULT 0,
    born         BIGINT NOT NULL,
    PRIMARY KEY (installation, repo)
);
CREATE INDEX repos_born ON repos (born);
CREATE INDEX repos_served ON repos (served, born);

CREATE TABLE runs (
    id            TEXT   NOT NULL PRIMARY KEY,
    installation  BIGINT NOT NULL,
    repo          TEXT   NOT NULL,
    issue         BIGINT NOT NULL,
    generation    BIGINT NOT NULL,
    private       BIGINT NOT NULL DEFAULT 0,
    position      BIGINT NOT NULL,
    task          TEXT   NOT NULL,
    budget        TEXT   NOT NULL,
    budget_usd    BIGINT NOT NULL,
    state         TEXT   NOT NULL CHECK (state IN ('queued', 'running', 'parked', 'done')),
    outcome       TEXT   NOT NULL DEFAULT '',
    reason        TEXT   NOT NULL DEFAULT '',
    cost          BIGINT NOT NULL DEFAULT 0,
    attempts      BIGINT NOT NULL DEFAULT 0,
    tier          TEXT   NOT NULL DEFAULT '',
    token         BIGINT NOT NULL DEFAULT 0,
    owner         TEXT   NOT NULL DEFAULT '',
    served        BIGINT NOT NULL DEFAULT 0,
    crashes       BIGINT NOT NULL DEFAULT 0,
    beat_at       BIGINT NOT NULL DEFAULT 0,
    created_at    BIGINT NOT NULL,
    started_at    BIGINT NOT NULL DEFAULT 0,
    ended_at      BIGINT NOT NULL DEFAULT 0,
    not_before    BIGINT NOT NULL DEFAULT 0,
    cancel_asked  BIGINT NOT NULL DEFAULT 0,
    cancel_reason TEXT   NOT NULL DEFAULT '',
    follow        TEXT   NOT NULL DEFAULT '',
    saved         TEXT   NOT NULL DEFAULT '',
    result        TEXT   NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX runs_one_live ON runs (installation, repo, issue) WHERE state <> 'done' AND issue > 0;
CREATE UNIQUE INDEX runs_generation ON runs (installation, repo, issue, generation) WHERE issue > 0;
CREATE INDEX runs_queue ON runs (installation, repo, position) WHERE state = 'queued' AND private = 0;
CREATE INDEX runs_live ON runs (state, beat_at) WHERE state <> 'done';
CREATE INDEX runs_created ON runs (created_at);

-- Which run a delivery asked for, so that a delivery handled twice asks once.
CREATE TABLE run_asks (
    delivery TEXT   NOT NULL,
    repo     TEXT   NOT NULL,
    issue    BIGINT NOT NULL,
    run      TEXT   NOT NULL REFERENCES runs (id),
    joined   BIGINT NOT NULL,
    PRIMARY KEY (delivery, repo, issue)
);

CREATE TABLE messages (
    run  TEXT   NOT NULL REFERENCES runs (id),
    seq  BIGINT NOT NULL,
    body TEXT   NOT NULL,
    PRIMARY KEY (run, seq)
);

CREATE TABLE decisions (
    run  TEXT   NOT NULL REFERENCES runs (id),
    seq  BIGINT NOT NULL,
    body TEXT   NOT NULL,
    PRIMARY KEY (run, seq)
);

-- lost is what calls in flight at a crash are charged, on top of the last call.
CREATE TABLE reservations (
    run     TEXT   NOT NULL REFERENCES runs (id),
    id      TEXT   NOT NULL,
    tier    TEXT   NOT NULL,
    worst   BIGINT NOT NULL,
    actual  BIGINT NOT NULL DEFAULT 0,
    lost    BIGINT NOT NULL DEFAULT 0,
    settled BIGINT NOT NULL DEFAULT 0,
    bought  BIGINT NOT NULL CHECK (bought BETWEEN 1 AND 2),
    reply   TEXT   NOT NULL DEFAULT '',
    PRIMARY KEY (run, id)
);

-- An outward action: the row is the intent, done = 1 with its result.
CREATE TABLE actions (
    run     TEXT   NOT NULL REFERENCES runs (id),
    key     TEXT   NOT NULL,
    token   BIGINT NOT NULL,
    done    BIGINT NOT NULL DEFAULT 0,
    result  TEXT   NOT NULL DEFAULT '',
    meant_at BIGINT NOT NULL,
    done_at  BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (run, key)
);

-- +goose Down
DROP TABLE actions;
DROP TABLE reservations;
DROP TABLE decisions;
DROP TABLE messages;
DROP TABLE run_asks;
DROP TABLE runs;
DROP TABLE repos;
DROP TABLE deliveries;
