/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import ai.onnx.proto.OnnxMl.GraphProto;
import ai.onnx.proto.OnnxMl.ModelProto;
import ai.onnx.proto.OnnxMl.NodeProto;
import ai.onnx.proto.OnnxMl.OperatorSetIdProto;
import ai.onnx.proto.OnnxMl.TensorProto;
import ai.onnx.proto.OnnxMl.TensorShapeProto;
import ai.onnx.proto.OnnxMl.ValueInfoProto;
import com.google.protobuf.InvalidProtocolBufferException;
import io.paritas.PublicApi;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelFormat;
import io.paritas.inference.TensorSpec;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A network as an ONNX graph with one float32 input and one output: operators in an order in which they can run, and their weights.
 * Exported, built ({@link GraphBuilder}) and trained networks are all graphs, so a trained network needs no exporter. Immutable and
 * thread-safe.
 *
 * <p>Reading simplifies a graph: constants become weights; weights that an exporter has merged because they were equal become several
 * again; a reshape's target that is computed from the size of the batch becomes a constant; and padding is given in pixels.
 */
@PublicApi
public final class Graph {
    private static final Set<String> MOVES = Set.of("Identity", "Dropout", "Flatten", "Reshape");
    /** The first version of the format in which weights need not be inputs. */
    private static final long WEIGHTS_ARE_NO_INPUTS = 4;

    /** Until then, sums, products and the like take no operands of other shapes, unless attributes say where these lie. */
    private static final int OLDEST_OPERATORS = 7;

    private static final int FLOAT = TensorProto.DataType.FLOAT_VALUE;

    private final ModelProto model;
    private final List<Node> nodes;
    private final Map<String, TensorProto> constants;
    private final Map<String, Weight> weights;
    private final TensorSpec input;
    private final long opset;

    private Graph(ModelProto model) {
        GraphProto graph = model.getGraph();
        this.model = model;
        this.nodes = graph.getNodeList().stream().map(Node::new).toList();
        this.constants = graph.getInitializerList().stream()
                .collect(Collectors.toMap(TensorProto::getName, tensor -> tensor, (first, other) -> first));
        this.weights = weights(graph, nodes);
        this.input = input(graph);
        if (graph.getOutputCount() != 1) {
            throw new ModelException("a network must have one output, this one has "
                    + graph.getOutputList().stream()
                            .map(ValueInfoProto::getName)
                            .toList());
        }
        this.opset = opset(model);
    }

    /**
     * Reads a graph.
     *
     * @throws ModelException if the bytes are no ONNX model, or one with operators of another domain, functions among them, or
     *     without exactly one float32 input and one output
     */
    public static Graph of(ModelFile file) {
        if (file.format() != ModelFormat.ONNX) {
            throw new ModelException("a network must be an ONNX graph to be changed or trained, this file is "
                    + file.format() + ": export it with torch.onnx.export");
        }
        try {
            ModelProto read = ModelProto.parseFrom(file.bytes());
            Soundness.require(read);
            return of(MergedWeights.separate(BatchReshapes.simplify(Simplifier.simplify(read))));
        } catch (InvalidProtocolBufferException e) {
            throw new ModelException(
                    "the ONNX model of " + file.size() + " bytes cannot be read, it is damaged: " + e.getMessage(), e);
        }
    }

    /**
     * Refuses a network whose last operator, but for ones that move values only, is a softmax: a second one would make its
     * probabilities nearly equal.
     *
     * @param purpose what takes the softmax of outputs, for the message
     * @throws ModelException if the network ends in a softmax
     */
    public void requireRawScores(String purpose) {
        Map<String, Node> makers = nodes.stream().collect(Collectors.toMap(Node::output, node -> node));
        Node last = makers.get(outputName());
        while (last != null && MOVES.contains(last.op())) {
            last = makers.get(last.input(0));
        }
        if (last != null && last.op().equals("Softmax")) {
            throw new ModelException(purpose + " takes the softmax of the model's outputs, but the model ends in "
                    + last + ": export raw scores");
        }
    }

    /** Reads a graph from a file, with weights in files beside it. */
    public static Graph read(Path path) {
        return of(ModelFile.read(path));
    }

    static Graph of(ModelProto model) {
        Graph graph = new Graph(model);
        return ExplicitPadding.isNeeded(graph)
                ? new Graph(model.toBuilder()
                        .setGraph(ExplicitPadding.simplify(model.getGraph(), graph))
                        .build())
                : graph;
    }

    /** The graph as a model, to save or to load. */
    public ModelFile toModelFile() {
        return ModelFile.of(model.toByteArray());
    }

    /** The operators, each after those whose outputs it reads. */
    public List<Node> nodes() {
        return nodes;
    }

    /** The float32 tensors of the graph, by name, in the order of the file. */
    public Map<String, Weight> weights() {
        return weights;
    }

    /** Number of parameters: the values that training changes by gradients. */
    public long parameters() {
        return weights.values().stream()
                .filter(weight -> weight.role().trained())
                .mapToLong(Weight::size)
                .sum();
    }

    /** The input of one row. */
    public TensorSpec input() {
        return input;
    }

    /**
     * The output of one row.
     *
     * @throws ModelException as {@link #shapes}
     */
    public TensorSpec output() {
        return new TensorSpec(outputName(), shapes().get(outputName()));
    }

    /**
     * Shapes, without the batch, of the input and of every operator's output, by name and in the order of the operators.
     *
     * @throws ModelException if the graph has an operator that Paritas does not know, or the sizes of an operator's inputs do not
     *     fit together; the message names the operator
     */
    public Map<String, List<Integer>> shapes() {
        return Shapes.of(this);
    }

    /** Name of the output. */
    public String outputName() {
        return model.getGraph().getOutput(0).getName();
    }

    /**
     * A constant integer tensor, for example the target of a {@code Reshape}.
     *
     * @throws ModelException if the graph computes the value
     */
    public long[] integers(String name) {
        if (!isConstant(name)) {
            throw new ModelException("'" + name + "' must be a constant of the graph, but the graph computes it:"
                    + " export with constant folding, or with fixed shapes");
        }
        return Tensors.integers(constants.get(name));
    }

    /** Whether the graph holds that value as a constant of any type. */
    public boolean isConstant(String name) {
        return constants.containsKey(name);
    }

    /** The same graph with some weights replaced, each by one of the same name. */
    public Graph with(Collection<Weight> replacements) {
        return edit().weights(replacements).build();
    }

    /** A copy to change. */
    public Editor edit() {
        return new Editor();
    }

    /** Changes weights and sizes of a copy of a graph. Operators and their inputs stay. Not thread-safe. */
    public final class Editor {
        private final Map<String, TensorProto> tensors = new LinkedHashMap<>();
        private final GraphProto.Builder graph = model.getGraph().toBuilder().clearValueInfo();

        private Editor() {
            graph.getInitializerList().forEach(tensor -> tensors.put(tensor.getName(), tensor));
        }

        /** Replaces weights by name; their shapes may differ. */
        public Editor weights(Collection<Weight> replacements) {
            for (Weight weight : replacements) {
                require(weight.name());
                tensors.put(weight.name(), Tensors.proto(weight));
            }
            return this;
        }

        /** Replaces an integer constant by a list, or a single number by a number. */
        public Editor integers(String name, long... values) {
            require(name);
            boolean scalar = tensors.get(name).getDimsCount() == 0 && values.length == 1;
            tensors.put(name, Tensors.proto(name, scalar ? 0 : 1, values));
            return this;
        }

        /**
         * Sets an integer attribute of an operator of this graph, for example the {@code group} of a convolution.
         *
         * @throws IllegalArgumentException if the graph has no such operator
         */
        public Editor attribute(Node node, String name, long value) {
            int index = nodes.indexOf(node);
            if (index < 0) {
                throw new IllegalArgumentException(
                        "an operator must be of this graph to be changed, " + node + " is not");
            }
            graph.setNode(index, node.with(name, value).proto());
            return this;
        }

        /** Sets the shape of the input without its batch dimension. */
        public Editor inputShape(List<Integer> shape) {
            for (int i = 0; i < graph.getInputCount(); i++) {
                if (graph.getInput(i).getName().equals(input.name())) {
                    Tensors.shape(graph.getInputBuilder(i), shape);
                }
            }
            return this;
        }

        /** Sets the shape of the output without its batch dimension. */
        public Editor outputShape(List<Integer> shape) {
            Tensors.shape(graph.getOutputBuilder(0), shape);
            return this;
        }

        /** The changed graph. */
        public Graph build() {
            graph.clearInitializer().addAllInitializer(tensors.values());
            List<ValueInfoProto> inputs = graph.getInputList().stream()
                    .filter(value -> !tensors.containsKey(value.getName()))
                    .toList();
            graph.clearInput().addAllInput(inputs); // weights that were inputs, too, have had shapes there
            return new Graph(model.toBuilder()
                    .setIrVersion(Math.max(model.getIrVersion(), WEIGHTS_ARE_NO_INPUTS))
                    .setGraph(graph)
                    .build());
        }

        private void require(String name) {
            if (!tensors.containsKey(name)) {
                throw new IllegalArgumentException("only what the graph holds can be replaced, it has no '" + name
                        + "': it has " + tensors.keySet());
            }
        }
    }

    /** Version of the default operator set. */
    public long opset() {
        return opset;
    }

    /** Whether a domain is ONNX's own, whose name may be left out. */
    static boolean isOwn(String domain) {
        return domain.isEmpty() || domain.equals("ai.onnx");
    }

    static long opset(ModelProto model) {
        for (OperatorSetIdProto opset : model.getOpsetImportList()) {
            if (isOwn(opset.getDomain())) {
                if (opset.getVersion() < OLDEST_OPERATORS) {
                    throw new ModelException("an ONNX model's operators must be of version " + OLDEST_OPERATORS
                            + " or later, this one's are of " + opset.getVersion()
                            + ": convert it with onnx.version_converter, or export it again");
                }
                return opset.getVersion();
            }
        }
        throw new ModelException(
                "an ONNX model must name the version of its operators, this one does not: it is damaged");
    }

    static TensorSpec input(GraphProto graph) {
        Set<String> held =
                graph.getInitializerList().stream().map(TensorProto::getName).collect(Collectors.toSet());
        List<ValueInfoProto> inputs = graph.getInputList().stream()
                .filter(value -> !held.contains(value.getName()))
                .toList();
        if (inputs.size() != 1) {
            throw new ModelException("a network must have one input, this one has "
                    + inputs.stream().map(ValueInfoProto::getName).toList());
        }
        ValueInfoProto value = inputs.get(0);
        if (value.getType().getTensorType().getElemType() != FLOAT) {
            throw new ModelException("the input '" + value.getName() + "' must be float32, it has ONNX's element type "
                    + value.getType().getTensorType().getElemType());
        }
        List<TensorShapeProto.Dimension> sizes =
                value.getType().getTensorType().getShape().getDimList();
        if (sizes.isEmpty()
                || sizes.stream()
                        .skip(1)
                        .anyMatch(size -> size.getDimValue() < 1 || size.getDimValue() > Integer.MAX_VALUE)) {
            throw new ModelException("every dimension of the input '" + value.getName()
                    + "' after the batch must be fixed, its shape is "
                    + sizes.stream().map(Graph::text).toList() + ": export with fixed sizes, only the batch may vary");
        }
        return new TensorSpec(
                value.getName(),
                sizes.stream().skip(1).map(size -> (int) size.getDimValue()).toList());
    }

    private static String text(TensorShapeProto.Dimension size) {
        return size.getDimParam().isEmpty() ? String.valueOf(size.getDimValue()) : size.getDimParam();
    }

    private static Map<String, Weight> weights(GraphProto graph, List<Node> nodes) {
        Map<String, Weight.Role> roles = Roles.of(nodes);
        Map<String, Weight> weights = new LinkedHashMap<>();
        for (TensorProto tensor : graph.getInitializerList()) {
            if (tensor.getDataType() == FLOAT) {
                String name = tensor.getName();
                Weight.Role role = roles.getOrDefault(name, Weight.Role.CONSTANT);
                weights.put(name, new Weight(name, role, Tensors.shape(tensor), Tensors.floats(tensor)));
            }
        }
        return Collections.unmodifiableMap(weights);
    }

    /** The numbers of operators and parameters, and the input; for messages. */
    @Override
    public String toString() {
        return "graph of " + nodes.size() + " operators and " + parameters() + " parameters from " + input;
    }

    static NodeProto.Builder node(String op, String output, String... inputs) {
        return NodeProto.newBuilder()
                .setOpType(op)
                .setName(output)
                .addAllInput(List.of(inputs))
                .addOutput(output);
    }
}
