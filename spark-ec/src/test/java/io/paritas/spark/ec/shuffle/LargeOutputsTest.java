/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import static io.paritas.spark.ec.shuffle.Executors.executor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paritas.erasure.CodeName;
import io.paritas.spark.ec.shuffle.Group.Unit;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.LongStream;
import org.apache.spark.storage.BlockManagerId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Outputs with very many partitions, outputs that are longer than an array, and a disk that has no room for parity. */
class LargeOutputsTest {
    private static final int SHUFFLE = 5;
    private static final CodeName CODE = CodeName.parse("paritas-2-1");

    /** {@code -Dio.paritas.test.gibibytes=3} has two outputs of 3 GiB, and takes so much of the disk. Small in each build. */
    private static final long LONGEST = Long.getLong("io.paritas.test.gibibytes", 0) << 30;

    @TempDir
    Path folder;

    /** The offsets of each output, whose bytes are made when they are asked for. */
    private final List<long[]> offsets = new ArrayList<>();

    private ParityFiles store;
    private GroupFiles files;

    /** Each byte of an output depends on the output and on its place. */
    private static ByteBuffer bytes(long output, long from, long to) {
        ByteBuffer bytes = ByteBuffer.allocate((int) (to - from));
        for (long at = from; at < to; at += Long.BYTES) {
            long word = (at / Long.BYTES + 1) * (2 * output + 0x9e3779b97f4a7c15L);
            for (int i = 0; i < Math.min(Long.BYTES, to - at); i++) {
                bytes.put((byte) (word >>> (8 * i)));
            }
        }
        return bytes.flip();
    }

    private void store(Function<String, File> place) {
        store = new ParityFiles(place);
        files = new GroupFiles(this::ask, Duration.ofSeconds(100), Duration.ofSeconds(100));
    }

    private CompletableFuture<ByteBuffer> ask(
            BlockManagerId executor, RequestId request, IntFunction<ByteBuffer> memory) {
        try {
            ByteBuffer answer = answer(request);
            return CompletableFuture.completedFuture(
                    memory.apply(answer.remaining()).put(answer).flip());
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private ByteBuffer answer(RequestId request) throws IOException {
        switch (request.kind()) {
            case INDEX -> {
                long[] all = offsets.get((int) request.file());
                ByteBuffer index = ByteBuffer.allocate(all.length * Long.BYTES);
                index.asLongBuffer().put(all);
                return index;
            }
            case DATA -> {
                long[] all = offsets.get((int) request.file());
                return bytes(request.file(), request.start(), Math.min(request.end(), all[all.length - 1]));
            }
            case CONTENTS -> {
                return store.contents(request);
            }
            default -> {
                try (RandomAccessFile parity = new RandomAccessFile(store.parity(SHUFFLE, request.file()), "r")) {
                    byte[] some = new byte[(int) (Math.min(request.end(), parity.length()) - request.start())];
                    parity.seek(request.start());
                    parity.readFully(some);
                    return ByteBuffer.wrap(some);
                }
            }
        }
    }

    private static Group group(long[] lengths, boolean coded) {
        return new Group(
                SHUFFLE,
                0,
                CODE,
                List.of(
                        new Unit(0, executor(0), true, lengths[0]),
                        new Unit(1, executor(1), true, lengths[1]),
                        new Unit(Group.parityFile(0, 0), executor(2), coded, 0)));
    }

    private File newFile() {
        return store.newFile(SHUFFLE, Group.parityFile(0, 0));
    }

    private Group encoded() throws IOException {
        File parity = newFile();
        File contents = newFile();
        long[] lengths =
                new ParityEncoder(files, 0).encode(group(new long[2], false), 0, parity.toPath(), contents.toPath());
        store.put(SHUFFLE, Group.parityFile(0, 0), CODE.k(), parity, contents);
        return group(lengths, true);
    }

    /** Of each of these a reducer's block is found and decoded alone. */
    @Test
    void twoHundredThousandBlocks() throws IOException {
        int partitions = 200_000;
        offsets.add(LongStream.rangeClosed(0, partitions).map(i -> 31 * i).toArray());
        offsets.add(LongStream.rangeClosed(0, partitions)
                .map(i -> 20 * i + i % 3)
                .map(end -> Math.max(0, end - 2))
                .toArray());
        store(name -> folder.resolve(name).toFile());
        Group group = encoded();

        for (int map = 0; map < CODE.k(); map++) {
            for (int partition = 0; partition < partitions; partition += 9_973) {
                long[] all = offsets.get(map);
                assertThat(new BlockDecoder(files, group, map, at -> false).decode(partition, partition + 1))
                        .as("output %s, partition %s", map, partition)
                        .isEqualTo(bytes(map, 0, all[partitions])
                                .slice((int) all[partition], (int) (all[partition + 1] - all[partition])));
            }
        }
        assertThat(new BlockDecoder(files, group, 1, at -> false)
                        .contents(0, partitions)
                        .lengths())
                .hasSize(partitions);
    }

    /** One block of the lost output is longer than any array: in memory it is refused, window by window it is decoded. */
    @Test
    void moreThanTwoGibibytes() throws IOException {
        long size = Math.max(LONGEST, 3 * GroupFiles.WINDOW) + 12_345;
        offsets.add(new long[] {0, 100, size});
        offsets.add(new long[] {0, size - 999, size - 5});
        store(name -> folder.resolve(name).toFile());
        BlockDecoder decoder = new BlockDecoder(files, encoded(), 0, at -> false);
        long[] at = {100};

        Contents contents = decoder.contents(1, 2);
        decoder.decode(contents, new Checked(at));

        assertThat(at[0]).isEqualTo(size);
        assertThat(contents.lengths()).containsExactly(size - 100);
        if (size > Integer.MAX_VALUE) {
            assertThatThrownBy(() -> decoder.decode(1, 2))
                    .isInstanceOf(IOException.class)
                    .hasMessage("blocks that are decoded in memory must be shorter than 2 GiB, got " + (size - 100)
                            + " bytes");
        }
    }

    /** Checks the bytes of output 0 as they come. */
    private record Checked(long[] at) implements WritableByteChannel {
        @Override
        public int write(ByteBuffer some) {
            long from = at[0] / Long.BYTES * Long.BYTES;
            int size = some.remaining();
            ByteBuffer right = bytes(0, from, at[0] + size).position((int) (at[0] - from));
            assertThat(some.mismatch(right)).as("after byte %s", at[0]).isEqualTo(-1);
            some.position(some.limit());
            at[0] += size;
            return size;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    /** The kernel says that there is no space left: the parity is not kept. */
    @Test
    void aFullDiskGivesNoParity() throws IOException {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.isWritable(full), full + " is a device of Linux");
        offsets.add(new long[] {0, 1_000, 5_000});
        offsets.add(new long[] {0, 1_000, 2_000});
        store(name -> folder.resolve(name).toFile());
        Path parity = Files.createSymbolicLink(newFile().toPath(), full);
        Path contents = Files.createSymbolicLink(newFile().toPath(), full);

        assertThatThrownBy(() -> new ParityEncoder(files, 0).encode(group(new long[2], false), 0, parity, contents))
                .isInstanceOf(IOException.class)
                .hasMessage("No space left on device");

        assertThatThrownBy(() -> store.parity(SHUFFLE, Group.parityFile(0, 0)))
                .hasMessage("parity 0 of shuffle 5 is not here");
    }
}
