/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples;

import io.paritas.inference.recommend.data.GeneratedClicks;
import io.paritas.inference.recommend.data.Tables;
import io.paritas.inference.recommend.model.DlrmShape;
import io.paritas.inference.recommend.train.RecommendationTrainer;
import io.paritas.inference.recommend.train.Training;
import io.paritas.spark.ecrm.table.Redundancy;
import java.io.IOException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Trains a recommendation model whose embedding rows are in parameter servers, with a parity for every two rows: training goes on
 * when a server is lost. It takes three servers, a spare and a worker, so at least five task slots.
 *
 * <p>Argument: where the model goes, as Parquet and ONNX.
 */
public final class TrainRecommendationModel {
    private TrainRecommendationModel() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (arguments.length != 1) {
            throw new IllegalArgumentException("the argument is MODEL, such as hdfs:///models/clicks");
        }
        DlrmShape shape = DlrmShape.reference(Tables.of(10_000));
        GeneratedClicks clicks = GeneratedClicks.likeCriteo(shape.tables(), 1);
        try (SparkSession spark = SparkSession.builder().getOrCreate()) {
            Dataset<Row> samples = clicks.samples(spark, 0, 20_000, 1);
            Dataset<Row> test = clicks.samples(spark, 20_000, 22_000, 1);
            RecommendationTrainer trainer = RecommendationTrainer.of(shape)
                    .servers(3)
                    .redundancy(Redundancy.coded(2))
                    .evaluation(test, 1);
            try (Training training = trainer.train(samples)) {
                training.model().write(arguments[0]);
                System.out.println(training.metrics());
            }
        }
    }
}
