/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.ml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.paritas.inference.ModelException;
import io.paritas.inference.parity.Combinations;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.apache.spark.ml.Model;
import org.apache.spark.ml.Pipeline;
import org.apache.spark.ml.PipelineModel;
import org.apache.spark.ml.PipelineStage;
import org.apache.spark.ml.classification.LogisticRegression;
import org.apache.spark.ml.classification.LogisticRegressionModel;
import org.apache.spark.ml.classification.NaiveBayes;
import org.apache.spark.ml.clustering.KMeans;
import org.apache.spark.ml.feature.PCA;
import org.apache.spark.ml.feature.VectorAssembler;
import org.apache.spark.ml.linalg.DenseMatrix;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.regression.LinearRegression;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The wrapped models answer as Spark's own do, to float32. */
class CodedLinearModelTest {
    private static final Combinations CODE = new Combinations(3, 1);
    private static final Dataset<Row> ROWS = rows();

    @TempDir
    Path folder;

    @AfterAll
    static void stop() {
        LocalSpark.stop();
    }

    /** Three clouds of points, with the number of the cloud and a linear function of the point. */
    private static Dataset<Row> rows() {
        Random random = new Random(1);
        List<Row> rows = IntStream.range(0, 90)
                .mapToObj(i -> {
                    double[] point = random.doubles(4, -1, 1).toArray();
                    point[i % 3] += 3;
                    double target = 2 * point[0] - point[1] + 5 + random.nextDouble();
                    return RowFactory.create(Vectors.dense(point), i % 3 * 1.0, Math.min(i % 3, 1) * 1.0, target);
                })
                .toList();
        return LocalSpark.session()
                .createDataFrame(
                        rows,
                        new StructType()
                                .add("features", SQLDataTypes.VectorType())
                                .add("label", DataTypes.DoubleType)
                                .add("binary", DataTypes.DoubleType)
                                .add("target", DataTypes.DoubleType))
                .coalesce(1)
                .cache();
    }

    @Test
    void modelsOfOthersAreKept() throws Exception {
        Model<?> fitted = regression().fit(ROWS);
        Path own = Files.writeString(folder.resolve("model.onnx"), "mine");

        assertThatThrownBy(() -> CodedLinearModel.of(fitted, CODE, folder.toString()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("folder must have no model.onnx but that of a linear model, " + folder
                        + " has another one: choose another folder");
        assertThat(own).hasContent("mine");
        assertThat(folder).isDirectoryNotContaining("glob:**.json");

        String other = folder.resolve("linear").toString();
        CodedLinearModel.of(fitted, CODE, other);
        assertThat(CodedLinearModel.of(fitted, CODE, other).transform(ROWS).count())
                .as("its own are replaced")
                .isEqualTo(90);
    }

    private static LogisticRegression regression() {
        return new LogisticRegression().setMaxIter(3).setRegParam(0.1);
    }

    private CodedLinearModel coded(Model<?> fitted) {
        return CodedLinearModel.of(fitted, CODE, folder.resolve("linear").toString());
    }

    /** Compares the columns that the fitted model adds. */
    private void assertAnswersAs(Model<?> fitted) {
        CodedLinearModel coded = coded(fitted);
        List<Row> expected = fitted.transform(ROWS).collectAsList();
        Dataset<Row> transformed = coded.transform(ROWS);
        List<Row> answers = transformed.collectAsList();
        assertThat(transformed.schema()).isEqualTo(coded.transformSchema(ROWS.schema()));
        String[] added = Arrays.stream(expected.get(0).schema().fieldNames())
                .filter(column -> !Arrays.asList(ROWS.columns()).contains(column))
                .toArray(String[]::new);
        assertThat(transformed.columns()).contains(added).contains("answer");
        for (String column : added) {
            double[] right = values(expected, column);
            assertThat(right).isNotEmpty();
            assertThat(values(answers, column)).as(column).containsExactly(right, within(1e-4));
            StructField field = transformed.schema().apply(column);
            StructField own = expected.get(0).schema().apply(column);
            assertThat(field.dataType()).as(column).isEqualTo(own.dataType());
            assertThat(field.metadata()).as(column).isEqualTo(own.metadata());
        }
    }

    private static double[] values(Dataset<Row> rows, String column) {
        return values(rows.select(column).collectAsList(), column);
    }

    private static double[] values(List<Row> rows, String column) {
        return rows.stream()
                .<Object>map(row -> row.getAs(column))
                .flatMapToDouble(value -> value instanceof Vector vector
                        ? Arrays.stream(vector.toArray())
                        : DoubleStream.of(((Number) value).doubleValue()))
                .toArray();
    }

    @Test
    void answersAsLinearRegression() {
        assertAnswersAs(new LinearRegression().setLabelCol("target").fit(ROWS));
    }

    @Test
    void answersAsLogisticRegression() {
        assertAnswersAs(regression().setLabelCol("binary").fit(ROWS));
        assertAnswersAs(regression().fit(ROWS));
        assertAnswersAs(
                regression().setLabelCol("binary").setFamily("multinomial").fit(ROWS));
    }

    @Test
    void answersWithItsThresholds() {
        LogisticRegression binary = regression().setLabelCol("binary");
        double all = Arrays.stream(values(coded(binary.fit(ROWS)).transform(ROWS), "prediction"))
                .sum();
        Model<?> strict = binary.setThreshold(0.9).fit(ROWS);
        assertAnswersAs(strict);
        assertThat(Arrays.stream(values(strict.transform(ROWS), "prediction")).sum())
                .isLessThan(all);
        assertAnswersAs(regression()
                .setLabelCol("binary")
                .setThresholds(new double[] {0.2, 0.8})
                .fit(ROWS));
        assertAnswersAs(
                regression().setThresholds(new double[] {0.9, 0.05, 0.3}).fit(ROWS));
        assertAnswersAs(regression().setThresholds(new double[] {0.9, 0, 0.3}).fit(ROWS));
    }

    @Test
    void answersAsKMeans() {
        assertAnswersAs(new KMeans().setK(3).setSeed(1).fit(ROWS));
        assertAnswersAs(
                new KMeans().setK(3).setSeed(1).setDistanceMeasure("cosine").fit(ROWS));
    }

    @Test
    void answersAsPca() {
        assertAnswersAs(new PCA()
                .setK(2)
                .setInputCol("features")
                .setOutputCol("components")
                .fit(ROWS));
    }

    @Test
    void columnsThatAModelDoesNotAddAreNotAdded() {
        assertAnswersAs(regression()
                .setRawPredictionCol("")
                .setProbabilityCol("")
                .setLabelCol("binary")
                .fit(ROWS));
        assertAnswersAs(regression().setPredictionCol("").fit(ROWS));
    }

    @Test
    void whatIsNoNumberIsDecidedAsBySparkMl() {
        Vector point = Vectors.dense(0, Double.NaN, 0, 0);
        Dataset<Row> rows = LocalSpark.session()
                .createDataFrame(
                        List.of(RowFactory.create(point), RowFactory.create(Vectors.dense(4, 0, 0, 0))),
                        new StructType().add("features", SQLDataTypes.VectorType()));
        for (Model<?> fitted : List.of(
                regression().setLabelCol("binary").fit(ROWS), regression().fit(ROWS))) {
            assertThat(values(coded(fitted).transform(rows), "prediction"))
                    .containsExactly(values(fitted.transform(rows), "prediction"));
        }
    }

    @Test
    void extremeMarginsAreDecidedAsBySparkMl() {
        double[] values = {
            -1e6,
            -800,
            -740,
            -40,
            -1,
            -0.0,
            0,
            1e-30,
            1,
            36.5,
            40,
            800,
            1e6,
            Double.NaN,
            Double.POSITIVE_INFINITY,
            Double.NEGATIVE_INFINITY
        };
        Dataset<Row> rows = LocalSpark.session()
                .createDataFrame(
                        Arrays.stream(values)
                                .mapToObj(value -> RowFactory.create(Vectors.dense(value)))
                                .toList(),
                        new StructType().add("features", SQLDataTypes.VectorType()))
                .coalesce(1);
        List<LogisticRegressionModel> models = new ArrayList<>(List.of(ofOneFeature(1), ofOneFeature(1, 0, -1)));
        for (double threshold : new double[] {0, 0.3, 1}) {
            models.add((LogisticRegressionModel) ofOneFeature(1).setThreshold(threshold));
        }
        for (double[] thresholds : new double[][] {{0, 1}, {1, 0}, {1e-300, 1}}) {
            models.add((LogisticRegressionModel) ofOneFeature(1).setThresholds(thresholds));
        }
        for (LogisticRegressionModel model : models) {
            assertThat(values(coded(model).transform(rows), "prediction"))
                    .containsExactly(values(model.transform(rows), "prediction"));
        }
    }

    private static LogisticRegressionModel ofOneFeature(double... coefficients) {
        int rows = coefficients.length;
        return new LogisticRegressionModel(
                "extreme",
                new DenseMatrix(rows, 1, coefficients, true),
                Vectors.dense(new double[rows]),
                Math.max(2, rows),
                rows > 1);
    }

    /** It reads how many there are from the column. */
    @Test
    void aStageBehindItKnowsTheNumberOfProbabilities() {
        Dataset<Row> assembled = new VectorAssembler()
                .setHandleInvalid("keep")
                .setInputCols(new String[] {"probability", "target"})
                .setOutputCol("assembled")
                .transform(coded(regression().fit(ROWS)).transform(ROWS));
        assertThat(assembled.head().<Vector>getAs("assembled").size()).isEqualTo(4);
    }

    @Test
    void aStageThatCannotBeSavedReplacesNoOther() throws Exception {
        CodedLinearModel coded =
                coded(new LinearRegression().setLabelCol("target").fit(ROWS));
        String path = folder.resolve("stage").toString();
        coded.save(path);
        assertThatThrownBy(() -> coded.copy(ParamMap.empty())
                        .setModel(folder.resolve("none/model.onnx").toString())
                        .write()
                        .overwrite()
                        .save(path))
                .hasMessageContaining("cannot read the model " + folder.resolve("none/model.onnx"));
        assertThat(LocalSpark.values(CodedLinearModel.load(path))).isEqualTo(LocalSpark.values(coded));
    }

    @Test
    void worksInAPipelineThatIsSavedAndInSql() throws Exception {
        Model<?> fitted = regression().fit(ROWS);
        CodedLinearModel coded = coded(fitted).setOptions("minAccuracy=1");
        String path = folder.resolve("pipeline").toString();
        new Pipeline().setStages(new PipelineStage[] {coded}).fit(ROWS).write().save(path);
        Dataset<Row> answers = PipelineModel.load(path).transform(ROWS);
        assertThat(values(answers, "prediction")).containsExactly(values(fitted.transform(ROWS), "prediction"));
        assertThat(answers.queryExecution().executedPlan().toString()).contains("CodedPredict");

        ROWS.createOrReplaceTempView("points");
        Dataset<Row> sql = LocalSpark.session()
                .sql("SELECT array_position(m, array_max(m)) - 1 FROM (SELECT coded_predict('"
                        + folder.resolve("linear/model.onnx") + "', features).prediction AS m FROM points)");
        assertThat(values(sql, sql.columns()[0])).containsExactly(values(answers, "prediction"));
    }

    @Test
    void whatIsNotPredictedIsNull() {
        CodedLinearModel coded = coded(regression().fit(ROWS));
        Dataset<Row> rows = ROWS.selectExpr("IF(label = 1, null, features) AS features", "label");
        List<Row> answers = coded.setOnError("null")
                .transform(rows)
                .select("label", "prediction", "rawPrediction", "probability")
                .collectAsList();
        assertThat(answers).anyMatch(row -> row.getDouble(0) == 1);
        for (Row row : answers) {
            for (int column = 1; column <= 3; column++) {
                assertThat(row.isNullAt(column)).isEqualTo(row.getDouble(0) == 1);
            }
        }
    }

    @Test
    void aSavedStageBelongsToItsModelFiles() throws Exception {
        CodedLinearModel coded =
                coded(new LinearRegression().setLabelCol("target").fit(ROWS));
        String path = folder.resolve("stage").toString();
        coded.save(path);
        assertThat(LocalSpark.values(CodedLinearModel.load(path))).isEqualTo(LocalSpark.values(coded));
        Files.delete(folder.resolve("linear/parity-0.onnx"));
        assertThatThrownBy(() -> CodedLinearModel.load(path))
                .isInstanceOf(ModelException.class)
                .hasMessageContaining("must lie beside it as 'parity-0.onnx'");
    }

    @Test
    void isWrittenIntoAFolderOfTheDriver() {
        Model<?> fitted = new LinearRegression().setLabelCol("target").fit(ROWS);
        String address = folder.resolve("linear").toUri().toString();
        assertThat(values(CodedLinearModel.of(fitted, CODE, address).transform(ROWS), "prediction"))
                .hasSize(90);
        assertThat(folder.resolve("linear/model.onnx")).isRegularFile();
        assertThatThrownBy(() -> CodedLinearModel.of(fitted, CODE, "hdfs:///models/linear"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "folder must be a folder of the driver, got 'hdfs:///models/linear': choose one, and copy it"
                                + " there");
    }

    @Test
    void otherModelsAreRefused() {
        Model<?> bayes = new NaiveBayes().setModelType("gaussian").fit(ROWS);
        assertThatThrownBy(() -> coded(bayes))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "a model must be linear up to its last step: LinearRegressionModel, LogisticRegressionModel,"
                                + " KMeansModel or PCAModel; got NaiveBayesModel: train parity models for it, with"
                                + " ParityModelTrainer");
        assertThatThrownBy(() -> new CodedLinearModel("empty").transform(ROWS))
                .hasMessage("empty needs lastStep, and it is not set: what follows the linear part: value, logistic,"
                        + " softmax, largest, components");
    }
}
