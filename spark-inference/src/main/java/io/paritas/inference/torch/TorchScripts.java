/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import io.paritas.inference.Device;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Node;
import io.paritas.inference.graph.Weight;
import io.paritas.inference.graph.Weight.Role;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.bytedeco.pytorch.BoolType;
import org.bytedeco.pytorch.CompilationUnit;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.JitModule;
import org.bytedeco.pytorch.QualifiedName;
import org.bytedeco.pytorch.SingletonTypePtr;
import org.bytedeco.pytorch.Type;

/**
 * Writes networks as TorchScript programs, for {@code torch.jit.load} in Python or C++. Every operator with weights is a module;
 * its parameters and buffers have PyTorch's names ({@code weight}, {@code bias}, {@code running_mean}, {@code running_var}) and
 * shapes: matrices are (outputs, inputs).
 */
public final class TorchScripts {
    /** Names that are reserved in Python or mean something else there. */
    private static final Set<String> RESERVED = Set.of(
            ("forward training train eval and as assert async await break class continue def del elif else except"
                            + " finally for from global if import in is lambda nonlocal not or pass raise return try while with"
                            + " yield None True False")
                    .split(" ", -1));

    private final Graph graph;
    private final CompilationUnit unit = new CompilationUnit();
    private final JitModule network = module("Network");
    private final Map<String, JitModule> modules = new LinkedHashMap<>();
    private final Map<String, String> weights = new HashMap<>();
    private final Set<String> names = new HashSet<>(RESERVED);

    private TorchScripts(Graph graph) {
        this.graph = graph;
    }

    /**
     * The network as a TorchScript file, with the shape of its input for Paritas.
     *
     * @throws ModelException if LibTorch cannot run an operator as ONNX defines it, or does not load here
     */
    public static ModelFile write(Graph graph) {
        LibTorch.require(Device.CPU);
        try (Scope scope = Scope.withoutGradients()) {
            return new TorchScripts(graph).write();
        }
    }

    private ModelFile write() {
        Source source = new Source();
        Map<String, String> values = new HashMap<>(Map.of(graph.input().name(), "input"));
        for (Node node : graph.nodes()) {
            Operator operator = Operator.of(node);
            register(node);
            values.put(node.output(), operator.apply(new Operands<>(node, graph, weights, values, source)));
        }
        modules.forEach(network::register_module);
        network.define(source.method("input", values.get(graph.outputName())));
        network.eval();
        return new ScriptFile(network, graph.input().shape()).toModelFile();
    }

    /** Makes a module for the weights that no earlier node reads; later nodes refer to it. */
    private void register(Node node) {
        String module = null;
        for (String name : node.inputs()) {
            Weight weight = graph.weights().get(name);
            if (weight == null || weights.containsKey(weight.name()) || isSetting(node)) {
                continue;
            }
            module = module == null ? identifier(weight.name(), node) : module;
            JitModule owner = modules.computeIfAbsent(module, this::module);
            weights.put(weight.name(), "self." + module + "." + register(owner, weight, isTransposed(node, weight)));
        }
    }

    /** Adds a weight to its module, and returns the expression that reads it in ONNX's shape. */
    private static String register(JitModule owner, Weight weight, boolean transposed) {
        Tensor held = Tensor.of(Device.CPU, weight.values(), GraphNetwork.sizes(weight));
        String name = name(weight.role());
        if (weight.role().trained()) {
            org.bytedeco.pytorch.Tensor raw = transposed ? held.raw().t().contiguous() : held.raw();
            owner.register_parameter(name, raw.requires_grad_(true), false);
        } else {
            owner.register_buffer(name, held.raw());
        }
        return transposed ? name + ".t()" : name;
    }

    private static boolean isTransposed(Node node, Weight weight) {
        return weight.role() == Role.MATRIX && weight.shape().length == 2 && !node.flag("transB");
    }

    /** Whether the node's constants are written into the program as numbers. */
    private static boolean isSetting(Node node) {
        return Set.of("Clip", "Dropout", "Pad").contains(node.op());
    }

    private static String name(Role role) {
        return switch (role) {
            case KERNEL, MATRIX, SCALE -> "weight";
            case BIAS, SHIFT -> "bias";
            case MEAN -> "running_mean";
            case VARIANCE -> "running_var";
            case CONSTANT -> "constant";
        };
    }

    /** A module's name, from its first weight: {@code conv1} for {@code conv1.weight}. */
    private String identifier(String weight, Node node) {
        int dot = weight.lastIndexOf('.');
        String wanted = (dot < 0 ? node.output() : weight.substring(0, dot)).replaceAll("[^A-Za-z0-9_]", "_");
        String name = Character.isLetter(wanted.charAt(0)) ? wanted : "layer_" + wanted;
        String free = name;
        for (int i = 2; !names.add(free); i++) {
            free = name + "_" + i;
        }
        return free;
    }

    private JitModule module(String name) {
        JitModule module = new JitModule(new QualifiedName("__torch__.paritas." + name), unit, true);
        /* As the general type, because the binding passes the address of the special one as any type's. */
        Type.TypePtr bool = new Type.TypePtr(new SingletonTypePtr(BoolType.get().get()));
        module.register_attribute("training", bool, new IValue(true), false, false);
        return module;
    }
}
