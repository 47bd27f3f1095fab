/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import io.paritas.erasure.Erasures;
import io.paritas.erasure.RepairPlan;
import io.paritas.erasure.kernel.Regions;
import io.paritas.spark.ec.shuffle.Group.Unit;
import io.paritas.spark.ec.shuffle.RequestId.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** Makes the blocks of a map output from the other files of its group. Codes are byte-local: it reads the same range of k of them. */
record BlockDecoder(GroupFiles files) {

    /**
     * Makes the bytes of some partitions of a map output.
     *
     * @param map the attempt that made it, which is in the group
     * @param from first partition
     * @param to end of the partitions
     * @throws IOException if too few files can be read, or if the bytes do not have their checksums
     */
    ByteBuffer decode(Group group, long map, int from, int to) throws IOException {
        int lost = group.indexOf(map);
        Set<Integer> missing = new HashSet<>(Set.of(lost));
        IntStream.range(0, group.units().size())
                .filter(unit -> !group.units().get(unit).there())
                .forEach(missing::add);
        Contents contents = contents(group, lost, from, to, missing);
        long start = contents.offsets()[0];
        long size = contents.offsets()[to - from] - start;
        if (size > Integer.MAX_VALUE - Long.BYTES) {
            throw new IOException("blocks that are decoded must be shorter than 2 GiB, got " + size + " bytes");
        }
        ByteBuffer block = ByteBuffer.allocate((int) size);
        while (block.hasRemaining()) {
            int window = Math.min(GroupFiles.WINDOW, block.remaining());
            decode(group, lost, start + block.position(), block.slice(block.position(), window), missing);
            block.position(block.position() + window);
        }
        block.flip();
        check(contents, block, map);
        return block;
    }

    /** What all who have parity know; asks one after the other. */
    private Contents contents(Group group, int lost, int from, int to, Set<Integer> missing) throws IOException {
        for (int row = 0; row < group.r(); row++) {
            Unit parity = group.parity(row);
            if (missing.contains(group.k() + row)) {
                continue;
            }
            try {
                RequestId request = RequestId.contents(group.shuffle(), parity.file(), lost, from, to);
                return Contents.of(files.await(files.network().ask(parity.at(), request)), to - from);
            } catch (IOException e) {
                missing.add(group.k() + row);
                checkEnough(group, missing, e);
            }
        }
        throw tooFew(group, missing, null);
    }

    /** Makes a window, of other files if some cannot be read. */
    private void decode(Group group, int lost, long from, ByteBuffer window, Set<Integer> missing) throws IOException {
        int size = window.remaining();
        while (true) {
            checkEnough(group, missing, null);
            RepairPlan plan = group.code()
                    .erasureCode()
                    .repairPlan(
                            Erasures.of(missing.stream()
                                    .mapToInt(Integer::intValue)
                                    .sorted()
                                    .toArray()),
                            Erasures.of(lost));
            ByteBuffer[] inputs = read(group, plan.sources(), from, size, missing);
            if (Arrays.stream(inputs).allMatch(input -> input != null)) {
                plan.apply(Regions.of(inputs), Regions.of(window));
                return;
            }
        }
    }

    /** The windows of some units; null, and missing from now on, where one cannot be read. */
    private ByteBuffer[] read(Group group, int[] sources, long from, int size, Set<Integer> missing) {
        List<CompletableFuture<ByteBuffer>> answers = new ArrayList<>();
        for (int i = 0; i < sources.length; i++) {
            Unit unit = group.units().get(sources[i]);
            long length = sources[i] < group.k() ? unit.length() : longest(group);
            Kind kind = sources[i] < group.k() ? Kind.DATA : Kind.PARITY;
            answers.add(files.read(kind, group.shuffle(), unit, from, Math.min(from + size, length)));
        }
        ByteBuffer[] inputs = new ByteBuffer[sources.length];
        for (int i = 0; i < sources.length; i++) {
            try {
                inputs[i] = GroupFiles.filled(files.await(answers.get(i)), size);
            } catch (IOException e) {
                missing.add(sources[i]);
            }
        }
        return inputs;
    }

    private static long longest(Group group) {
        return group.data().stream().mapToLong(Unit::length).max().orElseThrow();
    }

    private static void checkEnough(Group group, Set<Integer> missing, IOException cause) throws IOException {
        if (group.units().size() - missing.size() < group.k()) {
            throw tooFew(group, missing, cause);
        }
    }

    private static IOException tooFew(Group group, Set<Integer> missing, IOException cause) {
        return new IOException(
                group.k() + " files of group " + group.number() + " of shuffle " + group.shuffle()
                        + " must be readable, got " + (group.units().size() - missing.size()) + " of "
                        + group.units().size(),
                cause);
    }

    private static void check(Contents contents, ByteBuffer block, long map) throws IOException {
        long start = contents.offsets()[0];
        long[] offsets =
                Arrays.stream(contents.offsets()).map(offset -> offset - start).toArray();
        PartitionChecksums checksums = new PartitionChecksums(offsets);
        checksums.update(block);
        if (!Arrays.equals(checksums.values(), contents.checksums())) {
            throw new IOException("a block of map output " + map
                    + " must have the checksum that it had when it was coded, the decoded bytes have another");
        }
    }
}
