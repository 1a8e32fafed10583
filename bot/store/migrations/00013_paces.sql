-- +goose Up
-- What was sent to GitHub for an installation in the last hour, by all processes: GitHub
-- counts them together.
CREATE TABLE paces (
    installation BIGINT NOT NULL PRIMARY KEY,
    sent         TEXT   NOT NULL
);

-- +goose Down
DROP TABLE paces;
