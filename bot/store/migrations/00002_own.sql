-- +goose Up
-- What has to outlive every process and every change of settings, made at the
-- first use: the key of the hidden markers.
CREATE TABLE secrets (
    name  TEXT  NOT NULL PRIMARY KEY,
    value BYTEA NOT NULL
);

-- The commits that fettle made, written down before a branch points to them.
-- Any other head of a branch is somebody's, whatever its message says.
CREATE TABLE commits (
    installation BIGINT NOT NULL,
    repo         TEXT   NOT NULL,
    sha          TEXT   NOT NULL,
    run          TEXT   NOT NULL REFERENCES runs (id),
    made_at      BIGINT NOT NULL,
    PRIMARY KEY (installation, repo, sha)
);

-- +goose Down
DROP TABLE commits;
DROP TABLE secrets;
