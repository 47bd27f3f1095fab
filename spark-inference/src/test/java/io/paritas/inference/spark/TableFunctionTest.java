/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import static io.paritas.inference.spark.LocalSession.ROWS;
import static io.paritas.inference.spark.LocalSession.check;
import static io.paritas.inference.spark.LocalSession.predictions;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The functions over tables, which have the names of those over columns. */
class TableFunctionTest {
    @RegisterExtension
    static final LocalSession LOCAL = new LocalSession();

    @Test
    void hasTheColumnsOfTheTableAndOfTheAnswer() {
        Dataset<Row> query = LOCAL.sql("SELECT * FROM coded_predict(TABLE(t), $model, 'x', map('onError', 'column'))");
        assertThat(query.columns()).containsExactly("id", "x", "prediction", "outcome", "error");
        check(query.select("id", "prediction").collectAsList(), ROWS);
        assertThat(predictions(query.select("id", "prediction"))).hasSize(1);
    }

    @Test
    void overAQuery() {
        check(
                LOCAL.sql("SELECT id, prediction FROM predict(TABLE(SELECT id, x[0] AS a, x[1] AS b, x[2] AS `c.d`"
                                + " FROM t WHERE id < 10), $model, 'a', 'b', 'c.d')")
                        .collectAsList(),
                10);
        check(
                LOCAL.sql("SELECT a.id, a.prediction FROM coded_predict(TABLE(t), $model, 'x') a"
                                + " JOIN t ON a.id = t.id WHERE a.outcome = 'predicted'")
                        .collectAsList(),
                ROWS);
    }

    @Test
    void takesVariables() {
        LOCAL.sql("DECLARE OR REPLACE VARIABLE model_path STRING DEFAULT $model");
        LOCAL.sql("DECLARE OR REPLACE VARIABLE on_error STRING DEFAULT 'null'");
        LOCAL.sql("DECLARE OR REPLACE VARIABLE options MAP<STRING, STRING> DEFAULT map('onError', 'null')");
        for (String given : List.of("map('onError', on_error)", "options")) {
            String call = "SELECT id, prediction FROM predict(TABLE(t), model_path, 'x', " + given + ")";
            check(LOCAL.sql(call).collectAsList(), ROWS);
            LOCAL.sql("CREATE OR REPLACE TEMP VIEW of_variables AS " + call);
            check(LOCAL.sql("SELECT * FROM of_variables").collectAsList(), ROWS);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        coded_predict($model, 'x') | the first argument of the table function coded_predict must be a table: coded_predict(TABLE(t), 'model.onnx', 'column')
        coded_predict(TABLE(t)) | coded_predict takes the path of a model, then its input: a column or several, then a map of options if there are any; got nothing
        coded_predict(TABLE(t), $model, 'x', map('onError', 'ignore')) | spark.paritas.engine.onError (option onError) must be one of fail, null, column, got 'ignore'
        coded_predict(TABLE(t), $model, 'y') | `y` cannot be resolved
        predict(TABLE(t) PARTITION BY (id) ORDER BY (x[0]), $model, 'x') | predict must have its table without PARTITION BY, WITH SINGLE PARTITION and ORDER BY, because it answers each row for itself: leave them out, and sort the result
        predict(TABLE(t) PARTITION BY (id), $model, 'x') | predict must have its table without PARTITION BY
        predict(TABLE(t) WITH SINGLE PARTITION, $model, 'x') | predict must have its table without PARTITION BY
        """)
    void refuses(String call, String message) {
        assertThatThrownBy(() -> LOCAL.sql("SELECT * FROM " + call))
                .isInstanceOf(AnalysisException.class)
                .hasMessageContaining(message);
    }
}
