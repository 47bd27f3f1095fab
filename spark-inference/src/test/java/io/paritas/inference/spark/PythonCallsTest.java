/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute;
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser$;
import org.junit.jupiter.api.Test;
import scala.jdk.javaapi.CollectionConverters;

/** Spark reads the calls that the Python package writes, which {@code PythonWheelCommandTest} of the examples compares. */
class PythonCallsTest {

    /** The names and texts of an SQL expression, in order. */
    private static List<String> strings(String call) {
        List<String> strings = new ArrayList<>();
        collect(CatalystSqlParser$.MODULE$.parseExpression(call), strings);
        return strings;
    }

    private static void collect(Expression part, List<String> strings) {
        if (part instanceof UnresolvedFunction function) {
            strings.add(function.nameParts().last());
        } else if (part instanceof UnresolvedAttribute attribute) {
            strings.add(attribute.nameParts().mkString("."));
        } else {
            strings.add(part.eval(null).toString());
        }
        CollectionConverters.asJava(part.children()).forEach(child -> collect(child, strings));
    }

    @Test
    void aModelAndAColumn() {
        assertThat(strings("predict('m.onnx', `x`)")).containsExactly("predict", "m.onnx", "x");
    }

    @Test
    void quotesFieldsAndOptions() {
        assertThat(strings("coded_predict('it\\'s/a \\\\ path', `a`.`b`, `c``d e`,"
                        + " map('parity', '/p', 'batchRows', '64', 'mean', '0.5,1'))"))
                .containsExactly(
                        "coded_predict",
                        "it's/a \\ path",
                        "a.b",
                        "c`d e",
                        "map",
                        "parity",
                        "/p",
                        "batchRows",
                        "64",
                        "mean",
                        "0.5,1");
    }

    @Test
    void namesInBackticksAreWhole() {
        assertThat(strings("predict('m.onnx', `pixel.1`, `s`.`b.c`.`d`, ```e.f``g`)"))
                .containsExactly("predict", "m.onnx", "pixel.1", "s.b.c.d", "`e.f`g");
    }

    @Test
    void flags() {
        assertThat(strings("folded_predict('f', `x`, map('onError', 'column', 'flag', 'true'))"))
                .containsExactly("folded_predict", "f", "x", "map", "onError", "column", "flag", "true");
    }

    @Test
    void twoModels() {
        assertThat(strings("cascade_predict('small', 'large', `x`, map('threshold', '0.9'))"))
                .containsExactly("cascade_predict", "small", "large", "x", "map", "threshold", "0.9");
    }
}
