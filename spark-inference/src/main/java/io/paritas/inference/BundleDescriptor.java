/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The content of a bundle's descriptor file, JSON with these fields. All maps keep their order.
 *
 * @param version version of the format
 * @param kind what the models are
 * @param settings how the models work: k, r, encoder and the like
 * @param input input of the deployed model
 * @param output output of the deployed model
 * @param deployed SHA-256 of the deployed model
 * @param models file name and hash by role
 * @param accuracy accuracies in [0, 1], by name; empty if none are known
 * @param training how the models were trained: data, epochs, seed; empty if that is not known
 */
record BundleDescriptor(
        int version,
        BundleKind kind,
        Map<String, String> settings,
        TensorSpec input,
        TensorSpec output,
        String deployed,
        Map<String, Part> models,
        Map<String, Double> accuracy,
        Map<String, String> training) {

    static final int VERSION = 1;

    private static final ObjectMapper JSON = new ObjectMapper()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .enable(SerializationFeature.WRITE_ENUMS_USING_TO_STRING)
            .enable(DeserializationFeature.READ_ENUMS_USING_TO_STRING)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);

    /** Copies the maps, so that nobody changes them. */
    BundleDescriptor {
        settings = copy(settings);
        models = copy(models);
        accuracy = accuracy == null ? Map.of() : copy(accuracy);
        training = training == null ? Map.of() : copy(training);
    }

    /** In their order. A file that lacks one of them is refused when it has been read. */
    private static <V> Map<String, V> copy(Map<String, V> map) {
        return map == null ? null : Collections.unmodifiableMap(new LinkedHashMap<>(map));
    }

    /**
     * One model of a bundle.
     *
     * @param file name of its file, beside the descriptor
     * @param sha256 hash of the file, in lower-case hexadecimal
     */
    record Part(String file, String sha256) {}

    /** The descriptor of the same models with other words about them. */
    BundleDescriptor with(
            Map<String, String> otherSettings, Map<String, Double> otherAccuracy, Map<String, String> otherTraining) {
        return new BundleDescriptor(
                version, kind, otherSettings, input, output, deployed, models, otherAccuracy, otherTraining);
    }

    /** Writes the file, completely or not at all. */
    void write(Path file) {
        try {
            CompleteFile.write(file, JSON.writeValueAsBytes(this));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the descriptor " + file + ": " + e.getMessage(), e);
        }
    }

    /**
     * Reads a descriptor.
     *
     * @throws ModelException if the file is none, or is damaged, or has another version or an unknown kind
     */
    static BundleDescriptor read(Path file) {
        try {
            JsonNode json = JSON.readTree(Files.readAllBytes(file));
            requireKnown(json, file); // first: newer ones may have other fields
            BundleDescriptor descriptor = JSON.treeToValue(json, BundleDescriptor.class);
            if (descriptor == null || !descriptor.isComplete()) {
                throw new ModelException(
                        file + " is no descriptor of models: kind, settings, input, output, deployed or"
                                + " models are missing or not complete");
            }
            return descriptor;
        } catch (JsonProcessingException e) {
            throw new ModelException(
                    file
                            + " is no descriptor of models, a JSON file that bin/paritas train writes, such as parity.json or"
                            + " folded.json: name that file, or its folder (" + e.getOriginalMessage() + ")",
                    e);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the descriptor " + file + ": " + e.getMessage(), e);
        }
    }

    private static void requireKnown(JsonNode json, Path file) {
        int version = json.path("version").asInt(VERSION);
        if (version != VERSION) {
            throw new ModelException("the descriptor must have version " + VERSION + ", " + file + " has version "
                    + version + (version > VERSION ? ": use a newer Paritas" : ": make the models again"));
        }
        String kind = json.path("kind").textValue();
        boolean known = Arrays.stream(BundleKind.values())
                .anyMatch(other -> other.toString().equals(kind));
        if (kind != null && json.has("deployed") && !known) {
            throw new ModelException("the descriptor must be of a kind of " + Arrays.toString(BundleKind.values())
                    + ", " + file + " is of the kind " + kind + ": use a newer Paritas, or make the models again");
        }
    }

    private boolean isComplete() {
        return kind != null
                && settings != null
                && input != null
                && output != null
                && deployed != null
                && models != null
                && models.values().stream().allMatch(part -> part != null && part.file != null && part.sha256 != null);
    }
}
