/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import static io.paritas.inference.spark.LocalSession.MODEL;
import static io.paritas.inference.spark.LocalSession.ROWS;
import static io.paritas.inference.spark.LocalSession.check;
import static io.paritas.inference.spark.LocalSession.predictions;
import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.Logged;
import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.inference.spark.task.Attributes;
import io.paritas.spark.catalyst.UnaryCaseExec;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SparkPlan;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.collection.immutable.Seq;

/** What is logged about plans. */
class ExplainTest {
    @RegisterExtension
    static final LocalSession LOCAL = new LocalSession();

    private static final String QUERY = "SELECT id, coded_predict($model, x, map($options)).prediction FROM t";

    private Logged log;
    private List<String> logged;

    @BeforeEach
    void listen() {
        log = new Logged("io.paritas.inference.spark.plan.PredictionStrategy");
        logged = log.lines();
    }

    @AfterEach
    void stopListening() {
        log.close();
    }

    private void run(String explain, String options) {
        LOCAL.spark().conf().set(CodedSettings.EXPLAIN.key(), explain);
        check(LOCAL.sql(QUERY.replace("$options", options)).collectAsList(), ROWS);
    }

    private static String call() {
        return "Paritas: coded_predict('" + LOCAL.model() + "') ";
    }

    @Test
    void saysWhyAPlanIsNotCoded() {
        run("uncoded", "'minAccuracy', '0.95'");
        assertThat(logged)
                .containsExactly("WARN " + call() + "is not coded: the parity models reconstruct with an accuracy of"
                        + " 0.9, and spark.paritas.coded.minAccuracy is 0.95");
        logged.clear();
        LOCAL.spark().conf().set(CodedSettings.ENABLED.key(), "false");
        run("uncoded", "'minAccuracy', '0.9'");
        assertThat(logged).containsExactly("WARN " + call() + "is not coded: spark.paritas.coded.enabled is false");
    }

    /** Two segments of a stripe that are late together are reconstructed as well as two lost predictions were. */
    @Test
    void theLeastAccuracyIsThatOfEveryLoss() {
        Path two = LOCAL.folder().resolve("two");
        MODEL.wrongParity(2, 2, Map.of("degraded.1-lost", 0.9, "degraded.2-lost", 0.6))
                .write(two);
        run("uncoded", "'minAccuracy', '0.8', 'parity', '" + two + "'");
        assertThat(logged)
                .containsExactly("WARN " + call() + "is not coded: the parity models reconstruct 2 predictions that are"
                        + " lost together with an accuracy of 0.6, and spark.paritas.coded.minAccuracy is 0.8");
        logged.clear();
        run("all", "'minAccuracy', '0.8', 'r', '1', 'parity', '" + two + "'");
        assertThat(logged).containsExactly("INFO " + call() + "is coded: any 2 of 3 tasks of a stripe suffice");
    }

    @Test
    void saysNothingOfCodedPlansUnlessAsked() {
        run("uncoded", "'minAccuracy', '0.9'");
        run("none", "'minAccuracy', '0.95'");
        assertThat(logged).isEmpty();
        run("all", "'minAccuracy', '0.9'");
        assertThat(logged).containsExactly("INFO " + call() + "is coded: any 2 of 3 tasks of a stripe suffice");
    }

    @Test
    void aPlanSaysThatRowsWereCopiedFromAGpu() {
        SparkPlan predict =
                predictions(LOCAL.sql("SELECT predict($model, x) FROM t")).get(0);
        String copied = "RAPIDS copies its columns from the GPU to rows: predictions do not read them there";
        assertThat(predict.toString()).doesNotContain("RAPIDS");
        SparkPlan columns = new GpuColumnarToRowExec(predict.children().head());
        assertThat(predict.withNewChildren(Attributes.seq(List.of(columns))).toString())
                .contains(copied);
    }

    /** Named as the operator by which RAPIDS gives rows to an operator that runs on the CPU. */
    private static final class GpuColumnarToRowExec extends UnaryCaseExec {
        private static final long serialVersionUID = 1;

        GpuColumnarToRowExec(SparkPlan child) {
            super(child);
        }

        @Override
        public Seq<Attribute> output() {
            return child().output();
        }

        @Override
        public RDD<InternalRow> doExecute() {
            return child().execute();
        }

        @Override
        public SparkPlan withNewChildInternal(SparkPlan other) {
            return new GpuColumnarToRowExec(other);
        }

        @Override
        public Object[] caseFields() {
            return new Object[] {child()};
        }
    }

    @Test
    void anAccuracyThatNobodyMeasuredIsTooLow() {
        String parity = LOCAL.folder().resolve("unmeasured").toString();
        LocalSession.MODEL.parity(2, 1, java.util.Map.of()).write(LOCAL.folder().resolve("unmeasured"));
        run("uncoded", "'minAccuracy', '0.1', 'parity', '" + parity + "'");
        assertThat(logged).hasSize(1);
        assertThat(logged.get(0))
                .contains("is not coded: the accuracy with which the parity models reconstruct was not"
                        + " measured, and spark.paritas.coded.minAccuracy is 0.1");
    }

    /** As Spark's own operators, whose text is in the page and in the event log, too. */
    @ParameterizedTest
    @ValueSource(strings = {"predict", "coded_predict"})
    void aPlanNamesSomeOfManyColumns(String function) {
        Path wide = LOCAL.folder().resolve("wide");
        ExactModel model = ExactModel.of(400, 2, 1);
        model.write(wide);
        model.parity(2, 1, Map.of()).write(wide);
        List<String> names = IntStream.range(0, 400).mapToObj(i -> "column" + i).toList();
        String columns = String.join(", ", names);
        String rows = names.stream().map(name -> "id AS " + name).collect(Collectors.joining(", "));
        for (String inputs : List.of(columns, "array(" + columns + ")")) {
            Dataset<Row> query = LOCAL.spark()
                    .sql("SELECT " + function + "('" + wide.resolve("model.onnx") + "', " + inputs
                            + ") AS answer FROM (SELECT " + rows + " FROM range(3))");
            QueryExecution execution = ((org.apache.spark.sql.classic.Dataset<Row>) query).queryExecution();
            assertThat(execution.analyzed().toString()).contains("column1").doesNotContain("column300");
            assertThat(execution.executedPlan().toString()).contains("column1").doesNotContain("column300");
            String line =
                    predictions(query).get(0).toString().lines().findFirst().orElseThrow();
            assertThat(line).contains("column1").hasSizeLessThan(3_000);
        }
    }
}
