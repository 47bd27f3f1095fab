/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngine;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelFormat;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.Protection;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.protect.gemm.Scheme;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * An engine in plain Java that runs ONNX graphs and checks what it computes, as {@link Protection} says. Stateless and
 * thread-safe.
 */
public final class ProtectedEngine implements ModelEngine {
    static final String NAME = "protected";

    /** Rows of a batch for measuring layers without a plan. */
    private static final int TYPICAL_ROWS = 8;

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Set<ModelFormat> formats() {
        return Set.of(ModelFormat.ONNX);
    }

    @Override
    public Optional<String> unavailable(Device device) {
        return device == Device.CUDA
                ? Optional.of("it runs on the CPU: ask for the device CPU or AUTO")
                : Optional.empty();
    }

    @Override
    public boolean checks() {
        return true;
    }

    @Override
    public Model load(ModelFile file, ModelOptions options) {
        if (file.format() != ModelFormat.ONNX) {
            throw new ModelException("protected reads ONNX, the model is " + file.format()
                    + ": export it with torch.onnx.export, or load it with another engine");
        }
        unavailable(options.device()).ifPresent(refusal -> {
            throw new ModelException("protected cannot run on the device " + options.device() + ": " + refusal);
        });
        Network network = network(file);
        return new ProtectedModel(
                network, schemes(file, network, options.protection()), options.threads(), FaultInjection::current);
    }

    private static Network network(ModelFile file) {
        try {
            return NetworkBuilder.build(Graph.of(file));
        } catch (RuntimeException e) {
            throw new ModelException(
                    "protected cannot load the model of " + file.size() + " bytes with the hash " + file.sha256() + ": "
                            + e.getMessage(),
                    e);
        }
    }

    private static List<Scheme> schemes(ModelFile file, Network network, Protection protection) {
        return switch (protection.mode()) {
            case OFF -> all(network, Scheme.NONE);
            case GLOBAL -> all(network, Scheme.GLOBAL);
            case THREAD -> all(network, Scheme.THREAD);
            case WEIGHTED -> all(network, Scheme.WEIGHTED);
            case GUIDED ->
                protection.plan().isEmpty()
                        ? Planner.schemes(network, TYPICAL_ROWS, Planner.QUICK)
                        : ProtectionPlan.parse(protection.plan())
                                .schemes(
                                        file,
                                        network.linear().stream()
                                                .map(LinearLayer::name)
                                                .toList(),
                                        DeviceRates.thisName());
        };
    }

    private static List<Scheme> all(Network network, Scheme scheme) {
        return Collections.nCopies(network.linear().size(), scheme);
    }
}
