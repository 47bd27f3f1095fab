/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark.jobs;

import static org.apache.spark.sql.functions.col;

import io.paritas.inference.spark.Predict;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;

/**
 * Classifies a folder of images twice, plainly and coded, writes the labels as Parquet, and compares them.
 *
 * <pre>
 * spark-submit --jars "$(bin/paritas spark-jars)" \
 *     --conf spark.plugins=io.paritas.spark.ParitasPlugin \
 *     --conf spark.paritas.input.scale=0.003921569 \
 *     --class io.paritas.cli.spark.jobs.ClassifyFolder examples/target/paritas-examples-0.1.0-SNAPSHOT.jar \
 *     model.onnx images/ labels/ --straggler 60
 * </pre>
 *
 * <p>Arguments: the model, with {@code parity.json} or {@code learned.json} beside it or named by {@code spark.paritas.coded.parity}; the folders of the images
 * and of the labels, on any file system of Spark; and optionally {@code --straggler SECONDS}, for a task that sleeps in both jobs,
 * or {@code --kill}, for an executor that is killed in both. Settings define how images become inputs, such as the scale above for a
 * model of values from 0 to 1 (docs/configuration.md).
 */
public final class ClassifyFolder {
    private ClassifyFolder() {}

    public static void main(String[] arguments) throws IOException {
        if (arguments.length < 3) {
            throw new IllegalArgumentException("the arguments are MODEL IMAGES LABELS " + Fault.OPTIONS);
        }
        String model = arguments[0];
        String out = arguments[2];
        Fault fault = Fault.parse(List.of(arguments).subList(3, arguments.length));
        try (SparkSession spark = SparkSession.builder().getOrCreate()) {
            System.out.println(arguments[1] + ", " + fault);
            Dataset<Row> images = spark.read()
                    .format("binaryFile")
                    .option("recursiveFileLookup", "true")
                    .load(arguments[1]);
            Predict predict = Predict.plain(model, col("content"));
            Predict codedPredict = Predict.coded(model, col("content"));
            warmUp(images, predict);
            warmUp(images, codedPredict);
            Dataset<Row> plain = classify("plain", images, predict, fault, out);
            Dataset<Row> coded = classify("coded", images, codedPredict, fault, out);
            compare(plain, coded);
        }
    }

    /** Warms up, so that no measured time includes what executors do only once. */
    private static void warmUp(Dataset<Row> images, Predict predict) {
        Labels.of(images.sample(0.05), predict)
                .write()
                .format("noop")
                .mode(SaveMode.Overwrite)
                .save();
    }

    private static Dataset<Row> classify(String name, Dataset<Row> images, Predict predict, Fault fault, String out) {
        long start = System.nanoTime();
        String path = out + "/" + name;
        fault.in(Labels.of(images, predict)).write().mode(SaveMode.Overwrite).parquet(path);
        double seconds = (System.nanoTime() - start) / 1e9;
        Dataset<Row> labels = images.sparkSession().read().parquet(path);
        System.out.println(Labels.tell(name, labels, seconds));
        return labels;
    }

    private static void compare(Dataset<Row> plain, Dataset<Row> coded) {
        Dataset<Row> both = plain.as("p").join(coded.as("c"), "path");
        if (both.count() != plain.count() || both.count() != coded.count()) {
            throw new IllegalStateException("both jobs must give one row for each image, they do not");
        }
        Dataset<Row> reconstructed = both.where("c.outcome = 'reconstructed'");
        System.out.printf(Locale.ROOT, "same label: %d of %d%n", same(both), both.count());
        System.out.printf(
                Locale.ROOT, "same label, reconstructed: %d of %d%n", same(reconstructed), reconstructed.count());
    }

    private static long same(Dataset<Row> both) {
        return both.where("p.label = c.label").count();
    }
}
