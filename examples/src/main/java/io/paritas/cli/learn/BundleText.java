/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import io.paritas.inference.Bundle;
import io.paritas.inference.Bundle.Descriptor;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.folded.Cascade;
import io.paritas.inference.folded.FoldedNetwork;
import io.paritas.inference.learned.LearnedCode;
import io.paritas.inference.parity.ParityModels;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What was made for a model, as {@code paritas inspect} shows it. */
final class BundleText {
    private static final Map<String, String> NAMES = new LinkedHashMap<>();
    private static final String LINE = "  %-10s %s%n";

    static {
        NAMES.put(ParityModels.KIND, "parity models");
        NAMES.put(LearnedCode.KIND, "a learned code");
        NAMES.put(FoldedNetwork.KIND, "a folded network");
        NAMES.put(Cascade.KIND, "a cascade");
    }

    private BundleText() {}

    /**
     * Reads a descriptor, or all of a folder.
     *
     * @throws ModelException if there is none, or one is damaged
     */
    static String of(Path path) {
        return descriptors(path).stream().map(BundleText::read).collect(Collectors.joining(System.lineSeparator()));
    }

    private static List<Path> descriptors(Path path) {
        if (!Files.isDirectory(path)) {
            return List.of(path);
        }
        List<String> names = NAMES.keySet().stream().map(kind -> kind + ".json").toList();
        List<Path> found =
                names.stream().map(path::resolve).filter(Files::exists).toList();
        if (found.isEmpty()) {
            throw new ModelException("a folder must have one of " + names + ", " + path
                    + " has none: make them with paritas train, or name a model's file");
        }
        return found;
    }

    private static String read(Path file) {
        Bundle bundle = Bundle.read(file);
        Descriptor descriptor = bundle.descriptor();
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "%s: %s, complete%n",
                file,
                NAMES.getOrDefault(descriptor.kind(), "of the kind " + descriptor.kind())));
        add(
                text,
                "for",
                owner(file, descriptor).orElse("no model beside it, the one with SHA-256 " + descriptor.deployed()));
        add(text, "from", descriptor.input() + " to " + descriptor.output());
        add(text, "settings", words(descriptor.settings()));
        descriptor
                .models()
                .forEach((role, part) -> add(
                        text,
                        role,
                        part.file() + ", "
                                + String.format(
                                        Locale.ROOT, "%,d", bundle.model(role).size()) + " bytes"));
        add(text, "training", words(descriptor.training()));
        descriptor
                .accuracy()
                .forEach((what, value) -> add(text, "accuracy", String.format(Locale.ROOT, "%.4f %s", value, what)));
        return text.toString();
    }

    private static void add(StringBuilder text, String what, String value) {
        if (!value.isEmpty()) {
            text.append(String.format(Locale.ROOT, LINE, what, value));
        }
    }

    private static String words(Map<String, String> all) {
        return all.entrySet().stream()
                .map(entry -> entry.getKey() + " " + entry.getValue())
                .collect(Collectors.joining(", "));
    }

    /** A file that cannot be read is another one's trouble. */
    private static boolean isOwner(Path model, Descriptor descriptor) {
        try {
            return ModelFile.read(model).sha256().equals(descriptor.deployed());
        } catch (ModelException e) {
            return false;
        }
    }

    /** The deployed model, if it lies beside the descriptor. */
    private static Optional<String> owner(Path file, Descriptor descriptor) {
        try (Stream<Path> beside = Files.list(file.toAbsolutePath().getParent())) {
            return beside.filter(Files::isRegularFile)
                    .filter(other -> other.getFileName().toString().matches(".*\\.(onnx|pt)"))
                    .sorted()
                    .filter(other -> isOwner(other, descriptor))
                    .map(other -> other.getFileName().toString())
                    .findFirst();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list the folder of " + file + ": " + e.getMessage(), e);
        }
    }
}
