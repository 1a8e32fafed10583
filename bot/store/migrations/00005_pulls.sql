-- +goose Up
-- The pull requests that fettle opened, with the last commit that it put on each
-- one's branch, and what became of them.
CREATE TABLE pulls (
    installation BIGINT NOT NULL,
    repo         TEXT   NOT NULL,
    number       BIGINT NOT NULL,
    issue        BIGINT NOT NULL,
    generation   BIGINT NOT NULL,
    run          TEXT   NOT NULL REFERENCES runs (id),
    url          TEXT   NOT NULL,
    branch       TEXT   NOT NULL,
    base         TEXT   NOT NULL,
    head         TEXT   NOT NULL,
    fate         TEXT   NOT NULL DEFAULT '',
    merge_commit TEXT   NOT NULL DEFAULT '',
    made_at      BIGINT NOT NULL,
    fate_at      BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (installation, repo, number)
);
CREATE INDEX pulls_issue ON pulls (installation, repo, issue);

-- +goose Down
DROP INDEX pulls_issue;
DROP TABLE pulls;
