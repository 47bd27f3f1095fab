/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.paritas.PublicApi;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The models made for one deployed model, such as its parity models, with a descriptor. On disk, the descriptor is a JSON file
 * with the models' files beside it. A bundle works with its own deployed model only. Immutable.
 */
@PublicApi
public final class Bundle {
    private static final int VERSION = 1;
    private static final ObjectMapper JSON = new ObjectMapper()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);

    private final Descriptor descriptor;
    private final Map<String, ModelFile> models;

    private Bundle(Descriptor descriptor, Map<String, ModelFile> models) {
        this.descriptor = descriptor;
        this.models = models;
    }

    /**
     * The content of a descriptor file.
     *
     * @param version version of the format
     * @param kind {@code parity}, {@code learned} or {@code folded}
     * @param settings how the models work: k, r, encoder and the like
     * @param input input of the deployed model
     * @param output output of the deployed model
     * @param deployed SHA-256 of the deployed model
     * @param models file name and hash by role
     * @param accuracy accuracies in [0, 1], by name, measured on data that was not trained on; empty if none are known
     * @param training how the models were trained: data, epochs, seed; empty if that is not known
     */
    public record Descriptor(
            int version,
            String kind,
            Map<String, String> settings,
            TensorSpec input,
            TensorSpec output,
            String deployed,
            Map<String, Part> models,
            Map<String, Double> accuracy,
            Map<String, String> training) {

        /** Copies the maps, so that nobody changes them. */
        public Descriptor {
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
        public record Part(String file, String sha256) {}

        /**
         * A whole number among the settings.
         *
         * @throws ModelException if it is missing or no whole number
         */
        public int number(String setting) {
            String value = text(setting);
            try {
                return Integer.parseInt(value);
            } catch (NumberFormatException e) {
                throw new ModelException(
                        "'" + setting + "' of a " + kind + " descriptor must be a number, got " + value, e);
            }
        }

        /**
         * A setting.
         *
         * @throws ModelException if it is missing
         */
        public String text(String setting) {
            String value = settings.get(setting);
            if (value == null) {
                throw new ModelException("a " + kind + " descriptor must have the setting '" + setting
                        + "', this one has " + settings.keySet() + ": it is damaged, make the models again");
            }
            return value;
        }
    }

    /**
     * Makes a bundle.
     *
     * @param kind {@code parity}, {@code learned} or {@code folded}
     * @param settings how the models work
     * @param deployed the model that they belong to
     * @param models the models by role; their files get the roles' names
     * @param accuracy measured accuracies by name
     * @param training how the models were trained
     */
    public static Bundle of(
            String kind,
            Map<String, String> settings,
            DeployedModel deployed,
            Map<String, ModelFile> models,
            Map<String, Double> accuracy,
            Map<String, String> training) {
        Map<String, Descriptor.Part> parts = new LinkedHashMap<>();
        models.forEach((role, model) ->
                parts.put(role, new Descriptor.Part(role + model.format().suffix(), model.sha256())));
        return new Bundle(
                new Descriptor(
                        VERSION,
                        kind,
                        settings,
                        deployed.input(),
                        deployed.output(),
                        deployed.file().sha256(),
                        parts,
                        accuracy,
                        training),
                new LinkedHashMap<>(models));
    }

    /** The same with other measured accuracies. */
    public Bundle withAccuracy(Map<String, Double> accuracy) {
        Descriptor d = descriptor;
        return new Bundle(
                new Descriptor(
                        d.version, d.kind, d.settings, d.input, d.output, d.deployed, d.models, accuracy, d.training),
                models);
    }

    /** The same with more settings, or other ones. */
    public Bundle withSettings(Map<String, String> changed) {
        Descriptor d = descriptor;
        Map<String, String> settings = new LinkedHashMap<>(d.settings);
        settings.putAll(changed);
        return new Bundle(
                new Descriptor(
                        d.version, d.kind, settings, d.input, d.output, d.deployed, d.models, d.accuracy, d.training),
                models);
    }

    /** The descriptor. */
    public Descriptor descriptor() {
        return descriptor;
    }

    /**
     * The model of a role.
     *
     * @throws ModelException if there is none
     */
    public ModelFile model(String role) {
        ModelFile model = models.get(role);
        if (model == null) {
            throw new ModelException("a " + descriptor.kind + " bundle must have a model '" + role + "', this one has "
                    + models.keySet() + ": make the models again");
        }
        return model;
    }

    /**
     * Checks that the bundle was made for a model.
     *
     * @return this bundle
     * @throws ModelException if the hashes differ
     */
    public Bundle requireFor(ModelFile deployed) {
        if (!deployed.sha256().equals(descriptor.deployed)) {
            throw new ModelException(
                    "a " + descriptor.kind + " bundle works only with the model that it was made for, with"
                            + " SHA-256 " + descriptor.deployed + "; the deployed model has " + deployed.sha256()
                            + ": train the bundle again whenever the model changes");
        }
        return this;
    }

    /**
     * Writes the models into a folder, then the descriptor {@code KIND.json}. Each file is written completely or not at all.
     *
     * @return path of the descriptor
     */
    public Path write(Path folder) {
        try {
            CompleteFile.createFolder(folder);
            for (Map.Entry<String, ModelFile> model : models.entrySet()) {
                Path file = folder.resolve(descriptor.models.get(model.getKey()).file());
                CompleteFile.write(file, model.getValue().bytes());
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the models into " + folder + ": " + e.getMessage(), e);
        }
        Path file = folder.resolve(descriptor.kind + ".json");
        writeDescriptor(file);
        return file;
    }

    /** Writes the descriptor alone, beside models that are there, completely or not at all. */
    public void writeDescriptor(Path file) {
        try {
            CompleteFile.write(file, JSON.writeValueAsBytes(descriptor));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the descriptor " + file + ": " + e.getMessage(), e);
        }
    }

    /**
     * Reads a descriptor and its models.
     *
     * @param path the descriptor, or its folder
     * @param kind the kind that the descriptor must have
     * @throws ModelException if it has another kind or version, or a model is missing or has another hash than the descriptor says
     */
    public static Bundle read(Path path, String kind) {
        Path file = Files.isDirectory(path) ? path.resolve(kind + ".json") : path;
        return read(file, descriptor(file), kind);
    }

    /**
     * Reads a descriptor of any kind, and its models.
     *
     * @throws ModelException if it has another version, or a model is missing or has another hash than the descriptor says
     */
    public static Bundle read(Path file) {
        Descriptor descriptor = descriptor(file);
        return read(file, descriptor, descriptor.kind);
    }

    private static Bundle read(Path file, Descriptor descriptor, String kind) {
        if (!descriptor.kind.equals(kind)) {
            throw new ModelException(
                    "the descriptor must be of the kind " + kind + ", " + file + " is of the kind " + descriptor.kind);
        }
        Map<String, ModelFile> models = new LinkedHashMap<>();
        descriptor.models.forEach((role, part) -> models.put(role, model(file, role, part)));
        return new Bundle(descriptor, models);
    }

    private static Descriptor descriptor(Path file) {
        try {
            JsonNode json = JSON.readTree(Files.readAllBytes(file));
            int version = json.path("version").asInt(VERSION); // first: newer ones may have other fields
            if (version != VERSION) {
                throw new ModelException("the descriptor must have version " + VERSION + ", " + file + " has version "
                        + version + (version > VERSION ? ": use a newer Paritas" : ": make the models again"));
            }
            Descriptor descriptor = JSON.treeToValue(json, Descriptor.class);
            boolean complete = descriptor != null
                    && descriptor.kind != null
                    && descriptor.settings != null
                    && descriptor.input != null
                    && descriptor.output != null
                    && descriptor.deployed != null
                    && descriptor.models != null
                    && descriptor.models.values().stream().allMatch(Bundle::isComplete);
            if (!complete) {
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

    private static boolean isComplete(Descriptor.Part part) {
        return part != null && part.file() != null && part.sha256() != null;
    }

    private static ModelFile model(Path descriptor, String role, Descriptor.Part part) {
        Path file = descriptor.resolveSibling(part.file());
        if (!Objects.equals(file.getParent(), descriptor.getParent()) || !Files.isRegularFile(file)) {
            throw new ModelException("the model '" + role + "' of " + descriptor + " must lie beside it as '"
                    + part.file() + "', no such file is there: copy the whole folder");
        }
        ModelFile model = ModelFile.read(file);
        if (!model.sha256().equals(part.sha256())) {
            throw new ModelException("the model '" + role + "' must have the SHA-256 " + part.sha256() + " that "
                    + descriptor + " says, " + file + " has " + model.sha256() + ": the file was changed or damaged");
        }
        return model;
    }
}
