-- +goose Up
-- Who commanded when: nobody commands without end.
CREATE TABLE commands (
    installation BIGINT NOT NULL,
    login        TEXT   NOT NULL,
    delivery     TEXT   NOT NULL,
    made_at      BIGINT NOT NULL,
    PRIMARY KEY (installation, login, delivery)
);

-- Whose data has to be deleted, until it is; repo is '' for all of an installation.
CREATE TABLE removals (
    installation BIGINT NOT NULL,
    repo         TEXT   NOT NULL,
    asked_at     BIGINT NOT NULL,
    PRIMARY KEY (installation, repo)
);

-- What deleted runs cost: the caps go on counting it. The installation is 0
-- once the App is uninstalled.
CREATE TABLE spent (
    installation BIGINT NOT NULL,
    made_at      BIGINT NOT NULL,
    cost         BIGINT NOT NULL
);

-- When something that one process at a time does was done last.
CREATE TABLE turns (
    name TEXT   NOT NULL PRIMARY KEY,
    at   BIGINT NOT NULL
);

-- +goose Down
DROP TABLE turns;
DROP TABLE spent;
DROP TABLE removals;
DROP TABLE commands;
