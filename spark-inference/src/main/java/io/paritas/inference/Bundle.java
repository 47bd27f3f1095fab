/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import io.paritas.PublicApi;
import io.paritas.inference.BundleDescriptor.Part;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The models made for one deployed model, such as its parity models, and what is known of them. On disk, that is a JSON file, the
 * descriptor, with the models' files beside it. A bundle works with its own deployed model only. All maps keep their order. Immutable.
 */
@PublicApi
public final class Bundle {
    private final BundleDescriptor descriptor;
    private final Map<String, ModelFile> models;

    private Bundle(BundleDescriptor descriptor, Map<String, ModelFile> models) {
        this.descriptor = descriptor;
        this.models = Collections.unmodifiableMap(models);
    }

    /**
     * Makes a bundle without settings, accuracies and words on the training.
     *
     * @param deployed the model that they belong to
     * @param models the models by role; their files get the roles' names
     */
    public static Bundle of(BundleKind kind, DeployedModel deployed, Map<String, ModelFile> models) {
        Map<String, Part> parts = new LinkedHashMap<>();
        models.forEach(
                (role, model) -> parts.put(role, new Part(role + model.format().suffix(), model.sha256())));
        return new Bundle(
                new BundleDescriptor(
                        BundleDescriptor.VERSION,
                        kind,
                        Map.of(),
                        deployed.input(),
                        deployed.output(),
                        deployed.file().sha256(),
                        parts,
                        Map.of(),
                        Map.of()),
                new LinkedHashMap<>(models));
    }

    /** The same with more settings, or other ones: how the models work. */
    public Bundle withSettings(Map<String, String> changed) {
        Map<String, String> settings = new LinkedHashMap<>(settings());
        settings.putAll(changed);
        return new Bundle(descriptor.with(settings, accuracy(), training()), models);
    }

    /** The same with other measured accuracies, in [0, 1], by name. */
    public Bundle withAccuracy(Map<String, Double> accuracy) {
        return new Bundle(descriptor.with(settings(), accuracy, training()), models);
    }

    /** The same with other words on how the models were trained. */
    public Bundle withTraining(Map<String, String> training) {
        return new Bundle(descriptor.with(settings(), accuracy(), training), models);
    }

    /** What the models are. */
    public BundleKind kind() {
        return descriptor.kind();
    }

    /** How the models work: k, r, encoder and the like. */
    public Map<String, String> settings() {
        return descriptor.settings();
    }

    /**
     * A setting.
     *
     * @throws ModelException if it is missing
     */
    public String text(String setting) {
        String value = settings().get(setting);
        if (value == null) {
            throw new ModelException("a " + kind() + " descriptor must have the setting '" + setting
                    + "', this one has " + settings().keySet() + ": it is damaged, make the models again");
        }
        return value;
    }

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
                    "'" + setting + "' of a " + kind() + " descriptor must be a number, got " + value, e);
        }
    }

    /** Input of the deployed model. */
    public TensorSpec input() {
        return descriptor.input();
    }

    /** Output of the deployed model. */
    public TensorSpec output() {
        return descriptor.output();
    }

    /** SHA-256 of the deployed model. */
    public String deployedSha256() {
        return descriptor.deployed();
    }

    /** Accuracies in [0, 1], by name, measured on data that was not trained on; empty if none are known. */
    public Map<String, Double> accuracy() {
        return descriptor.accuracy();
    }

    /** How the models were trained: data, epochs, seed; empty if that is not known. */
    public Map<String, String> training() {
        return descriptor.training();
    }

    /** The models by role. */
    public Map<String, ModelFile> models() {
        return models;
    }

    /**
     * The model of a role.
     *
     * @throws ModelException if there is none
     */
    public ModelFile model(String role) {
        ModelFile model = models.get(role);
        if (model == null) {
            throw new ModelException("a " + kind() + " bundle must have a model '" + role + "', this one has "
                    + models.keySet() + ": make the models again");
        }
        return model;
    }

    /**
     * Name of the file of a role's model, beside the descriptor.
     *
     * @throws ModelException if there is none
     */
    public String file(String role) {
        model(role); // checks that there is one
        return descriptor.models().get(role).file();
    }

    /**
     * Checks that the bundle was made for a model.
     *
     * @return this bundle
     * @throws ModelException if the hashes differ
     */
    public Bundle requireFor(ModelFile deployed) {
        if (!deployed.sha256().equals(deployedSha256())) {
            throw new ModelException("a " + kind() + " bundle works only with the model that it was made for, with"
                    + " SHA-256 " + deployedSha256() + "; the deployed model has " + deployed.sha256()
                    + ": train the bundle again whenever the model changes");
        }
        return this;
    }

    /**
     * Writes the models into a folder, then the descriptor {@code KIND.json}. Each file is written completely or not at all.
     *
     * @return path of the descriptor
     * @throws UncheckedIOException if a file cannot be written
     */
    public Path write(Path folder) {
        try {
            CompleteFile.createFolder(folder);
            for (Map.Entry<String, ModelFile> model : models.entrySet()) {
                CompleteFile.write(
                        folder.resolve(file(model.getKey())), model.getValue().bytes());
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the models into " + folder + ": " + e.getMessage(), e);
        }
        Path file = folder.resolve(kind().file());
        writeDescriptor(file);
        return file;
    }

    /**
     * Writes the descriptor alone, beside models that are there, completely or not at all.
     *
     * @throws UncheckedIOException if it cannot be written
     */
    public void writeDescriptor(Path file) {
        descriptor.write(file);
    }

    /**
     * Reads a descriptor and its models.
     *
     * @param path the descriptor, or its folder
     * @param kind the kind that the descriptor must have
     * @throws ModelException if it has another kind or version, or a model is missing or has another hash than the descriptor says
     */
    public static Bundle read(Path path, BundleKind kind) {
        Path file = Files.isDirectory(path) ? path.resolve(kind.file()) : path;
        BundleDescriptor descriptor = BundleDescriptor.read(file);
        if (descriptor.kind() != kind) {
            throw new ModelException("the descriptor must be of the kind " + kind + ", " + file + " is of the kind "
                    + descriptor.kind());
        }
        return read(file, descriptor);
    }

    /**
     * Reads a descriptor of any kind, and its models.
     *
     * @throws ModelException if it has another version, or a model is missing or has another hash than the descriptor says
     */
    public static Bundle read(Path file) {
        return read(file, BundleDescriptor.read(file));
    }

    private static Bundle read(Path file, BundleDescriptor descriptor) {
        Map<String, ModelFile> models = new LinkedHashMap<>();
        descriptor.models().forEach((role, part) -> models.put(role, model(file, role, part)));
        return new Bundle(descriptor, models);
    }

    private static ModelFile model(Path descriptor, String role, Part part) {
        Path file = descriptor.resolveSibling(part.file());
        if (!Objects.equals(file.getParent(), descriptor.getParent()) || !Files.isRegularFile(file)) {
            throw new ModelException("the model '" + role + "' of " + descriptor + " must lie beside it as '"
                    + part.file() + "', no such file is there: copy the whole folder");
        }
        ModelFile model = ModelFile.read(file);
        if (!model.sha256().equals(part.sha256())) {
            throw new ModelException("the model '" + role + "' must have the SHA-256 " + part.sha256() + " that "
                    + descriptor + " says, " + file + " has " + model.sha256()
                    + ": the file was changed or damaged, or a training was interrupted while it wrote its models: give"
                    + " the training's command again");
        }
        return model;
    }
}
