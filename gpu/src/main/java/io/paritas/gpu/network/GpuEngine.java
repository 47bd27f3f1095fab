/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import io.paritas.gpu.Gpu;
import io.paritas.gpu.GpuException;
import io.paritas.gpu.nn.Precision;
import io.paritas.inference.Device;
import io.paritas.inference.GpuChoice;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngine;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelFormat;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.UnsupportedModelException;
import io.paritas.inference.graph.Graph;
import java.util.Optional;
import java.util.Set;

/**
 * Runs ONNX networks whole on a GPU, with the kernels of this module: no library but the driver. What they do not
 * compute is refused by the operator's name. Stateless and thread-safe.
 */
public final class GpuEngine implements ModelEngine {
    static final String NAME = "gpu";

    private static final long MIB = 1 << 20;

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
        return device == Device.CPU
                ? Optional.of("it runs on a GPU: ask for the device CUDA or AUTO")
                : Gpu.noneAvailable();
    }

    @Override
    public boolean needsGpu() {
        return true;
    }

    @Override
    public boolean checks() {
        return true;
    }

    @Override
    public Model load(ModelFile file, ModelOptions options) {
        if (file.format() != ModelFormat.ONNX) {
            throw new ModelException("gpu reads ONNX, the model is " + file.format()
                    + ": export it with torch.onnx.export, or load it with another engine");
        }
        unavailable(options.device()).ifPresent(refusal -> {
            throw new ModelException("gpu cannot run on the device " + options.device() + ": " + refusal);
        });
        Gpu gpu = gpu(options.gpu());
        Precision precision = NetworkSettings.PRECISION.get();
        GpuModel.Limits limits = new GpuModel.Limits(NetworkSettings.LANES.get(), NetworkSettings.ARENA.get() * MIB);
        Planned planned = plan(file, precision);
        try {
            return gpu.whileBound(() -> {
                NetworkPlan plan = options.protection().isOn()
                        ? Checking.add(
                                planned.plan,
                                Schemes.of(file, planned.plan, options.protection(), limits.rows(planned.plan)))
                        : planned.plan;
                return GpuModel.load(planned.graph.input(), planned.graph.output(), plan, limits);
            });
        } catch (GpuException e) {
            throw GpuModel.failure("gpu cannot load " + text(file), gpu, e);
        }
    }

    private static Gpu gpu(GpuChoice choice) {
        try {
            return choice.number().isPresent() ? Gpu.get(choice.number().getAsInt()) : Gpu.get();
        } catch (GpuException e) {
            String device = choice.number().isPresent() ? "CUDA " + choice : "CUDA";
            throw new ModelException("gpu cannot run on the device " + device + ": " + e.getMessage(), e);
        }
    }

    private record Planned(Graph graph, NetworkPlan plan) {}

    /** Whatever is wrong with the model, another engine may run it, or know better what is wrong. */
    private static Planned plan(ModelFile file, Precision precision) {
        try {
            Graph graph = Graph.of(file);
            return new Planned(graph, Planner.plan(graph, precision));
        } catch (RuntimeException e) {
            throw new UnsupportedModelException("gpu does not run " + text(file) + ": " + e.getMessage(), e);
        }
    }

    private static String text(ModelFile file) {
        return "the model of " + file.size() + " bytes with the hash " + file.sha256();
    }
}
