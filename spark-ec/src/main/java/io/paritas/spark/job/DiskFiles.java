/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.job;

import java.io.IOException;
import java.io.OutputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ChecksumFileSystem;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSError;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.Syncable;
import org.apache.hadoop.util.Progressable;

/**
 * Hadoop's local file system, whose files are opened and created with an {@link IOException} where a disk is full or cannot be read,
 * as those of all other file systems are. Hadoop throws an {@link FSError} then, an error of Java that nobody expects of a file.
 */
public final class DiskFiles extends FilterFileSystem {
    private DiskFiles(FileSystem local) {
        super(local);
    }

    /** The file system of a path. */
    public static FileSystem of(Path path, Configuration conf) throws IOException {
        return of(path.getFileSystem(conf));
    }

    /** The same file system: in this form if it is the local one. */
    public static FileSystem of(FileSystem files) {
        return files instanceof RawLocalFileSystem || files instanceof ChecksumFileSystem
                ? new DiskFiles(files)
                : files;
    }

    @Override
    public FSDataInputStream open(Path file, int buffer) throws IOException {
        return new FSDataInputStream(new Input(get(() -> fs.open(file, buffer))));
    }

    @Override
    public FSDataOutputStream create(
            Path file, boolean overwrite, int buffer, short replication, long block, Progressable progress)
            throws IOException {
        return new FSDataOutputStream(
                new Output(get(() -> fs.create(file, overwrite, buffer, replication, block, progress))), null);
    }

    private interface Action {
        void run() throws IOException;
    }

    private interface Access<T> {
        T get() throws IOException;
    }

    private static void run(Action action) throws IOException {
        get(() -> {
            action.run();
            return null;
        });
    }

    private static <T> T get(Access<T> access) throws IOException {
        try {
            return access.get();
        } catch (FSError e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException(e);
        }
    }

    private static final class Input extends FSInputStream {
        private final FSDataInputStream in;

        Input(FSDataInputStream in) {
            this.in = in;
        }

        @Override
        public int read() throws IOException {
            return get(in::read);
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            return get(() -> in.read(bytes, offset, length));
        }

        @Override
        public int read(long position, byte[] bytes, int offset, int length) throws IOException {
            return get(() -> in.read(position, bytes, offset, length));
        }

        @Override
        public void seek(long position) throws IOException {
            run(() -> in.seek(position));
        }

        @Override
        public long getPos() throws IOException {
            return in.getPos();
        }

        @Override
        public boolean seekToNewSource(long position) throws IOException {
            return get(() -> in.seekToNewSource(position));
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    private static final class Output extends OutputStream implements Syncable, StreamCapabilities {
        private final FSDataOutputStream out;

        Output(FSDataOutputStream out) {
            this.out = out;
        }

        @Override
        public void write(int one) throws IOException {
            run(() -> out.write(one));
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            run(() -> out.write(bytes, offset, length));
        }

        @Override
        public void flush() throws IOException {
            run(out::flush);
        }

        @Override
        public void hflush() throws IOException {
            run(out::hflush);
        }

        @Override
        public void hsync() throws IOException {
            run(out::hsync);
        }

        @Override
        public boolean hasCapability(String capability) {
            return out.hasCapability(capability);
        }

        @Override
        public void close() throws IOException {
            run(out::close);
        }
    }
}
