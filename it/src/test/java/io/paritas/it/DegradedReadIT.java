/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.Options.ChecksumCombineMode;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Files of RS(6, 3) after three of nine DataNodes died: everything is read through the decoder. */
class DegradedReadIT {
    private static final int K = 6;
    private static final int CELL = EcCluster.rs(K, 3).getCellSize();
    private static final int GROUP = 4 * K * CELL;
    private static final int[] SIZES = {1, CELL - 1, CELL + 1, K * CELL, 3 * K * CELL + 2 * CELL + 12_345};
    private static final int LARGE = 2 * GROUP + 2 * K * CELL + 4 * CELL + 777;
    private static final int THREADS = 8;

    private static EcCluster hdfs;
    private static DistributedFileSystem client;
    private static Path large;
    private static final Map<Path, byte[]> FILES = new LinkedHashMap<>();
    private static final Map<ChecksumCombineMode, FileChecksum> CHECKSUMS = new LinkedHashMap<>();

    @BeforeAll
    static void writeThenKill() throws Exception {
        hdfs = EcCluster.start(EcCluster.rs(K, 3), Coder.PARITAS, 0);
        client = hdfs.client(Coder.PARITAS);
        for (int size : SIZES) {
            write(size);
        }
        large = write(LARGE);
        for (ChecksumCombineMode mode : ChecksumCombineMode.values()) {
            CHECKSUMS.put(mode, checksum(mode));
        }
        hdfs.killHolders(large, 1, 4, 6);
    }

    private static Path write(int size) throws Exception {
        byte[] content = Seeded.bytes("content", size);
        Path file = hdfs.write(client, "bytes-" + size, content);
        FILES.put(file, content);
        return file;
    }

    @AfterAll
    static void stop() throws Exception {
        hdfs.close();
    }

    @Test
    void readsWholeFiles() throws Exception {
        for (Path file : FILES.keySet()) {
            Reads.whole(client, file, FILES.get(file));
        }
    }

    @Test
    void readsPositionallyAtAnyOffset() throws Exception {
        for (Path file : FILES.keySet()) {
            Reads.positional(client, file, FILES.get(file));
        }
    }

    @Test
    void seeksAndReads() throws Exception {
        for (Path file : FILES.keySet()) {
            Reads.seekAndRead(client, file, FILES.get(file));
        }
    }

    /** All threads decode with one decoder: that of the open file. */
    @Test
    void readsPositionallyInManyThreads() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (FSDataInputStream in = client.open(large)) {
            List<Future<?>> readers = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                Random random = Seeded.random("thread " + thread);
                readers.add(threads.submit(() -> {
                    Reads.positional(in, FILES.get(large), random);
                    return null;
                }));
            }
            for (Future<?> reader : readers) {
                reader.get(1, TimeUnit.MINUTES);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** A DataNode decodes what it lacks to compute it. */
    @ParameterizedTest
    @EnumSource
    void checksumIsThatBeforeTheLoss(ChecksumCombineMode mode) throws Exception {
        assertThat(checksum(mode)).isEqualTo(CHECKSUMS.get(mode));
    }

    /** The composite checksum does not depend on how the file is stored. */
    @Test
    void compositeChecksumIsThatOfTheBytes() throws Exception {
        CRC32C crc = new CRC32C();
        crc.update(FILES.get(large));
        assertThat(checksum(ChecksumCombineMode.COMPOSITE_CRC).getBytes())
                .isEqualTo(ByteBuffer.allocate(Integer.BYTES)
                        .putInt((int) crc.getValue())
                        .array());
    }

    private static FileChecksum checksum(ChecksumCombineMode mode) throws Exception {
        return hdfs.client(Coder.PARITAS, Map.of(HdfsClientConfigKeys.DFS_CHECKSUM_COMBINE_MODE_KEY, mode.name()))
                .getFileChecksum(large);
    }
}
