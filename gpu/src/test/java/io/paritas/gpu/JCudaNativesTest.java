/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What other threads do while JCuda's library is loaded. */
@Tag("machine")
class JCudaNativesTest {
    @TempDir
    private Path temporary;

    /** Makes files as other libraries do that unpack native code, when JCuda says in its log that it loads its own. */
    public static final class Program extends Handler {
        private Path java;
        private Path snappy;

        public static void main(String[] arguments) throws IOException {
            Logger log = Logger.getLogger("jcuda.LibUtils");
            Program other = new Program();
            log.addHandler(other);
            log.setLevel(Level.ALL);
            try {
                JCudaNatives.load();
            } catch (LinkageError e) {
                // as on a machine without a driver
            }
            System.out.println("> " + other.java.getParent());
            System.out.println("> " + Files.exists(other.java) + " " + Files.exists(other.snappy));
            System.out.println("> " + File.createTempFile("later", null).getParent());
        }

        @Override
        public void publish(LogRecord line) {
            if (java == null) {
                try {
                    java = File.createTempFile("liblz4-java", ".so").toPath();
                    snappy = Files.createFile(Path.of(System.getProperty("java.io.tmpdir"), "libsnappyjava.so"));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @Test
    void othersKeepTheirTemporaryFiles() {
        String folder = "> " + temporary;
        assertThat(OtherJvm.run(Program.class, OtherJvm.HERE, temporary, Map.of()))
                .filteredOn(line -> line.startsWith("> ")) // what a JVM says by itself is not
                .containsExactly(folder, "> true true", folder);
    }
}
