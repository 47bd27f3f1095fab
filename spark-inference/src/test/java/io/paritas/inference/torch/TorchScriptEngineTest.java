/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngine;
import io.paritas.inference.ModelEngineContract;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.graph.Graph;
import java.nio.FloatBuffer;
import java.util.List;
import org.bytedeco.pytorch.CompilationUnit;
import org.bytedeco.pytorch.JitModule;
import org.bytedeco.pytorch.QualifiedName;
import org.junit.jupiter.api.Test;

/** TorchScript programs. */
class TorchScriptEngineTest extends ModelEngineContract {
    private static final ModelOptions CPU = ModelOptions.DEFAULT.withDevice(Device.CPU);

    @Override
    protected ModelEngine engine() {
        return new TorchEngine();
    }

    @Override
    protected ModelFile file(Graph graph) {
        return TorchScripts.write(graph);
    }

    /** A program of one line without weights. */
    private static ModelFile program(String output, Integer... shape) {
        try (Scope scope = Scope.withoutGradients()) {
            JitModule module = new JitModule(new QualifiedName("__torch__.Program"), new CompilationUnit(), false);
            module.define("def forward(self, x: Tensor):\n    return " + output + "\n");
            return new ScriptFile(module, List.of(shape)).toModelFile();
        }
    }

    @Test
    void theShapeOfTheInputMustBeSaidIfTheFileDoesNot() {
        ModelFile file = program("x * 2");
        assertThatThrownBy(() -> engine().load(file, CPU))
                .isInstanceOf(ModelException.class)
                .hasMessage("a TorchScript model needs the shape of its input, this file does not have it: give"
                        + " ModelOptions.withInputShape the sizes of one row, without the batch, as in"
                        + " List.of(3, 32, 32)");
        try (Model model = engine().load(file, CPU.withInputShape(List.of(2, 2)))) {
            assertThat(model.input()).hasToString("input (2, 2)");
            assertThat(model.output()).hasToString("output (2, 2)");
            assertThat(model.predict(new float[] {1, 2, 3, 4})).containsExactly(2, 4, 6, 8);
        }
    }

    @Test
    void aProgramThatWritesOverItsInputWritesOverACopy() {
        FloatBuffer inputs = Model.direct(2).put(0, 1).put(1, 2);
        try (Model model = engine().load(program("x.mul_(3)", 2), CPU)) {
            FloatBuffer outputs = Model.direct(2);
            model.predict(1, inputs, outputs);
            assertThat(new float[] {outputs.get(0), outputs.get(1)}).containsExactly(3, 6);
            assertThat(new float[] {inputs.get(0), inputs.get(1)}).containsExactly(1, 2);
        }
    }

    @Test
    void refusesOtherOutputsThanOneRowOfFloatsForEachRow() {
        refused(
                program("(x, x)", 2),
                "a TorchScript model must return one tensor, this one returns Tuple:"
                        + " wrap it in a module that returns the tensor");
        refused(
                program("torch.argmax(x, 1)", 2),
                "a model must give one row of float32 values for each input row,"
                        + " this one makes tensor [2] of Long of 2 rows of input (2)");
        refused(
                program("torch.sum(x)", 2),
                "a model must give one row of float32 values for each input row,"
                        + " this one makes tensor [] of 2 rows of input (2)");
        refused(
                program("torch.reshape(x, [1, -1])", 2),
                "a model must give one row of float32 values for each input row,"
                        + " this one makes tensor [1, 4] of 2 rows of input (2)");
    }

    @Test
    void whatFailsInTheProgramIsToldInOneSentence() {
        refused(
                program("torch.reshape(x, [-1, 3])", 2),
                "libtorch cannot predict 2 rows of input (2) on the device CPU:"
                        + " shape '[-1, 3]' is invalid for input of size 4");
    }

    private void refused(ModelFile file, String message) {
        assertThatThrownBy(() -> engine().load(file, CPU))
                .isInstanceOf(ModelException.class)
                .hasMessage(message);
    }
}
