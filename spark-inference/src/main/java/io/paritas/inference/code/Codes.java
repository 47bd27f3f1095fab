/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.code;

import io.paritas.PublicApi;
import io.paritas.inference.Bundle;
import io.paritas.inference.ModelException;
import io.paritas.inference.learned.LearnedCode;
import io.paritas.inference.parity.ParityModels;
import io.paritas.inference.parity.PredictionCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The codes that may lie beside a model. Thread-safe. */
@PublicApi
public final class Codes {
    private static final Map<String, Function<Bundle, PredictionCode>> READERS = new LinkedHashMap<>();

    static {
        READERS.put(ParityModels.KIND, ParityModels::of);
        READERS.put(LearnedCode.KIND, LearnedCode::of);
    }

    /** The names of the descriptors, for messages: {@code parity.json or learned.json}. */
    public static final String FILES =
            READERS.keySet().stream().map(Codes::file).collect(Collectors.joining(" or "));

    private Codes() {}

    private static String file(String kind) {
        return kind + ".json";
    }

    /** The descriptor of a code in a folder, that of parity models if it has several; empty if there is none. */
    public static Optional<Path> in(Path folder) {
        return READERS.keySet().stream()
                .map(kind -> folder.resolve(file(kind)))
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
        Function<Bundle, PredictionCode> reader =
                READERS.get(bundle.descriptor().kind());
        if (reader == null) {
            throw new ModelException("a code must be of a kind of " + READERS.keySet() + ", " + descriptor
                    + " is of the kind " + bundle.descriptor().kind());
        }
        return reader.apply(bundle);
    }
}
