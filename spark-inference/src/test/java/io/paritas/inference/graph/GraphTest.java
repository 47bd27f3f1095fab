/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.onnx.proto.OnnxMl.ModelProto;
import ai.onnx.proto.OnnxMl.TensorProto;
import ai.onnx.proto.OnnxMl.ValueInfoProto;
import com.google.protobuf.ByteString;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.graph.Weight.Role;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class GraphTest {
    private static final Graph SMALL = TestGraphs.small(1);
    private static final Graph LINEAR = TestGraphs.linear(new float[][] {{1, 2}, {3, 4}}, new float[] {5, 6});

    private static Graph reread(ModelProto model) {
        return Graph.of(ModelFile.of(model.toByteArray()));
    }

    @Test
    void tellsWhatItHas() {
        assertThat(SMALL.input()).isEqualTo(new TensorSpec("input", List.of(1, 8, 8)));
        assertThat(SMALL.outputName()).isEqualTo("fc2");
        assertThat(SMALL.opset()).isEqualTo(17);
        assertThat(SMALL.nodes())
                .extracting(Node::toString)
                .containsExactly(
                        "Conv 'conv1'",
                        "BatchNormalization 'bn1'",
                        "Relu 'relu1'",
                        "MaxPool 'pool1'",
                        "Flatten 'flatten1'",
                        "Gemm 'fc1'",
                        "Relu 'relu2'",
                        "Gemm 'fc2'");
        assertThat(SMALL.weights().values())
                .extracting(Weight::toString)
                .containsExactly(
                        "conv1.weight (4, 1, 3, 3)",
                        "conv1.bias (4)",
                        "bn1.scale (4)",
                        "bn1.shift (4)",
                        "bn1.mean (4)",
                        "bn1.variance (4)",
                        "fc1.weight (8, 64)",
                        "fc1.bias (8)",
                        "fc2.weight (3, 8)",
                        "fc2.bias (3)");
        assertThat(SMALL.weights().values())
                .extracting(Weight::role)
                .containsExactly(
                        Role.KERNEL,
                        Role.BIAS,
                        Role.SCALE,
                        Role.SHIFT,
                        Role.MEAN,
                        Role.VARIANCE,
                        Role.MATRIX,
                        Role.BIAS,
                        Role.MATRIX,
                        Role.BIAS);
        assertThat(SMALL.parameters()).isEqualTo(36 + 4 + 4 + 4 + 512 + 8 + 24 + 3);
        assertThat(SMALL).hasToString("graph of 8 operators and 595 parameters from input (1, 8, 8)");
    }

    /** A Concat of many would copy them for each of them. */
    @Test
    void theInputsOfAnOperatorAreListedOnce() {
        Node node = SMALL.nodes().get(0);
        assertThat(node.inputs()).isSameAs(node.inputs()).first().isEqualTo("input");
    }

    @Test
    void isTheSameAfterWritingAndReading() {
        Graph again = Graph.of(SMALL.toModelFile());
        assertThat(again.weights()).isEqualTo(SMALL.weights());
        assertThat(again.toModelFile().sha256()).isEqualTo(SMALL.toModelFile().sha256());
    }

    @Test
    void anAddBehindAMatMulIsABias() {
        Graph graph = matMulAndAdd();
        assertThat(graph.weights().get("matrix").role()).isEqualTo(Role.MATRIX);
        assertThat(graph.weights().get("bias").role()).isEqualTo(Role.BIAS);
        assertThat(graph.weights().get("mean").role()).isEqualTo(Role.CONSTANT);
        assertThat(graph.parameters()).isEqualTo(2 * 9 + 9);
    }

    /** (x - mean) · matrix, and the bias in front of it, as some exporters write it. */
    static Graph matMulAndAdd() {
        GraphBuilder builder = new GraphBuilder(2);
        Graph any = builder.output(builder.relu(builder.input()));
        return reread(TestGraphs.edited(any, graph -> graph.clearNode()
                .addInitializer(Tensors.proto(new Weight("mean", Role.CONSTANT, new int[] {2}, new float[] {1, 2})))
                .addInitializer(Tensors.proto(new Weight("matrix", Role.CONSTANT, new int[] {2, 9}, new float[18])))
                .addInitializer(Tensors.proto(new Weight("bias", Role.CONSTANT, new int[] {9}, new float[9])))
                .addNode(Graph.node("Sub", "centred", "input", "mean"))
                .addNode(Graph.node("MatMul", "product", "centred", "matrix"))
                .addNode(Graph.node("Add", "output", "bias", "product"))
                .clearOutput()
                .addOutput(Tensors.value("output", List.of(9)))));
    }

    @Test
    void weightsAreReplacedByName() {
        Weight bias = LINEAR.weights().get("fc1.bias");
        Graph other = LINEAR.with(List.of(bias.with(new float[] {7, 8})));
        assertThat(other.weights().get("fc1.bias").values()).containsExactly(7, 8);
        assertThat(other.weights().get("fc1.weight")).isEqualTo(LINEAR.weights().get("fc1.weight"));
        assertThat(bias.values()).as("the first graph stays as it is").containsExactly(5, 6);
        assertThat(LINEAR.weights().get("fc1.bias")).isEqualTo(bias);
        assertThatThrownBy(() -> LINEAR.with(List.of(new Weight("fc9.bias", Role.BIAS, new int[] {1}, new float[1]))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("only what the graph holds can be replaced, it has no 'fc9.bias':"
                        + " it has [fc1.weight, fc1.bias]");
        assertThatThrownBy(() -> bias.with(new float[3]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'fc1.bias' of shape [2] needs 2 values, got 3");
    }

    @Test
    void sizesAreEdited() {
        Graph wider = LINEAR.edit()
                .weights(List.of(
                        new Weight("fc1.weight", Role.MATRIX, new int[] {1, 3}, new float[] {1, 2, 3}),
                        LINEAR.weights().get("fc1.bias").resized(1)))
                .inputShape(List.of(3))
                .outputShape(List.of(1))
                .build();
        assertThat(wider.input().shape()).containsExactly(3);
        try (Model model = ModelEngines.load(wider.toModelFile(), ModelOptions.DEFAULT)) {
            assertThat(model.predict(new float[] {1, 1, 1, 0, 0, 2})).containsExactly(6, 6);
        }
        assertThat(LINEAR.input().shape()).containsExactly(2);
    }

    @Test
    void integersAreReadAndEdited() {
        ModelProto raw = TestGraphs.edited(LINEAR, graph -> graph.addInitializer(Tensors.proto("list", 1, -1, 4))
                .addInitializer(Tensors.proto("axis", 0, 1))
                .addInitializer(TensorProto.newBuilder()
                        .setName("raw")
                        .setDataType(TensorProto.DataType.INT64_VALUE)
                        .addDims(1)
                        .setRawData(ByteString.copyFrom(new byte[] {1, 1, 0, 0, 0, 0, 0, 0}))));
        Graph graph = reread(raw);
        assertThat(graph.integers("list")).containsExactly(-1, 4);
        assertThat(graph.integers("raw")).containsExactly(257);
        Graph edited = graph.edit().integers("list", 2, 3).integers("axis", 0).build();
        assertThat(edited.integers("list")).containsExactly(2, 3);
        assertThat(edited.integers("axis")).containsExactly(0);
        TensorProto axis = TestGraphs.proto(edited.toModelFile()).getGraph().getInitializerList().stream()
                .filter(tensor -> tensor.getName().equals("axis"))
                .findFirst()
                .orElseThrow();
        assertThat(axis.getDimsCount()).as("one number alone stays one").isZero();
        assertThatThrownBy(() -> graph.integers("fc1"))
                .isInstanceOf(ModelException.class)
                .hasMessage("'fc1' must be a constant of the graph, but the graph computes it:"
                        + " export with constant folding, or with fixed shapes");
        assertThatThrownBy(() -> graph.integers("fc1.bias"))
                .isInstanceOf(ModelException.class)
                .hasMessage("the constant 'fc1.bias' must be int64, it has ONNX's type 1");
    }

    @Test
    void refusesOtherInputsAndOutputsThanOneEach() {
        refused(TestGraphs.noInput(), "a network must have one input, this one has []");
        refused(TestGraphs.twoInputs(), "a network must have one input, this one has [left, right]");
        refused(TestGraphs.twoOutputs(), "a network must have one output, this one has [left, right]");
        refused(TestGraphs.integers(), "the input 'ids' must be float32, it has ONNX's element type 7");
        refused(
                TestGraphs.anyHeight(),
                "every dimension of the input 'pixels' after the batch must be fixed, its shape is"
                        + " [batch, 1, height, 8]: export with fixed sizes, only the batch may vary");
    }

    /** Old exporters list the weights among the inputs. */
    @Test
    void weightsAmongTheInputsAreNoInputs() {
        Graph graph =
                reread(TestGraphs.edited(LINEAR, edit -> edit.addInput(0, Tensors.value("fc1.weight", List.of(2)))));
        assertThat(graph.input().name()).isEqualTo("input");
        assertThat(graph.edit().inputShape(List.of(9)).build().input().shape()).containsExactly(9);
    }

    @Test
    void refusesInputsOfImpossibleSizes() {
        Consumer<ValueInfoProto.Builder> huge = value -> value.getTypeBuilder()
                .getTensorTypeBuilder()
                .getShapeBuilder()
                .getDimBuilder(1)
                .setDimValue(1L << 32);
        assertThatThrownBy(() -> reread(TestGraphs.edited(LINEAR, edit -> huge.accept(edit.getInputBuilder(0)))))
                .isInstanceOf(ModelException.class)
                .hasMessage("every dimension of the input 'input' after the batch must be fixed, its shape is"
                        + " [batch, 4294967296]: export with fixed sizes, only the batch may vary");
    }

    @Test
    void refusesBytesThatAreNoGraph() {
        refused(ModelFile.of(new byte[] {8, 8}), "a network must have one input, this one has []");
        refused(
                ModelFile.of(new byte[] {'P', 'K', 3, 4}),
                "a network must be an ONNX graph to be changed or trained, this file is TORCHSCRIPT:"
                        + " export it with torch.onnx.export");
        byte[] whole = SMALL.toModelFile().bytes();
        for (int length = 1; length < whole.length; length += 13) {
            byte[] part = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> Graph.of(ModelFile.of(part)))
                    .as("the first %d bytes", length)
                    .isInstanceOf(ModelException.class);
        }
        assertThatThrownBy(() -> Graph.of(ModelFile.of(Arrays.copyOf(whole, 500))))
                .hasMessageStartingWith("the ONNX model of 500 bytes cannot be read, it is damaged: ");
    }

    @Test
    void refusesDamagedTensors() {
        damaged(
                tensor -> tensor.setRawData(ByteString.copyFrom(new byte[12])),
                "the tensor 'fc1.weight' of shape [2, 2] needs 16 bytes, the model holds 12: it is damaged");
        damaged(
                tensor -> tensor.clearRawData().addAllFloatData(List.of(1f, 2f, 3f)),
                "the tensor 'fc1.weight' of shape [2, 2] needs 4 values, the model holds 3: it is damaged");
        damaged(
                tensor -> tensor.clearRawData().addAllInt64Data(List.of(1L, 2L, 3L, 4L)),
                "the tensor 'fc1.weight' of shape [2, 2] needs 4 values, the model holds 0: it is damaged");
        damaged(
                tensor -> tensor.setDims(0, -2),
                "the tensor 'fc1.weight' cannot have the shape [-2, 2]: the model is damaged");
        damaged(
                tensor -> tensor.setDims(0, 1L << 40),
                "the tensor 'fc1.weight' cannot have the shape [1099511627776, 2]: the model is damaged");
        damaged(
                tensor -> tensor.setDims(0, 2_000_000_000).setDims(1, 2_000_000_000),
                "the tensor 'fc1.weight' of shape [2000000000, 2000000000] needs 16000000000000000000 bytes,"
                        + " the model holds 16: it is damaged");
    }

    private static void damaged(Consumer<TensorProto.Builder> damage, String message) {
        ModelProto model = TestGraphs.edited(LINEAR, graph -> damage.accept(graph.getInitializerBuilder(0)));
        refused(ModelFile.of(model.toByteArray()), message);
    }

    @Test
    void readsTypedValues() {
        Graph graph = reread(TestGraphs.edited(
                LINEAR, edit -> edit.getInitializerBuilder(0).clearRawData().addAllFloatData(List.of(4f, 3f, 2f, 1f))));
        assertThat(graph.weights().get("fc1.weight").values()).containsExactly(4, 3, 2, 1);
    }

    @Test
    void refusesAModelWithoutOpset() {
        ModelProto.Builder model = TestGraphs.proto(LINEAR.toModelFile()).toBuilder();
        refused(
                ModelFile.of(model.clearOpsetImport().build().toByteArray()),
                "an ONNX model must name the version of its operators, this one does not: it is damaged");
    }

    /** It adds the values to the eight channels, and numpy's rule would to the eight columns. */
    @Test
    void refusesOperatorsThatBroadcastByAttributes() {
        assertThatThrownBy(() -> RawGraph.withOpset(6, 8, 8, 8)
                        .weight("b", 8)
                        .node("Add", "sum", "input", "b")
                        .set("axis", 1)
                        .set("broadcast", 1)
                        .build())
                .isInstanceOf(ModelException.class)
                .hasMessage(
                        "an ONNX model's operators must be of version 7 or later, this one's are of 6: convert it with"
                                + " onnx.version_converter, or export it again");
    }

    @Test
    void itsMapsCannotBeChanged() {
        Map<String, Weight> weights = LINEAR.weights();
        assertThatThrownBy(weights::clear).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> LINEAR.nodes().clear()).isInstanceOf(UnsupportedOperationException.class);
    }

    private static void refused(ModelFile file, String message) {
        assertThatThrownBy(() -> Graph.of(file))
                .isInstanceOf(ModelException.class)
                .hasMessage(message);
    }
}
