/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.ModelFile;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Models that want more memory than there is. */
class ShortOfMemoryTest {
    private static final int LARGEST = 6;

    @RegisterExtension
    static final LocalSession LOCAL = new LocalSession();

    @TempDir
    private Path folder;

    private String greedy(float limit) {
        Path path = folder.resolve("model.onnx");
        ModelFile model = LocalSession.MODEL.greedy(limit);
        model.write(path);
        LocalSession.MODEL.parityOf(model, 2, 1).write(folder);
        return path.toString();
    }

    private static List<Row> answers(String function, String model, String onError) {
        return LOCAL.sql("SELECT id, answer.* FROM (SELECT id, " + function + "('" + model
                        + "', x, map('batchRows', '4', 'onError', '" + onError + "')) AS answer FROM t)")
                .collectAsList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"predict", "coded_predict"})
    void failTheQueryAndSayWhatToDo(String function) {
        String model = greedy(LARGEST - 1);
        assertThatThrownBy(() -> answers(function, model, "fail"))
                .hasStackTraceContaining("the model " + model + " failed: onnxruntime cannot predict 4 rows of ")
                .hasStackTraceContaining("predict fewer at once (on Spark, with the option batchRows)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"predict", "coded_predict"})
    void leaveTheirRowsWithoutAPredictionIfThatIsWanted(String function) {
        List<Row> rows = answers(function, greedy(LARGEST - 1), "column");
        assertThat(rows)
                .hasSize(LocalSession.ROWS)
                .extracting(row -> row.getString(2))
                .contains("predicted");
        for (Row row : rows) {
            if (row.getString(2).equals("predicted")) {
                assertThat(row.<Float>getList(1)).isEqualTo(LocalSession.expected(row.getLong(0)));
            } else {
                assertThat(row.getString(3)).contains("predict fewer at once (on Spark, with the option batchRows)");
            }
        }
    }

    @Test
    void areRefusedIfTheyWantItForAnyRow() {
        String model = greedy(-1);
        assertThatThrownBy(() -> answers("predict", model, "fail"))
                .isInstanceOf(AnalysisException.class)
                .hasMessageContaining("the engine cannot allocate memory for this batch");
    }
}
