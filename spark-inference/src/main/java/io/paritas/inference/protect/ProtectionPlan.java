/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.Protection;
import io.paritas.inference.protect.gemm.Scheme;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.slf4j.LoggerFactory;

/**
 * The scheme of each layer of a model, with the measurements behind the choice: the content of a plan file. Immutable.
 *
 * @param version version of the format
 * @param model SHA-256 of the model
 * @param device where it was measured
 * @param rows rows of the measured batch
 * @param layers convolutions and linear layers, in the order of the network
 */
public record ProtectionPlan(int version, String model, DeviceRates device, int rows, List<Layer> layers) {
    private static final int VERSION = 1;
    private static final ObjectMapper JSON = new ObjectMapper()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES, DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);

    /**
     * One layer.
     *
     * @param name name, as in {@code Conv 'conv1'}
     * @param m rows of its activations, for the batch
     * @param n columns of its weights
     * @param k columns of its activations
     * @param groups groups of channels
     * @param operations multiplications and additions of the batch
     * @param bytes least number of bytes read and written
     * @param intensity operations per byte (thesis, 4.3.1)
     * @param seconds time of the fastest of many runs, by scheme
     * @param scheme the chosen scheme: the fastest of those that check
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

        /** The time of the chosen scheme beside that of none, less 1: 0.05 is 5 % slower. */
        public double overhead() {
            return cost(scheme);
        }

        /** The same for another scheme that was measured. */
        public double cost(String measured) {
            return seconds.get(measured) / seconds.get(Scheme.NONE.toString()) - 1;
        }
    }

    /** A plan in the current version of the format. */
    static ProtectionPlan of(String model, DeviceRates device, int rows, List<Layer> layers) {
        return new ProtectionPlan(VERSION, model, device, rows, List.copyOf(layers));
    }

    /**
     * Parses a plan.
     *
     * @throws ModelException if the text is no plan, or one of another version, or a layer has no name or no scheme that there is
     */
    public static ProtectionPlan parse(String text) {
        try {
            return plan(JSON.readTree(text));
        } catch (JsonProcessingException e) {
            throw unreadable(e);
        }
    }

    private static ModelException unreadable(JsonProcessingException e) {
        return new ModelException(
                "a protection plan must be JSON as bin/paritas protect plan writes it, this one cannot be read: "
                        + e.getOriginalMessage(),
                e);
    }

    private static ProtectionPlan plan(JsonNode json) throws JsonProcessingException {
        int version = json.path("version").asInt(VERSION); // first: newer ones may have other fields
        if (version != VERSION) {
            throw new ModelException("a protection plan must have version " + VERSION + ", got " + version
                    + (version > VERSION ? ": use a newer Paritas, or make" : ": make")
                    + " it again with bin/paritas protect plan");
        }
        ProtectionPlan plan = JSON.treeToValue(json, ProtectionPlan.class);
        if (plan == null) {
            throw new ModelException("a protection plan must be a JSON object, got null");
        }
        if (plan.model == null || plan.device == null || plan.layers == null) {
            throw new ModelException("a protection plan must have a model, a device and layers, this one lacks some:"
                    + " make it again with bin/paritas protect plan");
        }
        if (plan.device.name() == null) {
            throw new ModelException("a protection plan must name the device that it was measured on, got "
                    + plan.device + ": make it again with bin/paritas protect plan");
        }
        plan.layers.forEach(ProtectionPlan::check);
        return plan;
    }

    private static void check(Layer layer) {
        if (layer == null || layer.name == null) {
            throw new ModelException("each layer of a protection plan must have a name, got " + layer
                    + ": make it again with bin/paritas protect plan");
        }
        try {
            Scheme.named(String.valueOf(layer.scheme));
        } catch (IllegalArgumentException e) {
            throw new ModelException(
                    "the layer " + layer.name + " of a protection plan must have a scheme that there is: "
                            + e.getMessage(),
                    e);
        }
    }

    /**
     * Reads a plan file.
     *
     * @throws ModelException as {@link #parse}
     */
    public static ProtectionPlan read(Path file) {
        try {
            return plan(JSON.readTree(Files.readAllBytes(file)));
        } catch (JsonProcessingException e) {
            throw unreadable(e);
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
     * Checks that a protection's plan, if it has one, can be followed, and is for a model.
     *
     * @throws ModelException as {@link #parse}, or if it is for another
     */
    public static void check(ModelFile file, Protection protection) {
        if (!protection.plan().isEmpty()) {
            parse(protection.plan()).requireFor(file);
        }
    }

    private void requireFor(ModelFile file) {
        if (!model.equals(file.sha256())) {
            throw new ModelException("a protection plan must be for its model: the plan is for " + model
                    + ", the model is " + file.sha256() + ": make a plan with bin/paritas protect plan");
        }
    }

    /**
     * The schemes of a model's layers. Logs a warning if the plan was measured elsewhere.
     *
     * @param names the model's layers, in the order of the network
     * @param here the name of the device that the model runs on, as in {@link DeviceRates#name}
     * @throws ModelException if the plan is for another model
     */
    public List<Scheme> schemes(ModelFile file, List<String> names, String here) {
        requireFor(file);
        List<String> planned = layers.stream().map(Layer::name).toList();
        if (!planned.equals(names)) {
            throw new ModelException("a protection plan must have the layers of its model, " + names + ", got "
                    + planned + ": make it again with bin/paritas protect plan");
        }
        if (!device.name().equals(here)) {
            LoggerFactory.getLogger(ProtectionPlan.class)
                    .warn(
                            "Paritas: the protection plan was measured on {}, the model runs on {}: it protects, but"
                                    + " another plan may be faster",
                            device.name(),
                            here);
        }
        return layers.stream().map(layer -> Scheme.named(layer.scheme())).toList();
    }
}
