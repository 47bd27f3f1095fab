/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import static io.paritas.inference.spark.LocalSession.ROWS;
import static io.paritas.inference.spark.LocalSession.check;
import static org.assertj.core.api.Assertions.assertThat;

import java.text.MessageFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is logged about plans. */
class ExplainTest {
    @RegisterExtension
    static final LocalSession LOCAL = new LocalSession();

    private static final Logger LOG = Logger.getLogger("io.paritas.inference.spark.plan.PredictionStrategy");
    private static final String QUERY = "SELECT id, coded_predict($model, x, map($options)).prediction FROM t";

    private final List<String> logged = new CopyOnWriteArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord logRecord) {
            logged.add(logRecord.getLevel() + " "
                    + MessageFormat.format(logRecord.getMessage(), logRecord.getParameters()));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        LOG.addHandler(handler);
    }

    @AfterEach
    void stopListening() {
        LOG.removeHandler(handler);
    }

    private void run(String explain, String options) {
        LOCAL.spark().conf().set(SparkSetting.EXPLAIN.key(), explain);
        check(LOCAL.sql(QUERY.replace("$options", options)).collectAsList(), ROWS);
    }

    private static String call() {
        return "Paritas: coded_predict('" + LOCAL.model() + "') ";
    }

    @Test
    void saysWhyAPlanIsNotCoded() {
        run("uncoded", "'minAccuracy', '0.95'");
        assertThat(logged)
                .containsExactly("WARNING " + call() + "is not coded: the parity models reconstruct with an accuracy of"
                        + " 0.9, and spark.paritas.coded.minAccuracy is 0.95");
        logged.clear();
        LOCAL.spark().conf().set(SparkSetting.ENABLED.key(), "false");
        run("uncoded", "'minAccuracy', '0.9'");
        assertThat(logged).containsExactly("WARNING " + call() + "is not coded: spark.paritas.coded.enabled is false");
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
    void anAccuracyThatNobodyMeasuredIsTooLow() {
        String parity = LOCAL.folder().resolve("unmeasured").toString();
        LocalSession.MODEL.parity(2, 1, java.util.Map.of()).write(LOCAL.folder().resolve("unmeasured"));
        run("uncoded", "'minAccuracy', '0.1', 'parity', '" + parity + "'");
        assertThat(logged).hasSize(1);
        assertThat(logged.get(0))
                .contains("is not coded: the accuracy with which the parity models reconstruct was not"
                        + " measured, and spark.paritas.coded.minAccuracy is 0.1");
    }
}
