/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ai.onnxruntime.OrtException;
import io.paritas.inference.Device;
import io.paritas.inference.DirectBuffers;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngine;
import io.paritas.inference.ModelEngineContract;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.RawGraph;
import io.paritas.inference.graph.TestGraphs;
import java.io.IOException;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OnnxRuntimeEngineTest extends ModelEngineContract {
    private static final Graph DOUBLES = TestGraphs.linear(new float[][] {{2, 0}, {0, 2}}, new float[2]);

    @Override
    protected ModelEngine engine() {
        return new OnnxRuntimeEngine();
    }

    private Model load(ModelFile file) {
        return engine().load(file, ModelOptions.DEFAULT.withDevice(Device.CPU));
    }

    @Test
    void tellsTheNamesOfTheGraph() {
        try (Model model = load(DOUBLES.toModelFile())) {
            assertThat(model.input()).hasToString("input (2)");
            assertThat(model.output()).hasToString("fc1 (2)");
        }
    }

    /** A thousand that spin hold up a machine, and none of them makes a prediction faster. */
    @Test
    void noMoreThreadsRunThanThereAreProcessors() throws IOException {
        Path threads = Path.of("/proc/self/task");
        assumeTrue(Files.isDirectory(threads), "needs /proc, to count threads");
        int many = 64 * Runtime.getRuntime().availableProcessors();
        long before = count(threads);

        ModelOptions options = new ModelOptions("auto", Device.CPU, many);
        try (Model model = engine().load(DOUBLES.toModelFile(), options)) {
            assertThat(model.input().size()).isEqualTo(2);
            assertThat(count(threads) - before).isLessThan(many / 2);
        }
    }

    private static long count(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.count();
        }
    }

    /** ONNX Runtime 1.28 would end this JVM: it divides by the number of pixels that are left. */
    @Test
    void refusesImagesThatBecomeEmpty() {
        refused(
                RawGraph.of(3, 1, 5)
                        .filled("kernel", 1, 16, 3, 1, 1)
                        .node("Conv", "conv", "input", "kernel")
                        .node("MaxPool", "pool", "conv")
                        .list("kernel_shape", 2L, 2L)
                        .node("GlobalAveragePool", "mean", "pool")
                        .file(),
                "an image must not become empty, MaxPool 'pool' makes [16, 0, 4] of [16, 1, 5]: use larger images");
    }

    private static RawGraph convolution() {
        return RawGraph.of(3, 2, 5)
                .truth("yes", true)
                .filled("kernel", 1, 16, 3, 1, 1)
                .node("Conv", "conv", "input", "kernel");
    }

    /** A pool that leaves nothing of two lines. */
    private static RawGraph pool(RawGraph graph, String input) {
        return graph.node("MaxPool", "pool", input).list("kernel_shape", 3L, 2L);
    }

    /** With layouts of blocked channels, ONNX Runtime 1.28 would end this JVM. */
    @ParameterizedTest
    @ValueSource(strings = {"Neg", "HardSwish", "If"})
    void refusesImagesThatBecomeEmptyAfterWhatPrecautionsDoNotKnow(String op) {
        RawGraph graph = convolution();
        if (op.equals("If")) {
            graph.node(op, "unknown", "yes").branches(RawGraph.of().node("Neg", "negative", "conv"));
        } else {
            graph.node(op, "unknown", "conv");
        }
        refused(
                pool(graph, "unknown")
                        .integers("axes", 2, 3)
                        .node("ReduceSum", "sum", "pool", "axes")
                        .file(),
                "an image must not become empty, MaxPool 'pool' makes [16, 0, 4]: use larger images");
    }

    @Test
    void refusesImagesThatBecomeEmptyInABranch() {
        ModelFile file = convolution()
                .node("If", "branch", "yes")
                .branches(pool(RawGraph.of(), "conv"))
                .node("GlobalAveragePool", "mean", "branch")
                .file();
        assertThatThrownBy(() -> load(file))
                .isInstanceOf(ModelException.class)
                .hasMessageStartingWith("onnxruntime cannot predict 1 rows of input (3, 2, 5)");
    }

    /** ONNX Runtime rounds towards zero, so there is one window, which ends after the image. */
    @Test
    void runsPoolsWithWindowsThatAreLargerThanTheImage() {
        ModelFile file = RawGraph.of(1, 2, 2)
                .node("MaxPool", "pool", "input")
                .list("kernel_shape", 3L, 3L)
                .list("strides", 2L, 2L)
                .node("Flatten", "flat", "pool")
                .file();
        try (Model model = load(file)) {
            assertThat(model.predict(new float[] {1, 4, 2, 3})).containsExactly(4);
        }
    }

    @Test
    void runsReshapesThatJoinTheRowsOfABatch() {
        ModelFile file = RawGraph.of(4, 6)
                .batch(8)
                .integers("joined", 1, 4, -1)
                .integers("rows", 8, 20)
                .node("Reshape", "long", "input", "joined")
                .node("MaxPool", "pool", "long")
                .list("kernel_shape", 9L)
                .node("Reshape", "output", "pool", "rows")
                .file();
        try (Model model = load(file)) {
            assertThat(model.predict(TestGraphs.values(8 * 24))).hasSize(8 * 20);
        }
    }

    /** What is unknown to Paritas, and what follows it, is left to ONNX Runtime. */
    @Test
    void runsWhatPrecautionsDoNotKnow() {
        RawGraph graph = RawGraph.of(1, 4, 4)
                .node("Neg", "negative", "input")
                .node("MaxPool", "pool", "negative")
                .list("kernel_shape", 4L, 4L);
        try (Model model = load(graph.file())) {
            assertThat(model.predict(TestGraphs.values(16))).hasSize(1);
        }
    }

    private static RawGraph normalisation(int opset) {
        return RawGraph.withOpset(opset, 2)
                .weight("w", 2)
                .node("BatchNormalization", "bn", "input", "w", "w", "w", "w");
    }

    private void refusedInTrainingMode(ModelFile file, String operator) {
        refused(
                file,
                "a model must be in inference mode to predict, " + operator + " is in training mode, where predictions"
                        + " depend on other rows or on chance: call model.eval() before torch.onnx.export");
    }

    /** A row's prediction would depend on the rows beside it. */
    @Test
    void refusesNormalisationInTrainingMode() {
        String operator = "BatchNormalization 'bn'";
        refusedInTrainingMode(
                normalisation(17)
                        .outputs("bn", "mean", "variance")
                        .set("training_mode", 1)
                        .file(),
                operator);
        for (int opset : new int[] {7, 9, 13}) {
            refusedInTrainingMode(
                    normalisation(opset)
                            .outputs("bn", "mean", "variance", "saved_mean", "saved_variance")
                            .file(),
                    operator);
        }
        for (int opset : new int[] {7, 13, 14}) {
            try (Model model = load(normalisation(opset).file())) {
                assertThat(model.predict(new float[] {1, 2})).hasSize(2);
            }
        }
        refusedInTrainingMode(
                RawGraph.of(2)
                        .weight("w", 2)
                        .truth("yes", true)
                        .node("If", "output", "yes")
                        .branches(RawGraph.of()
                                .node("BatchNormalization", "bn", "input", "w", "w", "w", "w")
                                .set("training_mode", 1))
                        .file(),
                operator);
    }

    @Test
    void refusesDropoutInTrainingMode() {
        RawGraph graph = RawGraph.of(2).filled("ratio", 0.5f).truth("mode", true);
        refusedInTrainingMode(
                graph.node("Dropout", "drop", "input", "ratio", "mode").file(), "Dropout 'drop'");
        RawGraph still = RawGraph.of(2).filled("ratio", 0.5f).truth("mode", false);
        try (Model model =
                load(still.node("Dropout", "drop", "input", "ratio", "mode").file())) {
            assertThat(model.predict(new float[] {1, 2})).containsExactly(1, 2);
        }
    }

    @Test
    void refusesDropoutWhoseModeIsDerived() {
        refusedInTrainingMode(dropout(true, "Identity").file(), "Dropout 'drop'");
        refusedInTrainingMode(dropout(false, "Not").file(), "Dropout 'drop'");
        try (Model model = load(dropout(true, "Not").file())) {
            assertThat(model.predict(new float[] {1, 2})).containsExactly(1, 2);
        }
    }

    private static RawGraph dropout(boolean constant, String op) {
        return RawGraph.of(2)
                .filled("ratio", 0.5f)
                .truth("constant", constant)
                .node(op, "mode", "constant")
                .node("Dropout", "drop", "input", "ratio", "mode");
    }

    /** PyTorch leaves the first output of an LSTM out where only its last state is used. */
    @Test
    void refusesTrainingModeBesideAnOutputThatIsLeftOut() {
        RawGraph graph = RawGraph.of(3, 2)
                .weight("w", 1, 4, 2)
                .weight("r", 1, 4, 1)
                .filled("ratio", 0.5f)
                .truth("mode", true)
                .node("LSTM", "y", "input", "w", "r")
                .set("hidden_size", 1)
                .outputs("", "y")
                .node("Dropout", "drop", "input", "ratio", "mode");
        refusedInTrainingMode(graph.file(), "Dropout 'drop'");
    }

    @Test
    void refusesOtherInputsAndOutputsThanOneEach() {
        refused(
                TestGraphs.twoInputs(),
                "a model must have one input, of float32; this one has left FLOAT (batch, 2), right FLOAT (batch, 2):"
                        + " export a network from one tensor to one tensor, and convert types inside it");
        refused(
                TestGraphs.twoOutputs(),
                "a model must have one output, of float32; this one has left FLOAT (batch, 2), right FLOAT (batch, 2):"
                        + " export a network from one tensor to one tensor, and convert types inside it");
        refused(
                TestGraphs.integers(),
                "a model must have one input, of float32; this one has ids INT64 (batch, 2):"
                        + " export a network from one tensor to one tensor, and convert types inside it");
        assertThatThrownBy(() -> load(TestGraphs.noInput()))
                .isInstanceOf(ModelException.class)
                .hasMessageStartingWith("a model must have one input, of float32; this one has none");
    }

    @Test
    void aGpuThatTheArtifactCannotUseIsRefusedWithTheArtifactThatCan() {
        assumeFalse(engine().unavailable(Device.CUDA).isEmpty(), "skipped: there is a GPU");
        assertThatThrownBy(() -> engine().load(DOUBLES.toModelFile(), ModelOptions.DEFAULT.withDevice(Device.CUDA)))
                .isInstanceOf(ModelException.class)
                .hasMessage(
                        "onnxruntime cannot run on the device CUDA: this build of ONNX Runtime has no CUDA provider:"
                                + " put the artifact onnxruntime_gpu on the class path instead of onnxruntime");
    }

    @Test
    void saysWhatToDoWhereThereIsTooLittleMemory() {
        try (Model model = load(TestGraphs.greedy(DOUBLES, 5))) {
            assertThat(model.predict(new float[] {1, 5})).containsExactly(2, 10);
            assertThatThrownBy(() -> model.predict(new float[] {1, 6}))
                    .isInstanceOf(ModelException.class)
                    .hasMessageStartingWith(
                            "onnxruntime cannot predict 1 rows of input (2) into greedy (2) on the device CPU: ")
                    .hasMessageEndingWith(
                            ": the engine cannot allocate memory for this batch: predict fewer at once (on Spark,"
                                    + " with the option batchRows), or give the process more memory beside its heap"
                                    + " (spark.executor.memoryOverhead)")
                    .hasCauseInstanceOf(OrtException.class);
            assertThat(model.predict(new float[] {1, 5})).as("it goes on").containsExactly(2, 10);
        }
    }

    /** Where the memory for its batch is short, the error would end an executor. */
    @Test
    void refusesABatchForWhichThereIsNoRoom() {
        refused(
                TestGraphs.fixedBatch(DOUBLES, 1 << 28).toModelFile(),
                "there must be room beside the heap for 268435456 rows of input (2), as many as the model wants at"
                        + " once, and there is none (integer overflow): export it for smaller batches, or give the process"
                        + " more memory (spark.executor.memory)");
    }

    @Test
    void refusesSizesThatVary() {
        refused(
                TestGraphs.anyHeight(),
                "every dimension of the input after the batch must be fixed, got pixels FLOAT (batch, 1, height, 8):"
                        + " export with fixed sizes, only the batch may vary");
    }

    @Test
    void refusesOtherNumbersOfRowsOutThanIn() {
        refused(
                TestGraphs.transposed(2, 3),
                "a model must give one output row for each input row, this one makes output FLOAT (3, 2) of input FLOAT"
                        + " (2, 3)");
    }

    @Test
    void aBatchThatOnlyTheOutputTellsHoldsForTheInput() {
        try (Model model = load(TestGraphs.fixedOutputBatch(DOUBLES, 2).toModelFile())) {
            assertThat(model.predict(new float[] {1, 2, 3, 4, 5, 6})).containsExactly(2, 4, 6, 8, 10, 12);
        }
    }

    /** New ones would cost full garbage collections. */
    @Test
    void fewerRowsThanTheBatchUseBuffersAgain() {
        try (Model model = load(TestGraphs.fixedBatch(DOUBLES, 4).toModelFile())) {
            FloatBuffer inputs = Model.direct(10).put(new float[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
            FloatBuffer outputs = Model.direct(10);

            assertThat(DirectBuffers.added(1_000, () -> {
                        model.predict(5, inputs.clear(), outputs.clear());
                        assertThat(outputs.get(9)).isEqualTo(20);
                    }))
                    .isLessThan(100);
        }
    }

    @Test
    void refusesAnOutputThatIsNotWhatTheModelSays() {
        refused(
                DOUBLES.edit().outputShape(List.of(7)).build().toModelFile(),
                "every dimension of the output after the batch must be fixed, got fc1 FLOAT (batch, ?):"
                        + " export with fixed sizes, only the batch may vary");
    }

    /** Nothing but running it shows that this model cannot make rows of two values from one row of three. */
    @Test
    void refusesWhatDoesNotRunWhenItIsLoaded() {
        assertThatThrownBy(() -> load(TestGraphs.reshaped(3, 2)))
                .isInstanceOf(ModelException.class)
                .hasMessageStartingWith(
                        "onnxruntime cannot predict 1 rows of input (3) into output (2) on the device CPU: ")
                .hasCauseInstanceOf(OrtException.class);
    }

    private void refused(ModelFile file, String message) {
        assertThatThrownBy(() -> load(file)).isInstanceOf(ModelException.class).hasMessage(message);
    }
}
