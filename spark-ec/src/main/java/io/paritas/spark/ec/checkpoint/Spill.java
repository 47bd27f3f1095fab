/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import org.apache.spark.SparkEnv;

/**
 * A temporary file on the executor's disk, encrypted if Spark's temporary files are. A unit file starts with the length of its
 * data, and most file systems only write files from start to end; so serialised rows wait here until their length is known.
 * Closing deletes the file.
 */
final class Spill implements Closeable {
    private final SparkEnv spark = SparkEnv.get();
    private final File file =
            spark.blockManager().diskBlockManager().createTempLocalBlock()._2();

    /** Opens the file for writing. */
    OutputStream output() throws IOException {
        return spark.serializerManager()
                .wrapForEncryption(new BufferedOutputStream(Files.newOutputStream(file.toPath()), 1 << 16));
    }

    /** Opens the file for reading. */
    InputStream input() throws IOException {
        return spark.serializerManager()
                .wrapForEncryption(new BufferedInputStream(Files.newInputStream(file.toPath()), 1 << 16));
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(file.toPath());
    }
}
