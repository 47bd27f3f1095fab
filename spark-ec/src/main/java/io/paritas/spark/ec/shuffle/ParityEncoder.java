/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import io.paritas.erasure.Erasures;
import io.paritas.erasure.RepairPlan;
import io.paritas.erasure.kernel.Regions;
import io.paritas.spark.ec.audit.CodedSlices;
import io.paritas.spark.ec.shuffle.Group.Unit;
import io.paritas.spark.ec.shuffle.RequestId.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/**
 * Makes parity files, a window at a time: while one is computed, the next one is on its way.
 *
 * @param bytesPerSecond bytes that are read, at most; 0 is no limit
 */
record ParityEncoder(GroupFiles files, long bytesPerSecond) {

    /**
     * Reads the data files of a group and writes a parity file.
     *
     * @param row which parity unit
     * @param parity file for it, which is not there yet
     * @param contents new file for what is in the data files
     * @return lengths of the data files
     */
    long[] encode(Group group, int row, Path parity, Path contents) throws IOException {
        List<long[]> offsets = offsets(group);
        long[] lengths = offsets.stream().mapToLong(all -> all[all.length - 1]).toArray();
        List<PartitionChecksums> checksums =
                offsets.stream().map(PartitionChecksums::new).toList();
        long length = Arrays.stream(lengths).max().orElseThrow();
        int[] parityUnits = IntStream.range(group.k(), group.code().n()).toArray();
        RepairPlan plan = group.code().erasureCode().repairPlan(Erasures.of(parityUnits), Erasures.of(group.k() + row));
        Pace pace = new Pace(bytesPerSecond);
        int longest = (int) Math.min(GroupFiles.WINDOW, length);
        Windows windows = new Windows(group.k(), longest);
        ByteBuffer made = ByteBuffer.allocate(longest);
        try (FileChannel out = FileChannel.open(parity, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            List<CompletableFuture<ByteBuffer>> coming = ask(group, lengths, 0, windows);
            for (long from = 0; from < length; from += GroupFiles.WINDOW) {
                int size = (int) Math.min(GroupFiles.WINDOW, length - from);
                List<ByteBuffer> data = await(coming, checksums);
                coming = ask(group, lengths, from + GroupFiles.WINDOW, windows);
                made.clear().limit(size);
                plan.apply(inputs(plan, data, from, size, windows), Regions.of(made));
                CodedSlices.current()
                        .offer(
                                group.code().toString(),
                                size,
                                plan.sources(),
                                plan.wanted().toArray(),
                                unit -> unit < group.k() ? data.get(unit) : made);
                while (made.hasRemaining()) {
                    out.write(made);
                }
                pace.read(data.stream().mapToLong(ByteBuffer::remaining).sum());
            }
        }
        Contents.write(
                contents,
                IntStream.range(0, group.k())
                        .mapToObj(unit -> new Contents(
                                offsets.get(unit), checksums.get(unit).values()))
                        .toList());
        ShuffleTotals.PARITY_BYTES.add(length);
        return lengths;
    }

    private List<long[]> offsets(Group group) throws IOException {
        List<CompletableFuture<ByteBuffer>> indexes = group.data().stream()
                .map(unit -> files.ask(unit.at(), RequestId.index(group.shuffle(), unit.file())))
                .toList();
        List<long[]> offsets = new ArrayList<>();
        for (CompletableFuture<ByteBuffer> index : indexes) {
            offsets.add(Contents.offsets(files.await(index)));
        }
        return offsets;
    }

    private List<CompletableFuture<ByteBuffer>> ask(Group group, long[] lengths, long from, Windows windows) {
        List<CompletableFuture<ByteBuffer>> answers = new ArrayList<>();
        for (int i = 0; i < lengths.length; i++) {
            Unit unit = group.units().get(i);
            int index = i;
            answers.add(files.read(
                    Kind.DATA,
                    group.shuffle(),
                    unit,
                    from,
                    Math.min(from + GroupFiles.WINDOW, lengths[i]),
                    bytes -> windows.of(from, index, bytes)));
        }
        return answers;
    }

    private List<ByteBuffer> await(List<CompletableFuture<ByteBuffer>> answers, List<PartitionChecksums> checksums)
            throws IOException {
        List<ByteBuffer> data = new ArrayList<>();
        for (int i = 0; i < answers.size(); i++) {
            data.add(files.await(answers.get(i)));
            checksums.get(i).update(data.get(i));
        }
        return data;
    }

    private static Regions inputs(RepairPlan plan, List<ByteBuffer> data, long from, int size, Windows windows) {
        return Regions.of(Arrays.stream(plan.sources())
                .mapToObj(unit -> windows.filled(from, unit, data.get(unit), size))
                .toArray(ByteBuffer[]::new));
    }
}
