-- Classifies a folder of images with a cascade: ${small} answers what it is sure of, ${large} the rest. ${small} is the folder
-- that bin/paritas eval --cascade writes for ${large}; ${images} is a folder, or a pattern of file names. Run by
-- io.paritas.examples.SqlScript, or by spark-sql -d small=... -d large=... -d images=... -f.

-- How a file becomes the input of both models: an image, with values from 0 to 1.
SET spark.paritas.input.type = image;
SET spark.paritas.input.scale = 0.003921569;

CREATE TEMPORARY VIEW cascaded_images USING binaryFile OPTIONS (path '${images}', recursiveFileLookup 'true');

-- The threshold, and the share and the accuracy that the calibration found.
EXPLAIN SELECT cascade_predict('${small}', '${large}', content) FROM cascaded_images;

CACHE TABLE cascaded AS
SELECT path, array_position(answer.prediction, array_max(answer.prediction)) - 1 AS label
FROM (SELECT path, cascade_predict('${small}', '${large}', content) AS answer FROM cascaded_images);

-- How many images get the label of the large model.
SELECT count_if(cascaded.label = array_position(alone.answer.prediction, array_max(alone.answer.prediction)) - 1) AS same,
       count(*) AS images
FROM cascaded JOIN (SELECT path, predict('${large}', content) AS answer FROM cascaded_images) AS alone USING (path);
