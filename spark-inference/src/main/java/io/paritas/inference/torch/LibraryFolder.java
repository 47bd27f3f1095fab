/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;

/**
 * Where JavaCPP keeps the libraries that it unpacks, 450 MB: in the user's home, once for all programs. Where there is no home to write
 * to, JavaCPP would leave them in the shared temporary folder; they are in a private one instead, and deleted when this JVM ends.
 */
final class LibraryFolder {
    private static final String CACHE = "org.bytedeco.javacpp.cachedir";

    private LibraryFolder() {}

    /** Names a private folder to JavaCPP, unless the user has named one, or has a home. Before JavaCPP is used. */
    static void choose() {
        if (System.getProperty(CACHE) == null && !isUsable(Path.of(System.getProperty("user.home")))) {
            System.setProperty(CACHE, makePrivate().toString());
        }
    }

    /** Whether there is such a folder in this home, or can be. */
    static boolean isUsable(Path home) {
        Path folder = home.resolve(".javacpp");
        return Files.isWritable(Files.exists(folder) ? folder : home);
    }

    private static Path makePrivate() {
        try {
            Path folder = Files.createTempDirectory("paritas-libtorch");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder), "delete LibTorch's libraries"));
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "LibTorch needs a folder for its libraries in that of java.io.tmpdir: " + e.getMessage(), e);
        }
    }

    static void delete(Path folder) {
        try (Stream<Path> found = Files.walk(folder)) {
            for (Path path : found.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            LoggerFactory.getLogger(LibraryFolder.class).warn("Paritas: cannot delete {}", folder, e);
        }
    }
}
