-- Erasure-codes values and rows, loses some, and has them back. Run by io.paritas.examples.SqlScript, or by
-- spark-sql -f; the procedures at the end want --conf spark.plugins=io.paritas.spark.ParitasPlugin.

-- A small table.
CREATE TEMPORARY VIEW documents AS
SELECT id, encode(concat('document ', id, repeat('.', id)), 'UTF-8') AS data FROM range(12);

-- Each document as six units. Any four of them have all of it.
CREATE TEMPORARY VIEW encoded AS
SELECT id, length(data) AS length, ec_encode(data, 'rs-4-2') AS units FROM documents;

-- Two units of each are lost, not the same ones of each.
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

-- How many stripes, documents in them, and parity units there are.
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

-- The table, kept on the executors with parity, so that one of them may be lost. Says how many partitions and stripes it
-- has, the bytes of rows and parity, what is missing and how many more executors may be lost.
CALL paritas.persist(source => 'documents', code => 'rs-2-1', name => 'kept');

SELECT count(*) AS documents, sum(length(data)) AS bytes FROM kept;

-- The same again, after some time.
CALL paritas.health(name => 'kept');

CALL paritas.unpersist(name => 'kept');
