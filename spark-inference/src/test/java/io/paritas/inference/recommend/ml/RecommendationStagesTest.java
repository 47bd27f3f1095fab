/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.ml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.paritas.inference.recommend.LocalSpark;
import io.paritas.inference.recommend.data.GeneratedClicks;
import io.paritas.inference.recommend.data.Tables;
import io.paritas.inference.recommend.model.DlrmShape;
import io.paritas.inference.recommend.model.InitialNetwork;
import io.paritas.inference.recommend.model.InitialRows;
import io.paritas.inference.recommend.model.Interaction;
import io.paritas.inference.recommend.model.TrainedModel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.ml.Pipeline;
import org.apache.spark.ml.PipelineStage;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.util.LongAccumulator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Training is tested on a cluster, too. */
class RecommendationStagesTest {
    private static final SparkSession SPARK = LocalSpark.session();
    private static final Tables TABLES = Tables.of(30);
    private static final DlrmShape SHAPE =
            new DlrmShape(2, List.of(4), TABLES, 4, Interaction.CONCATENATION, List.of(4));

    @TempDir
    Path folder;

    private static Dataset<Row> samples() {
        return new GeneratedClicks(TABLES, 2, 2, 1, 1).samples(SPARK, 0, 20, 2);
    }

    private String path(String name) {
        return folder.resolve(name).toUri().toString();
    }

    private RecommendationEstimator estimator() {
        return new RecommendationEstimator("clicks").setOutput(path("model")).setTables(30);
    }

    private RecommendationModel trained(String name) throws IOException {
        List<Row> rows = LongStream.range(0, 30)
                .mapToObj(id -> {
                    float[] row = new float[4];
                    InitialRows.of(SHAPE, 1).fill(id, row, 0);
                    return RowFactory.create(id, row);
                })
                .toList();
        new TrainedModel(SHAPE, InitialNetwork.of(SHAPE, 1), SPARK.createDataset(rows, Encoders.row(TrainedModel.ROWS)))
                .write(path(name));
        return new RecommendationModel("clicks").setFolder(path(name));
    }

    @Test
    void aSavedModelPredictsTheSame() throws IOException {
        RecommendationModel model = trained("trained");
        Dataset<Row> predicted = model.transform(samples());
        assertThat(predicted.schema()).isEqualTo(model.transformSchema(samples().schema()));
        model.write().save(path("saved"));
        RecommendationModel loaded = RecommendationModel.load(path("saved"));
        assertThat(loaded.uid()).isEqualTo("clicks");
        assertThat(loaded.getOrDefault(loaded.folder())).endsWith("/saved/model");
        assertThat(loaded.transform(samples()).select("probability").collectAsList())
                .isEqualTo(predicted.select("probability").collectAsList())
                .hasSize(20);
    }

    /** Spark deletes what is there before a stage is written. */
    @Test
    void aSavedModelIsNotOverwrittenByItself() throws IOException {
        trained("trained").write().save(path("saved"));
        RecommendationModel loaded = RecommendationModel.load(path("saved"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> loaded.write().overwrite().save(path("saved")))
                .withMessage("a stage must not be saved where its model is, which would be deleted first, got "
                        + path("saved") + ": save it to another folder");
        assertThat(loaded.transform(samples()).count()).isEqualTo(20);
        loaded.write().overwrite().save(path("save"));
        assertThat(RecommendationModel.load(path("save")).transform(samples()).count())
                .isEqualTo(20);
    }

    /** Not after the training, whose model would be lost. */
    @Test
    void aFolderThatIsInUseIsRefusedBeforeTheTraining() throws IOException {
        trained("model");
        assertThatExceptionOfType(UncheckedIOException.class)
                .isThrownBy(() -> estimator().fit(samples()))
                .withMessage("cannot write the model to " + path("model")
                        + ": the folder of a model must be new or empty, got " + path("model")
                        + ": delete its files, or name another");
    }

    /** Not after the samples have been read. */
    @Test
    void whatATrainingNeedsIsMissedBeforeSamplesAreRead() {
        Dataset<Row> unread = samples().withColumn("label", functions.expr("float(raise_error('read'))"));
        String setting = "spark.paritas.ecrm.slotsTimeout";
        SPARK.sparkContext().conf().set(setting, "1ms");
        try {
            assertThatIllegalStateException()
                    .isThrownBy(() -> estimator().fit(unread))
                    .withMessageStartingWith(
                            "training with 3 servers, 1 spares and 1 workers must have 5 slots, got 4");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> estimator()
                            .setCheckpoints(path("checkpoints"))
                            .setResume(true)
                            .fit(unread))
                    .withMessageStartingWith("folder must have a complete checkpoint, got file:")
                    .withMessageContaining("/checkpoints: start without one");
            assertThatExceptionOfType(UncheckedIOException.class)
                    .isThrownBy(() -> estimator()
                            .setServers(2)
                            .setK(1)
                            .setCheckpoints("/dev/null/below")
                            .fit(unread))
                    .withMessageStartingWith("cannot use the folder of checkpoints: checkpoints must be written into");
        } finally {
            SPARK.sparkContext().conf().remove(setting);
        }
    }

    @Test
    void theEstimatorIsAStageOfAPipeline() throws IOException {
        Pipeline pipeline =
                new Pipeline().setStages(new PipelineStage[] {estimator().setEpochs(3)});
        pipeline.write().save(path("pipeline"));
        RecommendationEstimator loaded =
                (RecommendationEstimator) Pipeline.load(path("pipeline")).getStages()[0];
        assertThat(loaded.getOrDefault(loaded.epochs())).isEqualTo(3);
        assertThat(loaded.transformSchema(samples().schema()).fieldNames())
                .containsExactly("label", "dense", "categorical", "logit", "probability");
    }

    @Test
    void paramsThatAreMissingOrWrongAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RecommendationEstimator().fit(samples()))
                .withMessage("output must be set: new folder for the model, of any Hadoop file system");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> estimator().setInteraction("sum").fit(samples()))
                .withMessage("interaction must be concatenation or dot, got 'sum'");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> estimator().setWorkers(0).fit(samples()))
                .withMessage("workers must be at least 1, got 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> estimator().setHeldOut(-0.1).fit(samples()))
                .withMessage("heldOut must be at least 0 and below 1, got -0.1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> estimator().setHeldOut(Double.NaN).fit(samples()))
                .withMessage("heldOut must be at least 0 and below 1, got NaN");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> estimator().setVocabulary(-1).fit(samples()))
                .withMessage("vocabulary must be at least 0, got -1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> estimator().setPatience(-1).fit(samples()))
                .withMessage("patience must be at least 0, got -1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RecommendationModel().transform(samples()))
                .withMessage("folder must be set: folder of the trained model");
    }

    @Test
    void theBottomNetworkFollowsTheDimension() {
        RecommendationEstimator dot = estimator().setInteraction("dot").setDimension(32);
        assertThat(dot.transformSchema(samples().schema()).fieldNames()).contains("probability");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> dot.setBottom(64, 16).transformSchema(samples().schema()))
                .withMessageContaining("16");
    }

    private static Dataset<Row> unreadable() {
        return SPARK.range(9).selectExpr("assert_true(id < 0) IS NULL AS clicked", "1.5 AS price", "'a' AS shop");
    }

    private RecommendationEstimator ofTable() {
        return estimator()
                .setLabelColumn("clicked")
                .setDenseColumns("price")
                .setCategoricalColumns("shop")
                .setVocabulary(5);
    }

    /** Reading it takes long, and a vocabulary reads it once more. */
    @Test
    void paramsThatDoNotFitAreRefusedBeforeTheTableIsRead() {
        Dataset<Row> unreadable = unreadable();
        RecommendationEstimator table = ofTable();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> table.copy(ParamMap.empty()).setK(3).fit(unreadable))
                .withMessage(
                        "k must be at least 1 and r at least 0, with k + r servers at least, got k = 3, r = 1 and 3"
                                + " servers: use more servers or a smaller k");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> table.copy(ParamMap.empty()).setPatience(2).fit(unreadable))
                .withMessage("patience needs samples to evaluate the model with, got patience 2 and heldOut 0.0: set"
                        + " heldOut, or no patience");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> table.copy(ParamMap.empty())
                        .setCheckpoints(path("checkpoints"))
                        .setCheckpointSeconds(0)
                        .fit(unreadable))
                .withMessage("checkpointSeconds must be at least 1, got 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        table.copy(ParamMap.empty()).setLabelColumn("click").fit(unreadable))
                .withMessage("the table must have the column 'click', it has clicked, price, shop: name its columns"
                        + " (label, dense, categorical)");
    }

    @Test
    void settingsThatDoNotFitAreRefusedBeforeTheTableIsRead() {
        assertRefused(
                "spark.paritas.ecrm.retry",
                "soon",
                "spark.paritas.ecrm.retry must be a duration of at least 1ms with a unit from us to d, such as 200ms,"
                        + " 5s or 1min, got 'soon'");
        assertRefused(
                "spark.speculation",
                "true",
                "spark.speculation must be false, got true: two tasks must not train on a partition at once");
    }

    private void assertRefused(String key, String value, String message) {
        SPARK.sparkContext().conf().set(key, value);
        try {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> ofTable().fit(unreadable()))
                    .withMessage(message);
        } finally {
            SPARK.sparkContext().conf().remove(key);
        }
    }

    /** The folder was refused after the training, whose model was lost. */
    @Test
    void checkpointsInTheFolderOfTheModelAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> estimator()
                        .setCheckpoints(path("model") + "/checkpoints")
                        .fit(samples()))
                .withMessage(
                        "checkpoints must not be in the folder of the model, which is to be empty when it is written,"
                                + " got " + path("model") + "/checkpoints in " + path("model")
                                + ": name another folder for one of the two");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> estimator().setCheckpoints(path("model")).fit(samples()))
                .withMessageStartingWith("checkpoints must not be in the folder of the model");
    }

    /**
     * What an exchange makes comes in another order when an executor is lost and it is read again. Batches would be skipped, and others
     * trained on twice.
     */
    @Test
    void samplesAreReadOnce() {
        LongAccumulator read = SPARK.sparkContext().longAccumulator();
        MapFunction<Row, Row> counted = row -> {
            read.add(1);
            return row;
        };
        RecommendationModel model = estimator()
                .setDenseFeatures(2)
                .setDimension(4)
                .setServers(2)
                .setK(1)
                .setEpochs(3)
                .fit(samples().map(counted, Encoders.row(samples().schema())));
        assertThat(read.value()).isEqualTo(20);
        assertThat(model.transform(samples()).count()).isEqualTo(20);
    }

    /** A model that is trained with such a table could not predict it. */
    @ParameterizedTest
    @ValueSource(strings = {"dense", "Dense", "categorical"})
    void columnsOfSamplesAreRefusedInATableBeforeTheTraining(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ofTable().fit(unreadable().withColumn(name, functions.lit(1))))
                .withMessage("a table must not have the columns dense and categorical, which the encoding adds, got '"
                        + name + "': rename it");
    }

    @Test
    void paramsOfTablesNeedItsColumns() {
        String refusal = "labelColumn, scale and vocabulary are those of a table, whose denseColumns and"
                + " categoricalColumns must be set, got neither: set both, or leave the others out";
        for (RecommendationEstimator estimator : List.of(
                estimator().setScale("log"),
                estimator().setLabelColumn("bought"),
                estimator().setVocabulary(9))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> estimator.fit(samples()))
                    .withMessage(refusal);
        }
        estimator()
                .setScale("none")
                .setLabelColumn("label")
                .transformSchema(samples().schema());
    }

    /** As those that another classifier of the pipeline adds. The model would refuse them, after the training. */
    @Test
    void columnsOfPredictionsAreRefusedBeforeTheTraining() {
        Dataset<Row> classified = samples().withColumn("probability", functions.lit(0.5));
        String refusal = "a table must not have the columns [logit, probability] of predictions, got label, dense,"
                + " categorical, probability: rename or drop them";
        assertThatIllegalArgumentException()
                .isThrownBy(() -> estimator().fit(classified))
                .withMessage(refusal);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> estimator().fit(classified.withColumnRenamed("probability", "Probability")))
                .withMessage(refusal.replace("categorical, probability", "categorical, Probability"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Pipeline()
                        .setStages(new PipelineStage[] {estimator()})
                        .fit(classified))
                .withMessage(refusal);
    }
}
