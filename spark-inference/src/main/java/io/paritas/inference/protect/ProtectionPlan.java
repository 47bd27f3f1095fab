/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.protect.product.Scheme;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Which scheme each layer of a model uses, and what was measured to choose it: the content of a plan file. Immutable.
 *
 * @param version of this format
 * @param model hash of the model
 * @param device where it was measured
 * @param rows of the batch
 * @param layers convolutions and linear layers, in the order of the network
 */
public record ProtectionPlan(int version, String model, DeviceRates device, int rows, List<Layer> layers) {
    private static final int VERSION = 1;
    private static final ObjectMapper JSON = new ObjectMapper()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES);

    /**
     * One layer.
     *
     * @param name as in {@code Conv 'conv1'}
     * @param m rows of its activations, for the batch
     * @param n columns of its weights
     * @param k columns of its activations
     * @param groups of channels
     * @param operations multiplications and additions of the batch
     * @param bytes that are read and written at least
     * @param intensity operations for each byte (thesis, 4.3.1)
     * @param seconds of the fastest of many runs, for each scheme
     * @param scheme that was chosen: the fastest of those that check
     */
    public record Layer(
            String name,
            long m,
            long n,
            long k,
            int groups,
            long operations,
            long bytes,
            double intensity,
            Map<String, Double> seconds,
            String scheme) {

        static Layer of(String name, LayerShape shape, int valueBytes, Map<String, Double> seconds) {
            String fastest = seconds.entrySet().stream()
                    .filter(each -> !each.getKey().equals(Scheme.NONE.toString()))
                    .min(Comparator.comparingDouble(Map.Entry::getValue))
                    .orElseThrow()
                    .getKey();
            return new Layer(
                    name,
                    shape.m(),
                    shape.n(),
                    shape.k(),
                    shape.groups(),
                    shape.operations(),
                    shape.bytes(valueBytes),
                    (double) shape.operations() / shape.bytes(valueBytes),
                    seconds,
                    fastest);
        }

        /** By how much the chosen scheme is slower than none, 0.05 for 5 %. */
        public double overhead() {
            return seconds.get(scheme) / seconds.get(Scheme.NONE.toString()) - 1;
        }
    }

    /** A plan of this version. */
    static ProtectionPlan of(String model, DeviceRates device, int rows, List<Layer> layers) {
        return new ProtectionPlan(VERSION, model, device, rows, List.copyOf(layers));
    }

    /**
     * Reads a plan.
     *
     * @throws ModelException if it is none
     */
    public static ProtectionPlan parse(String text) {
        try {
            ProtectionPlan plan = JSON.readValue(text, ProtectionPlan.class);
            if (plan.version != VERSION || plan.model == null || plan.device == null || plan.layers == null) {
                throw new ModelException("a plan of protection must be of version " + VERSION
                        + " and name its model, device and layers, this one is of version " + plan.version
                        + ": make it anew with bin/paritas protect plan");
            }
            return plan;
        } catch (JsonProcessingException e) {
            throw new ModelException(
                    "a plan of protection is the JSON that bin/paritas protect plan writes, this one cannot be read: "
                            + e.getOriginalMessage(),
                    e);
        }
    }

    /** Reads a plan file. */
    public static ProtectionPlan read(Path file) {
        try {
            return parse(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the plan " + file + ": " + e.getMessage(), e);
        }
    }

    /** The content of a plan file. */
    public String json() {
        try {
            return JSON.writeValueAsString(this) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a plan is plain data", e);
        }
    }

    /**
     * The schemes of a model's layers.
     *
     * @throws ModelException if the plan is for another model
     */
    List<Scheme> schemes(ModelFile file, List<String> names) {
        if (!model.equals(file.sha256())) {
            throw new ModelException("a plan of protection is for the model that it was made for: it says " + model
                    + ", the model is " + file.sha256() + ": make one with bin/paritas protect plan");
        }
        List<String> planned = layers.stream().map(Layer::name).toList();
        if (!planned.equals(names)) {
            throw new ModelException("a plan of protection must have the layers of its model, " + names + "; it has "
                    + planned + ": make it anew with bin/paritas protect plan");
        }
        if (!device.isThis()) {
            System.getLogger(ProtectionPlan.class.getName())
                    .log(
                            System.Logger.Level.WARNING,
                            "Paritas: the plan of protection was measured on {0}, this is {1}: it protects as well, but"
                                    + " another may be faster",
                            device.name(),
                            DeviceRates.thisName());
        }
        return layers.stream().map(layer -> Scheme.named(layer.scheme())).toList();
    }
}
