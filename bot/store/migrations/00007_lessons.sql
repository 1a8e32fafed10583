-- +goose Up
-- What a repository taught: fixes that people merged, what they corrected, what
-- they said in reviews, and the attempts behind them.
CREATE TABLE lessons (
    installation BIGINT NOT NULL,
    repo         TEXT   NOT NULL,
    id           TEXT   NOT NULL,
    kind         TEXT   NOT NULL,
    body         TEXT   NOT NULL,
    PRIMARY KEY (installation, repo, id)
);

-- All lessons of a repository as they stood, compressed; the last ones are kept.
CREATE TABLE lesson_versions (
    installation BIGINT NOT NULL,
    repo         TEXT   NOT NULL,
    number       BIGINT NOT NULL,
    made_at      BIGINT NOT NULL,
    why          TEXT   NOT NULL,
    lessons      BIGINT NOT NULL,
    body         TEXT   NOT NULL,
    PRIMARY KEY (installation, repo, number)
);

-- +goose Down
DROP TABLE lesson_versions;
DROP TABLE lessons;
