/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.protect;

import io.paritas.gpu.Gpu;
import io.paritas.gpu.nn.GpuRates;
import io.paritas.gpu.nn.ImageFilter;
import io.paritas.gpu.nn.LayerTimer;
import io.paritas.gpu.nn.Precision;
import io.paritas.inference.ModelException;
import io.paritas.inference.protect.DeviceRates;
import io.paritas.inference.protect.LayerGeometry;
import io.paritas.inference.protect.LayerShape;
import io.paritas.inference.protect.PlanningDevice;
import io.paritas.inference.protect.Window;
import io.paritas.inference.protect.gemm.Scheme;

/** Measures layers on this machine's GPU, whose schemes have the names of the CPU's. */
final class GpuPlanning implements PlanningDevice {
    private final Precision precision;

    private GpuPlanning(Precision precision) {
        Gpu.unavailable().ifPresent(sentence -> {
            throw new IllegalStateException("a plan for the GPU must be measured on one, but " + sentence
                    + ". Or plan for this machine's CPU, with --device cpu");
        });
        this.precision = precision;
    }

    /**
     * Measures layers of float16.
     *
     * @throws IllegalStateException if there is no GPU
     */
    static GpuPlanning half() {
        return new GpuPlanning(Precision.HALF);
    }

    /**
     * Measures layers of float32.
     *
     * @throws IllegalStateException if there is no GPU
     */
    static GpuPlanning single() {
        return new GpuPlanning(Precision.SINGLE);
    }

    @Override
    public DeviceRates rates() {
        GpuRates rates = GpuRates.measure(precision);
        String values = precision == Precision.HALF ? "float16" : "float32";
        return new DeviceRates(Gpu.get().name() + ", " + values, rates.operations(), rates.bytes());
    }

    @Override
    public int valueBytes() {
        return precision.bytes();
    }

    @Override
    public TimedLayer open(LayerGeometry layer) {
        LayerTimer timer = isProduct(layer)
                ? product(layer.shape())
                : LayerTimer.convolution(
                        precision,
                        filter(layer),
                        layer.rows(),
                        Math.toIntExact(layer.shape().n()));
        return new TimedLayer() {
            @Override
            public double seconds(Scheme scheme, int runs) {
                return timer.seconds(io.paritas.gpu.nn.Scheme.named(scheme.toString()), runs);
            }

            @Override
            public void close() {
                timer.close();
            }
        };
    }

    private LayerTimer product(LayerShape shape) {
        return LayerTimer.gemm(
                precision, Math.toIntExact(shape.m()), Math.toIntExact(shape.n()), Math.toIntExact(shape.k()));
    }

    /** Returns whether a window covers one pixel at a time, so that A is the images themselves. */
    private static boolean isProduct(LayerGeometry layer) {
        return layer.shape().groups() == 1
                && layer.window().map(Window::isPointwise).orElse(true);
    }

    /** Returns the convolution of a layer, if the GPU supports it. */
    static ImageFilter filter(LayerGeometry layer) {
        Window window = layer.window().orElseThrow();
        boolean even = window.strideY() == window.strideX()
                && window.top() == window.left()
                && window.top() == window.bottom()
                && window.top() == window.right();
        if (layer.shape().groups() != 1 || window.dilationY() * window.dilationX() != 1 || !even) {
            throw new ModelException("convolutions on the GPU have one group, no dilation, one stride and one padding, "
                    + layer.name() + " has " + layer.shape().groups() + " groups and " + window
                    + ": plan this model for the CPU");
        }
        return new ImageFilter(
                layer.in().height(),
                layer.in().width(),
                layer.in().channels(),
                window.height(),
                window.width(),
                window.strideY(),
                window.top());
    }
}
