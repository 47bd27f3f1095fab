/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import io.paritas.inference.Device;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Node;
import io.paritas.inference.graph.Weight;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** An ONNX graph run operator by operator. Training changes its weights only. */
public final class GraphNetwork implements Network {
    private final Graph graph;
    private final boolean trainable;
    private final Map<String, Tensor> weights = new LinkedHashMap<>();
    private final List<Tensor> parameters = new ArrayList<>();
    private final List<Step> steps = new ArrayList<>();

    /** One operator, and the values that no later one reads. */
    private record Step(Node node, Operator operator, List<String> lastRead) {}

    private GraphNetwork(Graph graph, Place place, boolean trainable) {
        this.graph = graph;
        this.trainable = trainable;
        Map<Node, List<String>> lastReads = lastReads(graph);
        for (Node node : graph.nodes()) {
            steps.add(new Step(node, Operator.of(node), lastReads.getOrDefault(node, List.of())));
        }
        try (Scope scope = Scope.open()) {
            for (Weight weight : graph.weights().values()) {
                Tensor tensor = Tensor.of(place, weight.values(), sizes(weight));
                if (trainable && weight.role().trained()) {
                    tensor.raw().requires_grad_(true);
                    parameters.add(tensor);
                }
                weights.put(weight.name(), Scope.keep(tensor));
            }
        }
    }

    /**
     * A network to train.
     *
     * @throws io.paritas.inference.ModelException if the graph has an operator that Paritas cannot train
     */
    public static GraphNetwork trainable(Graph graph, Device device) {
        return new GraphNetwork(graph, Place.of(device), true);
    }

    /** A network with constant weights, through which gradients flow. It is always in inference mode. */
    public static GraphNetwork frozen(Graph graph, Device device) {
        return frozen(graph, Place.of(device));
    }

    static GraphNetwork frozen(Graph graph, Place place) {
        return new GraphNetwork(graph, place, false);
    }

    @Override
    public Tensor forward(Tensor inputs, Mode mode) {
        return LibTorch.withoutDenormals(() -> run(inputs, mode));
    }

    private Tensor run(Tensor inputs, Mode mode) {
        Eager functions = new Eager(trainable ? mode : Mode.INFERENCE);
        Map<String, Tensor> values = new HashMap<>();
        values.put(graph.input().name(), inputs);
        for (Step step : steps) {
            Operands<Tensor> operands = new Operands<>(step.node(), graph, weights, values, functions);
            values.put(step.node().output(), run(step, operands));
            for (String name : step.lastRead()) {
                values.remove(name).close();
            }
        }
        return values.get(graph.outputName());
    }

    /** LibTorch's exceptions have pages of C++ frames; the first line has the reason. */
    private static Tensor run(Step step, Operands<Tensor> operands) {
        try {
            return step.operator().apply(operands);
        } catch (ModelException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new ModelException("LibTorch cannot run " + step.node() + ": " + LibTorch.reason(e), e);
        }
    }

    @Override
    public List<Tensor> parameters() {
        return List.copyOf(parameters);
    }

    /** The graph with the weights as they are now. */
    public Graph graph() {
        List<Weight> now = new ArrayList<>();
        try (Scope scope = Scope.withoutGradients()) {
            for (Weight weight : graph.weights().values()) {
                now.add(weight.with(weights.get(weight.name()).values()));
            }
        }
        return graph.with(now);
    }

    @Override
    public ModelFile toModelFile() {
        try (Scope scope = Scope.withoutGradients()) {
            weights.forEach((name, tensor) -> tensor.requireFinite(name));
        }
        return graph().toModelFile();
    }

    @Override
    public void load(ModelFile other) {
        Map<String, Weight> others = Graph.of(other).weights();
        if (!shapes(others).equals(shapes(graph.weights()))) {
            throw new ModelException("weights can be taken only from the same network: this one has "
                    + shapes(graph.weights()) + ", the other " + shapes(others));
        }
        try (Scope scope = Scope.withoutGradients()) {
            others.forEach((name, weight) -> weights.get(name).set(weight.values(), sizes(weight)));
        }
    }

    private static Map<String, String> shapes(Map<String, Weight> weights) {
        Map<String, String> shapes = new TreeMap<>();
        weights.forEach((name, weight) -> shapes.put(name, Arrays.toString(weight.shape())));
        return shapes;
    }

    @Override
    public void close() {
        weights.values().forEach(Tensor::close);
    }

    /** Computed values by the last node that reads them; without the network's input and output, which are not freed here. */
    private static Map<Node, List<String>> lastReads(Graph graph) {
        Set<String> read = new HashSet<>(graph.weights().keySet());
        read.add(graph.outputName());
        read.add(graph.input().name());
        Map<Node, List<String>> result = new HashMap<>();
        for (int i = graph.nodes().size() - 1; i >= 0; i--) {
            Node node = graph.nodes().get(i);
            for (String name : node.inputs()) {
                if (!name.isEmpty() && !graph.isConstant(name) && read.add(name)) {
                    result.computeIfAbsent(node, any -> new ArrayList<>()).add(name);
                }
            }
        }
        return result;
    }

    static long[] sizes(Weight weight) {
        long[] sizes = new long[weight.shape().length];
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = weight.shape()[i];
        }
        return sizes;
    }
}
