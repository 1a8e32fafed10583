-- +goose Up
-- What came of work on contents that may come again, by a name of all that went into it.
CREATE TABLE results (
    installation BIGINT NOT NULL,
    repo         TEXT   NOT NULL,
    name         TEXT   NOT NULL,
    made_at      BIGINT NOT NULL,
    body         TEXT   NOT NULL,
    PRIMARY KEY (installation, repo, name)
);

-- +goose Down
DROP TABLE results;
