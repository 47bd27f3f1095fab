/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.util.Progressable;

/** Local files, {@code watched:/tmp/…}, of which a test learns what is done to them, and may refuse it. */
public final class WatchedFiles extends RawLocalFileSystem {
    private static volatile Watcher watcher;

    /** What a test does before a file is opened, read, created, synced, renamed or deleted. */
    public interface Watcher {
        /** Whether it may be done. */
        boolean may(String what, Path path) throws IOException;
    }

    /** Tells a test what is done from now on. */
    public static void watch(Configuration hadoop, Watcher by) {
        hadoop.setClass("fs.watched.impl", WatchedFiles.class, FileSystem.class);
        watcher = by;
    }

    private static void require(String what, Path file) throws IOException {
        if (!watcher.may(what, file)) {
            throw new IOException("nobody may " + what + " " + file);
        }
    }

    /** Fails as Hadoop does. Linux has a file whose disk is always full. */
    public static void writeToAFullDisk() throws IOException {
        FileSystem local = FileSystem.getLocal(new Configuration()).getRawFileSystem();
        try (FSDataOutputStream full = local.append(new Path("/dev/full"))) {
            full.write(1);
        }
    }

    @Override
    public URI getUri() {
        return URI.create("watched:///");
    }

    @Override
    public FSDataInputStream open(Path file, int buffer) throws IOException {
        require("open", file);
        return new FSDataInputStream(new WatchedStream(file, super.open(file, buffer)));
    }

    private static final class WatchedStream extends FSInputStream {
        private final Path file;
        private final FSDataInputStream in;

        WatchedStream(Path file, FSDataInputStream in) {
            this.file = file;
            this.in = in;
        }

        @Override
        public int read() throws IOException {
            require("read", file);
            return in.read();
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            require("read", file);
            return in.read(bytes, offset, length);
        }

        @Override
        public void seek(long position) throws IOException {
            in.seek(position);
        }

        @Override
        public long getPos() throws IOException {
            return in.getPos();
        }

        @Override
        public boolean seekToNewSource(long position) throws IOException {
            return in.seekToNewSource(position);
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    @Override
    public FSDataOutputStream create(
            Path file, boolean overwrite, int buffer, short replication, long block, Progressable progress)
            throws IOException {
        require("create", file);
        FSDataOutputStream stream = super.create(file, overwrite, buffer, replication, block, progress);
        return new FSDataOutputStream(stream, null) {
            @Override
            public void hsync() throws IOException {
                require("sync", file);
                super.hsync();
            }
        };
    }

    @Override
    public boolean rename(Path from, Path to) throws IOException {
        return watcher.may("rename", to) && super.rename(from, to);
    }

    @Override
    public boolean delete(Path path, boolean recursive) throws IOException {
        return watcher.may("delete", path) && super.delete(path, recursive);
    }
}
