-- +goose Up
-- What heal keeps of each workflow (a repository and a class of tasks), of a
-- repository's learned data, and, under 0, '' and 'global', of everything.
CREATE TABLE heal_scopes (
    installation BIGINT NOT NULL,
    repo         TEXT   NOT NULL,
    class        TEXT   NOT NULL,
    body         TEXT   NOT NULL,
    PRIMARY KEY (installation, repo, class)
);

-- Results that were taken in: the same one counts once.
CREATE TABLE heal_results (
    id           TEXT   NOT NULL PRIMARY KEY,
    installation BIGINT NOT NULL,
    repo         TEXT   NOT NULL,
    run          TEXT   NOT NULL,
    step         TEXT   NOT NULL,
    cause        TEXT   NOT NULL, -- the trigger; '' where the step went well
    words        TEXT   NOT NULL,
    at           BIGINT NOT NULL
);
CREATE INDEX heal_results_at ON heal_results (at);

-- Each change of a state, with the mini report; told says that whoever waits was told.
CREATE TABLE heal_moves (
    id           TEXT   NOT NULL PRIMARY KEY,
    installation BIGINT NOT NULL,
    repo         TEXT   NOT NULL,
    class        TEXT   NOT NULL,
    seq          BIGINT NOT NULL UNIQUE,
    at           BIGINT NOT NULL,
    told         BIGINT NOT NULL DEFAULT 0,
    body         TEXT   NOT NULL
);

-- +goose Down
DROP TABLE heal_moves;
DROP TABLE heal_results;
DROP TABLE heal_scopes;
