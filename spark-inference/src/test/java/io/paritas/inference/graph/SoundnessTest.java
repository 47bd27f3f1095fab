/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SoundnessTest {
    private static void refused(RawGraph raw, String message) {
        assertThatThrownBy(raw::read).isInstanceOf(ModelException.class).hasMessage(message);
    }

    private static RawGraph negative() {
        return RawGraph.of(3)
                .function("my.layers", "Sigmoid", "Neg")
                .node("Sigmoid", "y", "input")
                .domain("my.layers");
    }

    /** Its name is that of ONNX's operator, which computes something else. */
    @ParameterizedTest
    @ValueSource(strings = {"protected", "libtorch"})
    void aFunctionIsNoOperatorOfItsName(String engine) {
        ModelFile file = negative().file();
        try (Model model = ModelEngines.load(file, ModelOptions.DEFAULT.withEngine("onnxruntime"))) {
            assertThat(model.predict(new float[] {1, 2, 3})).containsExactly(new float[] {-1, -2, -3}, within(0f));
        }
        assertThatThrownBy(() -> ModelEngines.load(file, ModelOptions.DEFAULT.withEngine(engine)))
                .isInstanceOf(ModelException.class)
                .hasMessageContaining("the operators of a network must be ONNX's own, got my.layers.Sigmoid 'y', a"
                        + " function of the model: inline its functions with onnx.inliner, or only run it, with"
                        + " onnxruntime");
    }

    @Test
    void operatorsOfOtherDomains() {
        refused(
                RawGraph.of(3).node("Identity", "y", "input").domain("com.microsoft"),
                "the operators of a network must be ONNX's own, got com.microsoft.Identity 'y': export it with ONNX's"
                        + " operators, or only run it, with onnxruntime");
        Graph own = RawGraph.of(3).node("Relu", "y", "input").domain("ai.onnx").read();
        assertThat(own.output().shape()).containsExactly(3);
    }

    @Test
    void aFunctionMayNotHideAnOperatorOfOnnx() {
        refused(
                RawGraph.of(3).function("ai.onnx", "Relu", "Neg").node("Relu", "y", "input"),
                "the operators of a network must be ONNX's own, got Relu 'y', a function of the model: inline its"
                        + " functions with onnx.inliner, or only run it, with onnxruntime");
    }

    /** Found by fuzzing: whoever follows an operator that reads itself never ends. */
    @Test
    void valuesThatAreReadBeforeTheyAreMade() {
        refused(
                RawGraph.of(3).node("Identity", "y", "y"),
                "every value of a network must be made before it is read, Identity 'y' reads 'y': the model is damaged");
        refused(
                RawGraph.of(3).node("Relu", "y", "x").node("Relu", "x", "input"),
                "every value of a network must be made before it is read, Relu 'y' reads 'x': the model is damaged");
    }

    @Test
    void valuesThatAreMadeTwice() {
        RawGraph product = RawGraph.of(3).weight("w", 3, 3);
        refused(
                product.node("MatMul", "y", "input", "w").node("Relu", "y", "y"),
                "every value of a network must be made once, 'y' is made by MatMul 'y' and by Relu 'y': the model is"
                        + " damaged");
        refused(
                RawGraph.of(3).weight("w", 3, 3).node("MatMul", "input", "input", "w"),
                "every value of a network must be made once, 'input' is made by an input and by MatMul 'input': the"
                        + " model is damaged");
        refused(
                RawGraph.of(3).weight("w", 3).weight("w", 3).node("Add", "y", "input", "w"),
                "every value of a network must be made once, 'w' is made by a weight and by a weight: the model is"
                        + " damaged");
    }
}
