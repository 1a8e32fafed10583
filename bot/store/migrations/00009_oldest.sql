-- +goose Up
-- The oldest schema whose fettle can still work on these tables. A migration that takes
-- away or changes what an older fettle uses raises it; one that only adds does not, so
-- that old and new processes work side by side while they are replaced one by one.
CREATE TABLE oldest (
    schema BIGINT NOT NULL
);
INSERT INTO oldest (schema) VALUES (0);

-- +goose Down
DROP TABLE oldest;
