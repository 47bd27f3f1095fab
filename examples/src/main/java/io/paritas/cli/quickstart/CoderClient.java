/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;

/** A client of HDFS that uses one raw coder. */
final class CoderClient implements AutoCloseable {
    private static final int BUFFER = 1 << 20;

    private final DistributedFileSystem hdfs;

    private CoderClient(DistributedFileSystem hdfs) {
        this.hdfs = hdfs;
    }

    /** Creates a client of the cluster that the settings name. */
    static CoderClient open(Configuration settings) throws IOException {
        return new CoderClient((DistributedFileSystem) FileSystem.newInstance(settings));
    }

    Configuration settings() {
        return hdfs.getConf();
    }

    /** Returns how many DataNodes the NameNode considers live. */
    int liveDataNodes() throws IOException {
        return hdfs.getDataNodeStats(DatanodeReportType.LIVE).length;
    }

    /** Creates a directory with this policy. */
    void makeDirectory(String directory, Policy policy) throws IOException {
        hdfs.enableErasureCodingPolicy(policy.toString());
        hdfs.mkdirs(path(directory));
        hdfs.setErasureCodingPolicy(path(directory), policy.toString());
    }

    /** Copies a local file into HDFS. */
    Transfer write(Path source, String target) throws IOException {
        Stopwatch watch = new Stopwatch();
        byte[] buffer = new byte[BUFFER];
        try (InputStream in = Files.newInputStream(source);
                FSDataOutputStream out = watch.time(() -> hdfs.create(path(target)))) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                int length = read;
                watch.time(() -> {
                    out.write(buffer, 0, length);
                    return null;
                });
                watch.transferred(buffer, length);
            }
            watch.time(() -> {
                out.close();
                return null;
            });
        }
        return watch.transfer(Duration.ZERO);
    }

    /** Reads a file to its end. */
    Transfer read(String file) throws IOException {
        Stopwatch watch = new Stopwatch();
        byte[] buffer = new byte[BUFFER];
        try (HdfsDataInputStream in = watch.time(() -> (HdfsDataInputStream) hdfs.open(path(file)))) {
            for (int read = watch.time(() -> in.read(buffer)); read >= 0; read = watch.time(() -> in.read(buffer))) {
                watch.transferred(buffer, read);
            }
            return watch.transfer(Duration.ofMillis(in.getReadStatistics().getTotalEcDecodingTimeMillis()));
        }
    }

    /** Compares ranges of a file with the original, each read once by position and once by seeking. */
    void compare(String file, Path original, List<Range> ranges) throws IOException {
        try (HdfsDataInputStream in = (HdfsDataInputStream) hdfs.open(path(file))) {
            for (Range range : ranges) {
                byte[] expected = range.of(original);
                byte[] bytes = new byte[range.length()];
                in.readFully(range.offset(), bytes);
                requireEqual(file, range, expected, bytes);
                in.seek(range.offset());
                in.readFully(bytes);
                requireEqual(file, range, expected, bytes);
            }
        }
    }

    private static void requireEqual(String file, Range range, byte[] expected, byte[] bytes) {
        int different = Arrays.mismatch(expected, bytes);
        CheckFailed.require(
                different < 0,
                "What is read back equals what was written; %s differs at byte %d, within the range %s. This is a bug:"
                        + " please report it with the seed",
                file,
                range.offset() + different,
                range);
    }

    /** Returns the places of a file's units. */
    Placement placement(String file, Policy policy) throws IOException {
        return Placement.of(hdfs.getClient().getLocatedBlocks(file, 0, Long.MAX_VALUE), policy);
    }

    private static org.apache.hadoop.fs.Path path(String name) {
        return new org.apache.hadoop.fs.Path(name);
    }

    @Override
    public void close() throws IOException {
        hdfs.close();
    }
}
