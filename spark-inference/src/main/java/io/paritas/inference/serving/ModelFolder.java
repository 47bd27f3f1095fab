/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.PublicApi;
import io.paritas.inference.ModelException;
import io.paritas.inference.code.Codes;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A folder of models, each in a folder with its name: {@code base.onnx} or {@code model.onnx} (or {@code .pt}), with its parity models or
 * learned code beside it, directly or, as Triton has it, in folders with the numbers of versions, of which the last counts. A file
 * {@value #SETTINGS} in a model's folder has settings of its own, such as {@code instances=4}. The folder is read anew at each call. Thread-safe.
 */
@PublicApi
public final class ModelFolder {
    /** The file with the settings of a model, without {@code spark.paritas.serving.} before their names. */
    public static final String SETTINGS = "serving.properties";

    private static final List<String> FILES = List.of("base.onnx", "model.onnx", "base.pt", "model.pt");
    private static final String NUMBER = "[1-9]\\d{0,8}";
    private static final Set<String> OWN = Set.of(
            "policy",
            "instances",
            "spares",
            "k",
            "backup",
            "warmUp",
            "groupWait",
            "patience",
            "hedgePercentile",
            "deadline",
            "waiting",
            "batch",
            "pipeline");

    /** Those that name a file, beside the settings if the path is relative. */
    private static final Set<String> PATHS = Set.of("backup", "warmUp");

    /** What ext4 has at the root of each volume, for root only. */
    private static final String OF_THE_FILE_SYSTEM = "lost+found";

    private final Path folder;

    /**
     * A model of the folder.
     *
     * @param name of its folder
     * @param version the number of its last version; empty if versions have no folders
     * @param model its file
     * @param settings of its own, by their names without prefix
     */
    public record Entry(String name, Optional<String> version, Path model, Map<String, String> settings) {

        /** The folder of its parity models or learned code; empty if there is none. */
        public Optional<Path> parity() {
            return Codes.in(model.getParent()).map(Path::getParent);
        }

        /** Its policy: a setting of its own, or else the given one, where {@linkplain ModelFolder#policy that can be}. */
        public PolicyName policy(PolicyName given) {
            return own().orElseGet(() -> ModelFolder.policy(given, model));
        }

        /** Whether a setting of its own says that it is protected by a code. */
        public boolean mustBeCoded() {
            return own().equals(Optional.of(PolicyName.CODED));
        }

        private Optional<PolicyName> own() {
            return Optional.ofNullable(settings.get("policy")).map(PolicyName::of);
        }
    }

    /** The folder of that path. */
    public ModelFolder(Path folder) {
        this.folder = folder.toAbsolutePath();
    }

    /** The given policy for a model of a folder; but none where that is coded, and no parity models or learned code are beside it. */
    public static PolicyName policy(PolicyName given, Path model) {
        boolean hasCode = Codes.in(model.toAbsolutePath().getParent()).isPresent();
        return given == PolicyName.CODED && !hasCode ? PolicyName.NONE : given;
    }

    /**
     * Its models, ordered by name, as they are now.
     *
     * @throws ModelException if there are none, or one has no file or wrong settings
     */
    public List<Entry> entries() {
        List<Entry> entries = folders(folder).map(this::entry).toList();
        if (entries.isEmpty()) {
            throw new ModelException("a folder of models must have a folder for each model, " + folder
                    + " has none: put NAME/model.onnx into it");
        }
        return entries;
    }

    /**
     * The names of its models as they are now, each with what is wrong with its files; empty if nothing is known to be.
     *
     * @throws ModelException if the folder cannot be read
     */
    public SortedMap<String, String> troubles() {
        SortedMap<String, String> troubles = new TreeMap<>();
        folders(folder).forEach(model -> troubles.put(model.getFileName().toString(), trouble(model)));
        return troubles;
    }

    private String trouble(Path model) {
        try {
            entry(model).policy(PolicyName.CODED);
            return "";
        } catch (ModelException | IllegalArgumentException e) {
            return e.getMessage();
        }
    }

    /** The model of a name, as it is now; empty if there is none. */
    public Optional<Entry> entry(String name) {
        return folders(folder)
                .filter(model -> model.getFileName().toString().equals(name))
                .findAny()
                .map(this::entry);
    }

    private static Stream<Path> folders(Path parent) {
        try (Stream<Path> children = Files.list(parent)) {
            return children
                    .filter(child -> Files.isDirectory(child)
                            && !child.getFileName().toString().startsWith(".")
                            && !child.getFileName().toString().equals(OF_THE_FILE_SYSTEM))
                    .sorted()
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new ModelException("the folder of models " + parent + " cannot be read: " + e.getMessage(), e);
        }
    }

    private Entry entry(Path model) {
        Optional<Path> numbered = folders(model)
                .filter(child -> child.getFileName().toString().matches(NUMBER))
                .max(Comparator.comparingInt(
                        child -> Integer.parseInt(child.getFileName().toString())));
        Path parent = numbered.orElse(model);
        Path file = FILES.stream()
                .map(parent::resolve)
                .filter(Files::isRegularFile)
                .findFirst()
                .orElseThrow(() -> new ModelException("the folder of a model must have one of " + FILES + ", " + parent
                        + " has none: put it there, or take the folder away"));
        return new Entry(
                model.getFileName().toString(),
                numbered.map(number -> number.getFileName().toString()),
                file,
                settings(model.resolve(SETTINGS)));
    }

    private static Map<String, String> settings(Path file) {
        Map<String, String> settings = new TreeMap<>();
        if (!Files.exists(file)) {
            return settings;
        }
        Properties given = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            given.load(reader);
        } catch (IOException | IllegalArgumentException e) {
            throw new ModelException("the settings in " + file + " cannot be read: " + e.getMessage(), e);
        }
        for (String name : given.stringPropertyNames()) {
            if (!OWN.contains(name)) {
                throw new ModelException("the settings in " + file + " must be of "
                        + OWN.stream().sorted().toList() + ", got '" + name + "'");
            }
            String value = given.getProperty(name).strip();
            boolean isPath = PATHS.contains(name) && !value.isEmpty();
            settings.put(name, isPath ? file.resolveSibling(value).toString() : value);
        }
        return settings;
    }
}
