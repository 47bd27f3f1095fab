-- Erasure-codes values and rows, loses some, and has them back. Run by io.paritas.examples.spark.jobs.SqlScript, or by
-- spark-sql -f; the procedures at the end want --conf spark.plugins=io.paritas.spark.ec.ParitasPlugin.

-- A small table.
CREATE TEMPORARY VIEW documents AS
SELECT id, encode(concat('document ', id, repeat('.', id)), 'UTF-8') AS data FROM range(12);

-- Each document as six units. Any four of them have all of it.
CREATE TEMPORARY VIEW encoded AS
SELECT id, length(data) AS length, ec_encode(data, 'rs-4-2') AS units FROM documents;

-- Two units of each are lost: the first and the fourth, or others.
CREATE TEMPORARY VIEW damaged AS
SELECT id, length, transform(units, (unit, i) -> IF((i + id) % 3 = 0, NULL, unit)) AS units FROM encoded;

-- The documents, of the units that are left.
SELECT id, decode(ec_decode(units, 'rs-4-2', length), 'UTF-8') AS document FROM damaged ORDER BY id LIMIT 3;

-- The lost units, made again: all are as they were.
SELECT count_if(ec_repair(damaged.units, 'rs-4-2') = encoded.units) AS repaired, count(*) AS documents
FROM damaged JOIN encoded USING (id);

-- Parity for rows: two units for each four documents, which stay as they are. Computed once, and kept.
CACHE TABLE stripes AS
SELECT explode(ec_stripe(id, data, 'rs-4-2')) AS stripe FROM documents;

-- How large they are.
SELECT count(*) AS stripes, sum(size(stripe.ids)) AS documents, sum(size(stripe.parity)) AS parity FROM stripes;

-- Two documents are lost.
CREATE TEMPORARY VIEW remaining AS
SELECT * FROM documents WHERE id NOT IN (3, 8);

-- All documents, the lost ones reconstructed.
CREATE TEMPORARY VIEW recovered AS
SELECT inline(ec_unstripe(stripe, rows, 'rs-4-2')) FROM (
  SELECT any_value(stripe) AS stripe, collect_list(struct(id, data)) AS rows
  FROM (SELECT stripe, explode(stripe.ids) AS id FROM stripes) LEFT JOIN remaining USING (id)
  GROUP BY stripe.ids);

SELECT id, decode(data, 'UTF-8') AS document FROM recovered WHERE id IN (3, 8) ORDER BY id;

-- Rows that survive executors: what a query gives is kept on them, with parity, under a name.
CALL paritas.persist(source => 'SELECT length(data) AS length FROM recovered', code => 'rs-2-1', name => 'lengths');

SELECT count(*) AS documents, sum(length) AS bytes FROM lengths;

-- What is kept, and what is missing of it.
CALL paritas.health(name => 'lengths');

CALL paritas.unpersist(name => 'lengths');
