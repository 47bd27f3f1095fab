/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import io.paritas.inference.Bundle;
import io.paritas.inference.BundleKind;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What was made for a model, as {@code paritas inspect} shows it. */
final class BundleText {
    private static final String LINE = "  %-10s %s%n";

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
        List<String> names =
                Stream.of(BundleKind.values()).map(BundleKind::file).toList();
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
        StringBuilder text = new StringBuilder();
        text.append(String.format(Locale.ROOT, "%s: %s, complete%n", file, name(bundle.kind())));
        add(
                text,
                "for",
                owner(file, bundle).orElse("no model beside it, the one with SHA-256 " + bundle.deployedSha256()));
        add(text, "from", bundle.input() + " to " + bundle.output());
        add(text, "settings", words(bundle.settings()));
        bundle.models()
                .forEach((role, model) ->
                        add(text, role, String.format(Locale.ROOT, "%s, %,d bytes", bundle.file(role), model.size())));
        add(text, "training", words(bundle.training()));
        bundle.accuracy()
                .forEach((what, value) -> add(text, "accuracy", String.format(Locale.ROOT, "%.4f %s", value, what)));
        return text.toString();
    }

    private static String name(BundleKind kind) {
        return switch (kind) {
            case PARITY -> "parity models";
            case LEARNED -> "a learned code";
            case FOLDED -> "a folded network";
            case CASCADE -> "a cascade";
        };
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
    private static boolean isOwner(Path model, Bundle bundle) {
        try {
            return ModelFile.read(model).sha256().equals(bundle.deployedSha256());
        } catch (ModelException e) {
            return false;
        }
    }

    /** The deployed model, if it lies beside the descriptor. */
    private static Optional<String> owner(Path file, Bundle bundle) {
        try (Stream<Path> beside = Files.list(file.toAbsolutePath().getParent())) {
            return beside.filter(Files::isRegularFile)
                    .filter(other -> other.getFileName().toString().matches(".*\\.(onnx|pt)"))
                    .sorted()
                    .filter(other -> isOwner(other, bundle))
                    .map(other -> other.getFileName().toString())
                    .findFirst();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list the folder of " + file + ": " + e.getMessage(), e);
        }
    }
}
