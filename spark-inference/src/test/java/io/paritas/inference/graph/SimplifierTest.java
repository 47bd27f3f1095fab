/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.onnx.proto.OnnxMl.AttributeProto;
import ai.onnx.proto.OnnxMl.NodeProto;
import ai.onnx.proto.OnnxMl.TensorProto;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.graph.Weight.Role;
import java.util.List;
import org.junit.jupiter.api.Test;

class SimplifierTest {
    private static final Weight SCALE = new Weight("scale", Role.CONSTANT, new int[] {2}, new float[] {2, 3});

    /** A network from (2) to (2) with those operators between "input" and "output", and the weight "scale". */
    private static Graph graph(NodeProto.Builder... nodes) {
        GraphBuilder builder = new GraphBuilder(2);
        Graph any = builder.output(builder.relu(builder.input()));
        return Graph.of(ModelFile.of(TestGraphs.edited(any, graph -> {
                    graph.clearNode().clearOutput().addInitializer(Tensors.proto(SCALE));
                    graph.addOutput(Tensors.value("output", List.of(2)));
                    for (NodeProto.Builder node : nodes) {
                        graph.addNode(node);
                    }
                })
                .toByteArray()));
    }

    private static NodeProto.Builder constant(String output, AttributeProto.Builder value) {
        return Graph.node("Constant", output).addAttribute(value);
    }

    private static AttributeProto.Builder attribute(String name, AttributeProto.AttributeType type) {
        return AttributeProto.newBuilder().setName(name).setType(type);
    }

    private static float[] predict(Graph graph, float... input) {
        try (Model model = ModelEngines.load(graph.toModelFile(), ModelOptions.DEFAULT)) {
            return model.predict(input);
        }
    }

    @Test
    void aConstantBecomesAWeight() {
        TensorProto values = Tensors.proto(new Weight("unused", Role.CONSTANT, new int[] {2}, new float[] {10, 20}));
        Graph graph = graph(
                constant(
                        "offset",
                        attribute("value", AttributeProto.AttributeType.TENSOR).setT(values)),
                Graph.node("Add", "output", "input", "offset"));
        assertThat(graph.nodes()).extracting(Node::op).containsExactly("Add");
        assertThat(graph.weights().get("offset").values()).containsExactly(10, 20);
        assertThat(predict(graph, 1, 2)).containsExactly(11, 22);
    }

    @Test
    void aConstantMayBeWrittenInOtherWays() {
        Graph graph = graph(
                constant(
                        "one",
                        attribute("value_float", AttributeProto.AttributeType.FLOAT)
                                .setF(1)),
                constant(
                        "two",
                        attribute("value_floats", AttributeProto.AttributeType.FLOATS)
                                .addFloats(10)
                                .addFloats(20)),
                constant(
                        "three",
                        attribute("value_int", AttributeProto.AttributeType.INT).setI(7)),
                constant(
                        "four",
                        attribute("value_ints", AttributeProto.AttributeType.INTS)
                                .addInts(-1)
                                .addInts(2)),
                Graph.node("Add", "sum", "input", "one"),
                Graph.node("Mul", "product", "sum", "two"),
                Graph.node("Reshape", "output", "product", "four"));
        assertThat(graph.nodes()).extracting(Node::op).containsExactly("Add", "Mul", "Reshape");
        assertThat(graph.weights().get("one").shape()).isEmpty();
        assertThat(graph.weights().get("two").shape()).containsExactly(2);
        assertThat(graph.integers("three")).containsExactly(7);
        assertThat(graph.integers("four")).containsExactly(-1, 2);
        assertThat(predict(graph, 1, 2)).containsExactly(20, 60);
    }

    @Test
    void aConstantOfAnotherKindStays() {
        Graph graph = graph(
                constant("text", attribute("value_strings", AttributeProto.AttributeType.STRINGS)),
                Graph.node("Relu", "output", "input"));
        assertThat(graph.nodes()).extracting(Node::op).containsExactly("Constant", "Relu");
    }

    @Test
    void anIdentityOfAWeightBecomesAWeightOfItsOwn() {
        Graph graph = graph(
                Graph.node("Identity", "copy", "scale"),
                Graph.node("Identity", "copyOfCopy", "copy"),
                Graph.node("Mul", "first", "input", "scale"),
                Graph.node("Mul", "output", "first", "copyOfCopy"));
        assertThat(graph.nodes()).extracting(Node::op).containsExactly("Mul", "Mul");
        assertThat(graph.weights()).containsOnlyKeys("scale", "copy", "copyOfCopy");
        assertThat(predict(graph, 1, 1)).containsExactly(4, 9);
        Graph unequal = graph.with(List.of(graph.weights().get("copyOfCopy").with(new float[] {0, 1})));
        assertThat(predict(unequal, 1, 1)).containsExactly(0, 3);
    }

    @Test
    void anIdentityOfAComputedValueStays() {
        Graph graph = graph(Graph.node("Relu", "positive", "input"), Graph.node("Identity", "output", "positive"));
        assertThat(graph.nodes()).extracting(Node::op).containsExactly("Relu", "Identity");
        assertThat(predict(graph, -1, 2)).containsExactly(0, 2);
    }

    /** As torch.onnx.export writes with TrainingMode.TRAINING. */
    @Test
    void aNormalisationLosesItsTrainingOutputs() {
        Graph graph = graph(Graph.node("BatchNormalization", "output", "input", "scale", "scale", "scale", "scale")
                .addOutput("runningMean")
                .addOutput("runningVariance")
                .addAttribute(
                        attribute("epsilon", AttributeProto.AttributeType.FLOAT).setF(0))
                .addAttribute(attribute("training_mode", AttributeProto.AttributeType.INT)
                        .setI(1)));
        Node node = graph.nodes().get(0);
        assertThat(node.proto().getOutputList()).containsExactly("output");
        assertThat(node.has("training_mode")).isFalse();
        assertThat(node.number("epsilon", 1)).isZero();
        assertThat(predict(graph, 4, 3))
                .containsExactly(new float[] {(float) (2 / Math.sqrt(2) * 2 + 2), 3}, within(1e-5f));
    }

    @Test
    void aDropoutLosesItsMaskAndItsMode() {
        TensorProto yes = TensorProto.newBuilder()
                .setDataType(TensorProto.DataType.BOOL_VALUE)
                .addInt32Data(1)
                .build();
        TensorProto ratio = Tensors.proto(new Weight("unused", Role.CONSTANT, new int[0], new float[] {0.9f}));
        Graph graph = graph(
                constant(
                        "mode",
                        attribute("value", AttributeProto.AttributeType.TENSOR).setT(yes)),
                constant(
                        "ratio",
                        attribute("value", AttributeProto.AttributeType.TENSOR).setT(ratio)),
                Graph.node("Dropout", "output", "input", "ratio", "mode").addOutput("mask"));
        Node node = graph.nodes().get(0);
        assertThat(node.inputs()).containsExactly("input", "ratio");
        assertThat(node.proto().getOutputList()).containsExactly("output");
        assertThat(predict(graph, 1, 2)).containsExactly(1, 2);
    }

    @Test
    void refusesOperatorsWithoutOutput() {
        assertThatThrownBy(() -> graph(Graph.node("Relu", "output", "input").clearOutput()))
                .isInstanceOf(ModelException.class)
                .hasMessage("every operator must have an output, Relu 'output' has none: the model is damaged");
        assertThatThrownBy(() -> graph(Graph.node("LSTM", "output", "input")
                        .clearOutput()
                        .addOutput("")
                        .addOutput("output")))
                .isInstanceOf(ModelException.class)
                .hasMessage(
                        "every operator of a network must have its first output, LSTM 'output' leaves it out and has"
                                + " [, output]: only run it, with onnxruntime");
    }
}
