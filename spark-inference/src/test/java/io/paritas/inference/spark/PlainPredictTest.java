/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import static io.paritas.inference.spark.LocalSession.ROWS;
import static io.paritas.inference.spark.LocalSession.check;
import static io.paritas.inference.spark.LocalSession.metric;
import static io.paritas.inference.spark.LocalSession.predictions;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.spark.settings.CodedSettings;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Predictions that are not coded, not wholly, or with fewer parity models. */
class PlainPredictTest {
    @RegisterExtension
    static final LocalSession LOCAL = new LocalSession();

    private static final String QUERY = "SELECT id, coded_predict($model, x, map('batchRows', '8')).prediction FROM t";

    private static void checkUncoded(Dataset<Row> query) {
        check(query.collectAsList(), ROWS);
        assertThat(predictions(query)).hasSize(1);
        assertThat(predictions(query).get(0).nodeName()).isEqualTo("Predict");
        assertThat(query.rdd().toDebugString()).doesNotContain("ShuffledRowRDD");
        assertThat(metric(query, "numOutputRows")).isEqualTo(ROWS);
    }

    @Test
    void predict() {
        checkUncoded(LOCAL.sql("SELECT id, predict($model, x, map('batchRows', '7')).prediction FROM t"));
    }

    /** A program that sets no option may write it. */
    @Test
    void anEmptyMapIsNoOptions() {
        checkUncoded(LOCAL.sql("SELECT id, predict($model, x, map()).prediction FROM t"));
    }

    @Test
    void switchedOff() {
        LOCAL.spark().conf().set(CodedSettings.ENABLED.key(), "false");
        Dataset<Row> query = LOCAL.sql(QUERY);
        checkUncoded(query);
        assertThat(predictions(query).get(0).toString()).contains("not coded: spark.paritas.coded.enabled is false");
    }

    @Test
    void coded() {
        Dataset<Row> query = LOCAL.sql(QUERY);
        check(query.collectAsList(), ROWS);
        assertThat(predictions(query).get(0).toString()).contains("model.onnx, k=2, r=1, [x#");
        assertThat(query.rdd().toDebugString()).contains("ShuffledRowRDD");
    }

    @Test
    void noStripeIsCoded() {
        Dataset<Row> query = LOCAL.sql("SELECT id, coded_predict($model, x, map('share', '0')).prediction FROM t");
        check(query.collectAsList(), ROWS);
        assertThat(metric(query, "segmentsComputed")).isEqualTo(6);
        assertThat(metric(query, "parityComputed")).isZero();
    }

    @Test
    void fewerParityModels() {
        String parity = LOCAL.folder().resolve("two").toString();
        LocalSession.MODEL.parity(2, 2, Map.of()).write(LOCAL.folder().resolve("two"));
        for (int r : List.of(0, 1, 2)) {
            Dataset<Row> query = LOCAL.sql("SELECT id, coded_predict($model, x, map('parity', '" + parity + "', 'r', '"
                    + r + "')).prediction FROM t");
            check(query.collectAsList(), ROWS);
            int used = r == 0 ? 2 : r;
            assertThat(predictions(query).get(0).toString()).contains("k=2, r=" + used);
            assertThat(metric(query, "segmentsComputed")).isEqualTo(2 * (2 + used));
        }
    }

    /** Spark has no resource profiles in local mode, and says so. */
    @Test
    void coresOfATask() {
        assertThatThrownBy(() -> LOCAL.sql("SELECT predict($model, x, map('taskCpus', '2')) FROM t")
                        .collectAsList())
                .hasStackTraceContaining("TaskResourceProfiles are only supported for");
    }
}
