-- Classifies a folder of images, coded and plainly. ${model} has its parity models beside it; ${images} is a folder, or a
-- pattern of file names. Run by io.paritas.examples.SqlScript, or by spark-sql -d model=... -d images=... -f.

-- How a file becomes the input of the model: an image, with values from 0 to 1.
SET spark.paritas.input.type = image;
SET spark.paritas.input.scale = 0.003921569;

CREATE TEMPORARY VIEW images USING binaryFile OPTIONS (path '${images}', recursiveFileLookup 'true');

-- Predicts once, and keeps the answers for the queries below.
CACHE TABLE answers AS
SELECT path, answer.outcome, array_position(answer.prediction, array_max(answer.prediction)) - 1 AS label
FROM (SELECT path, coded_predict('${model}', content) AS answer FROM images);

-- What became of the rows.
SELECT outcome, count(*) AS images FROM answers GROUP BY outcome ORDER BY outcome;

-- What is on the images.
SELECT label, count(*) AS images FROM answers GROUP BY label ORDER BY label;

-- How many images get the same label without coding.
SELECT count_if(answers.label = array_position(plain.answer.prediction, array_max(plain.answer.prediction)) - 1) AS same,
       count(*) AS images
FROM answers JOIN (SELECT path, predict('${model}', content) AS answer FROM images) AS plain USING (path);
