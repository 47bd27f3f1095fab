/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark.jobs;

import static org.apache.spark.sql.functions.col;

import io.paritas.inference.spark.Predict;
import java.util.List;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamReader;
import org.apache.spark.sql.streaming.Trigger;

/**
 * Classifies images as they arrive in a folder, coded, in micro-batches of at most 100 files, and writes the labels of each batch as
 * Parquet: {@code LABELS/batch=0} and so on.
 *
 * <pre>
 * spark-submit --jars "$(bin/paritas spark-jars)" \
 *     --conf spark.plugins=io.paritas.spark.ParitasPlugin \
 *     --conf spark.paritas.input.scale=0.003921569 \
 *     --class io.paritas.cli.spark.jobs.ClassifyStream examples/target/paritas-examples-0.1.0-SNAPSHOT.jar \
 *     model.onnx incoming/ labels/ --once --straggler 60
 * </pre>
 *
 * <p>Arguments as for {@link ClassifyFolder}; the fault is in the first micro-batch. With {@code --once} before it, the
 * program ends after the images that exist. A micro-batch that is repeated after a failure replaces its own labels.
 */
public final class ClassifyStream {
    private ClassifyStream() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length < 3) {
            throw new IllegalArgumentException("the arguments are MODEL IMAGES LABELS [--once] " + Fault.OPTIONS);
        }
        String out = arguments[2];
        Predict predict = Predict.coded(arguments[0], col("content"));
        List<String> options = List.of(arguments).subList(3, arguments.length);
        boolean once = !options.isEmpty() && options.get(0).equals("--once");
        Fault fault = Fault.parse(options.subList(once ? 1 : 0, options.size()));
        try (SparkSession spark = SparkSession.builder().getOrCreate()) {
            images(spark, arguments[1])
                    .load(arguments[1])
                    .writeStream()
                    .option("checkpointLocation", out + "/checkpoint")
                    .trigger(once ? Trigger.AvailableNow() : Trigger.ProcessingTime("1 second"))
                    .foreachBatch((VoidFunction2<Dataset<Row>, Long>)
                            (batch, id) -> classify(batch, id, predict, id == 0 ? fault : Fault.NONE, out))
                    .start()
                    .awaitTermination();
        }
    }

    private static DataStreamReader images(SparkSession spark, String folder) {
        return spark.readStream()
                .format("binaryFile")
                .schema(spark.read().format("binaryFile").load(folder).schema())
                .option("recursiveFileLookup", "true")
                .option("maxFilesPerTrigger", "100");
    }

    private static void classify(Dataset<Row> images, long id, Predict predict, Fault fault, String out) {
        long start = System.nanoTime();
        String path = out + "/batch=" + id;
        fault.in(Labels.of(images, predict)).write().mode(SaveMode.Overwrite).parquet(path);
        double seconds = (System.nanoTime() - start) / 1e9;
        Dataset<Row> labels = images.sparkSession().read().parquet(path);
        System.out.println(Labels.tell("batch " + id + " " + fault, labels, seconds));
    }
}
