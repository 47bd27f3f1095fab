/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import io.paritas.gpu.Gpu;
import io.paritas.gpu.GpuException;
import io.paritas.gpu.nn.GpuRates;
import io.paritas.gpu.nn.ImageWindow;
import io.paritas.gpu.nn.LayerTimer;
import io.paritas.gpu.nn.Precision;
import io.paritas.inference.protect.DeviceRates;
import io.paritas.inference.protect.LayerFindings;
import io.paritas.inference.protect.LayerGeometry;
import io.paritas.inference.protect.LayerShape;
import io.paritas.inference.protect.PlanningDevice;
import io.paritas.inference.protect.Window;
import io.paritas.inference.protect.gemm.Scheme;
import java.util.OptionalDouble;
import java.util.function.Supplier;

/**
 * Measures layers on the GPU that the thread is bound to, as the model engine {@code gpu} runs them. The schemes have the names of the CPU's.
 * One thread may use it.
 */
public final class GpuPlanning implements PlanningDevice {
    private final Precision precision;

    /**
     * Measures layers of a precision.
     *
     * @throws IllegalStateException if there is no GPU
     */
    public GpuPlanning(Precision precision) {
        if (!Gpu.isBound()) {
            Gpu.unavailable().ifPresent(sentence -> {
                throw new IllegalStateException("a plan for the GPU must be measured on one, but " + sentence
                        + ". Or plan for this machine's CPU, with --device cpu");
            });
        }
        this.precision = precision;
    }

    /** The name of a GPU with values of a precision, as plans have it. */
    static String name(Gpu gpu, Precision precision) {
        return gpu.name() + ", " + (precision == Precision.HALF ? "float16" : "float32");
    }

    @Override
    public DeviceRates rates() {
        GpuRates rates = GpuRates.measure(precision);
        return new DeviceRates(name(Gpu.current(), precision), rates.operations(), rates.bytes());
    }

    @Override
    public int valueBytes() {
        return precision.bytes();
    }

    /** @throws GpuException if the GPU fails, or has not enough memory, with the layer's name */
    @Override
    public TimedLayer open(LayerGeometry layer) {
        LayerTimer timer = named(layer, () -> timer(layer));
        return new TimedLayer() {
            @Override
            public double seconds(Scheme scheme, int runs) {
                io.paritas.gpu.nn.Scheme named = io.paritas.gpu.nn.Scheme.named(scheme.toString());
                OptionalDouble seconds = named(layer, () -> timer.seconds(named, runs));
                return seconds.isPresent() ? seconds.getAsDouble() : again(named, runs);
            }

            /** As a batch with wrong values is computed once more. */
            private double again(io.paritas.gpu.nn.Scheme scheme, int runs) {
                OptionalDouble seconds = timer.seconds(scheme, runs);
                LayerFindings.Where where =
                        new LayerFindings.Where(layer.name(), layer.rows(), GpuModel.where(Gpu.current()));
                if (seconds.isEmpty()) {
                    throw LayerFindings.current().wrongAgain(where);
                }
                LayerFindings.current().rightAgain(where);
                return seconds.getAsDouble();
            }

            @Override
            public void close() {
                timer.close();
            }
        };
    }

    private static <T> T named(LayerGeometry layer, Supplier<T> work) {
        try {
            return work.get();
        } catch (GpuException e) {
            throw e.explained(layer.name() + " for a batch of " + layer.rows() + ": " + e.getMessage());
        }
    }

    private LayerTimer timer(LayerGeometry layer) {
        LayerShape shape = layer.shape();
        int columns = Math.toIntExact(shape.n());
        if (shape.groups() > 1) {
            return LayerTimer.groupedConvolution(
                    precision,
                    window(layer, layer.window().orElseThrow(), layer.in().channels()),
                    shape.groups(),
                    layer.rows(),
                    Math.multiplyExact(columns, shape.groups()));
        }
        /* A filter that sees one pixel at a time multiplies the images themselves. */
        int channels = precision.storedChannels(layer.in().channels());
        return layer.window()
                .filter(window -> !window.isPointwise())
                .map(window ->
                        LayerTimer.convolution(precision, window(layer, window, channels), layer.rows(), columns))
                .orElseGet(() ->
                        LayerTimer.gemm(precision, Math.toIntExact(shape.m()), columns, Math.toIntExact(shape.k())));
    }

    private static ImageWindow window(LayerGeometry layer, Window window, int channels) {
        int height = layer.in().height();
        int width = layer.in().width();
        return new ImageWindow(height, width, channels, axis(height, window.down()), axis(width, window.across()));
    }

    private static ImageWindow.Axis axis(int size, Window.Axis axis) {
        int outputs = (axis.padded(size) - (axis.size() - 1) * axis.dilation() - 1) / axis.stride() + 1;
        return new ImageWindow.Axis(outputs, axis.size(), axis.stride(), axis.before(), axis.dilation());
    }
}
