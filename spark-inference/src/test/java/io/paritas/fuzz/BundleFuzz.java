/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.fuzz;

import io.paritas.inference.ModelException;
import io.paritas.inference.folded.Cascade;
import io.paritas.inference.folded.FoldedNetwork;
import io.paritas.inference.learned.LearnedCode;
import io.paritas.inference.parity.ParityModels;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/** The descriptor of models made for another, beside the file {@code model.onnx}, which has one byte. */
public final class BundleFuzz {
    private static final Path FOLDER = folder();
    private static final List<Consumer<Path>> READERS =
            List.of(ParityModels::read, LearnedCode::read, FoldedNetwork::read, Cascade::read);

    private BundleFuzz() {}

    public static void fuzzerTestOneInput(byte[] bytes) throws IOException {
        Path descriptor = Files.write(FOLDER.resolve("descriptor.json"), bytes);
        for (Consumer<Path> reader : READERS) {
            try {
                reader.accept(descriptor);
            } catch (ModelException | UncheckedIOException e) {
                // refused
            }
        }
    }

    private static Path folder() {
        try {
            Path folder = Files.createTempDirectory("paritas-fuzz");
            folder.toFile().deleteOnExit();
            for (String file : List.of("descriptor.json", "model.onnx")) {
                Files.write(folder.resolve(file), new byte[1]).toFile().deleteOnExit();
            }
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
