/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.code;

import io.paritas.PublicApi;
import io.paritas.inference.Bundle;
import io.paritas.inference.BundleKind;
import io.paritas.inference.ModelException;
import io.paritas.inference.learned.LearnedCode;
import io.paritas.inference.parity.ParityModels;
import io.paritas.inference.parity.PredictionCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The codes that may lie beside a model. Thread-safe. */
@PublicApi
public final class Codes {
    private static final List<BundleKind> KINDS = List.of(BundleKind.PARITY, BundleKind.LEARNED);

    /** The names of the descriptors, for messages: {@code parity.json or learned.json}. */
    public static final String FILES = KINDS.stream().map(BundleKind::file).collect(Collectors.joining(" or "));

    private Codes() {}

    /** The descriptor of a code in a folder, that of parity models if it has several; empty if there is none. */
    public static Optional<Path> in(Path folder) {
        return KINDS.stream()
                .map(kind -> folder.resolve(kind.file()))
                .filter(Files::isRegularFile)
                .findFirst();
    }

    /**
     * Reads a code.
     *
     * @param path a descriptor, or a folder with one
     * @throws ModelException if there is none, it is of another kind, or files are missing, changed or damaged
     */
    public static PredictionCode read(Path path) {
        Path descriptor = Files.isDirectory(path)
                ? in(path).orElseThrow(() -> new ModelException("a folder with a code must have " + FILES + ", " + path
                        + " has none: make it with bin/paritas train parity or train code"))
                : path;
        Bundle bundle = Bundle.read(descriptor);
        return switch (bundle.kind()) {
            case PARITY -> ParityModels.of(bundle);
            case LEARNED -> LearnedCode.of(bundle);
            default ->
                throw new ModelException("a code must be of a kind of " + KINDS + ", " + descriptor + " is of the kind "
                        + bundle.kind());
        };
    }
}
