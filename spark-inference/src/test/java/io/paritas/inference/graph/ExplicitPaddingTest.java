/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.ModelException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Padding in pixels, in place of {@code auto_pad}, against ONNX Runtime's. */
class ExplicitPaddingTest {
    private static final int ROWS = 2;

    /** All windows of 1 to 4 with strides of 1 to 3; pools' strides are at most their windows. */
    @ParameterizedTest
    @CsvSource({
        "Conv, SAME_UPPER", "MaxPool, SAME_UPPER", "AveragePool, SAME_UPPER",
        "Conv, SAME_LOWER", "MaxPool, SAME_LOWER", "AveragePool, SAME_LOWER",
        "Conv, VALID", "MaxPool, VALID", "AveragePool, VALID"
    })
    void isThatOfOnnxRuntime(String op, String automatic) {
        for (int size = 4; size <= 7; size++) {
            for (int kernel = 1; kernel <= 4; kernel++) {
                for (long stride = 1; stride <= (op.equals("Conv") ? 3 : Math.min(kernel, 3)); stride++) {
                    RawGraph raw = window(op, size, kernel, stride).text("auto_pad", automatic);
                    Graph graph = raw.build();
                    assertThat(graph.nodes().get(0).has("auto_pad")).isFalse();
                    float[] inputs = values(graph.input().size() * ROWS);
                    assertThat(Ort.run(graph, inputs, ROWS))
                            .as("%s of %d, stride %d, on %d", op, kernel, stride, size)
                            .isEqualTo(Ort.run(raw.file(), graph, inputs, ROWS));
                }
            }
        }
    }

    private static RawGraph window(String op, int size, int kernel, long stride) {
        RawGraph image = RawGraph.of(2, size, 8);
        RawGraph window = op.equals("Conv")
                ? image.weight("w", 3, 2, kernel, 2).node(op, "p", "input", "w")
                : image.node(op, "p", "input").list("kernel_shape", (long) kernel, 2L);
        return window.list("strides", stride, 2L);
    }

    private static float[] values(int count) {
        Random random = new Random(17);
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = random.nextFloat() - 0.5f;
        }
        return values;
    }

    /** ONNX Runtime refuses these: an image of 9 with a window of 3, whose values are 2 apart, begins 5 times at a stride of 2. */
    @Test
    void countsGapsOfWindows() {
        Graph graph = RawGraph.of(1, 9, 9)
                .weight("w", 1, 1, 3, 3)
                .node("Conv", "c", "input", "w")
                .list("strides", 2L, 1L)
                .list("dilations", 2L, 3L)
                .text("auto_pad", "SAME_LOWER")
                .build();
        assertThat(graph.nodes().get(0).ints("pads")).containsExactly(2, 3, 2, 3);
        assertThat(graph.output().shape()).containsExactly(1, 5, 9);
    }

    @Test
    void staysWhereNoShapeIsKnown() {
        Graph graph = RawGraph.of(3, 4, 5)
                .node("Transpose", "t", "input")
                .node("MaxPool", "p", "t")
                .list("kernel_shape", 2L, 2L)
                .text("auto_pad", "SAME_UPPER")
                .build();
        assertThat(graph.nodes().get(1).text("auto_pad", "")).isEqualTo("SAME_UPPER");
    }

    /** ONNX Runtime has negative padding there. */
    @Test
    void isRefusedForPoolsThatLeavePixelsOut() {
        Graph graph = window("MaxPool", 6, 1, 3).text("auto_pad", "SAME_UPPER").build();
        assertThatThrownBy(graph::shapes)
                .isInstanceOf(ModelException.class)
                .hasMessage(
                        "a pool's window must not be smaller than its stride where its padding is automatic, MaxPool 'p'"
                                + " has 1 and 3: export with padding in pixels");
    }

    @Test
    void mustBeOneThatOnnxHas() {
        Graph graph = window("MaxPool", 4, 2, 1).text("auto_pad", "SAME").build();
        assertThatThrownBy(graph::shapes)
                .isInstanceOf(ModelException.class)
                .hasMessage(
                        "auto_pad must be NOTSET, VALID, SAME_UPPER or SAME_LOWER, MaxPool 'p' has SAME: the model is"
                                + " damaged");
    }
}
