/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.job;

import java.io.IOException;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;

/** Files of Hadoop's file systems that are whole or not there, also when a machine crashes. */
public final class DurableFiles {
    private DurableFiles() {}

    /** Forces what was written to disk, where the file system can. */
    public static void sync(FSDataOutputStream stream) throws IOException {
        if (stream.hasCapability(StreamCapabilities.HSYNC)) {
            stream.hsync();
        }
    }

    /**
     * Writes a file, which gets its name when all of it is on disk: before, its name begins with {@code _}. One that has the name is
     * deleted in that moment, because many file systems rename nothing to a file that is there: after a crash in between, the name is
     * missing. Creates the folder, if it is not there.
     */
    public static void write(FileSystem files, Path file, byte[] content) throws IOException {
        // A folder that HDFS creates with a file takes over the rights of the folder above.
        files.mkdirs(file.getParent());
        Path unfinished = new Path(file.getParent(), "_" + file.getName());
        try (FSDataOutputStream out = files.create(unfinished, true)) {
            out.write(content);
            sync(out);
        }
        if (files.exists(file)) {
            files.delete(file, false);
        }
        if (!files.rename(unfinished, file)) {
            throw new IOException("cannot rename " + unfinished + " to " + file.getName()
                    + ": see whether its folder is there and may be written to");
        }
    }
}
