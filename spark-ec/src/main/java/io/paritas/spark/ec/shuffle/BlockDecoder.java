/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import io.paritas.erasure.Erasures;
import io.paritas.erasure.RepairPlan;
import io.paritas.erasure.UnrecoverableException;
import io.paritas.erasure.kernel.Regions;
import io.paritas.spark.ec.shuffle.Group.Unit;
import io.paritas.spark.ec.shuffle.RequestId.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.apache.spark.storage.BlockManagerId;

/**
 * Makes the blocks of a map output from the other files of its group. Codes are byte-local: it reads the same range of k of them.
 * Files that cannot be read are not asked for again. For one thread.
 */
final class BlockDecoder {
    private final GroupFiles files;
    private final Group group;
    private final int lost;
    /** Units that are not used. */
    private final Set<Integer> missing = new TreeSet<>();
    /** Whether bytes are read from the lost file while that works, because it is there. */
    private boolean copies;

    /**
     * @param map the attempt that made the output, which is in the group
     * @param late whose files are not read while there are enough others
     */
    BlockDecoder(GroupFiles files, Group group, long map, Predicate<BlockManagerId> late) {
        this.files = files;
        this.group = group;
        this.lost = group.indexOf(map);
        missing.add(lost);
        IntStream.range(0, group.units().size())
                .filter(unit -> !group.units().get(unit).there())
                .forEach(missing::add);
        IntStream.range(0, group.units().size())
                .filter(unit -> late.test(group.units().get(unit).at()))
                .filter(unit -> group.code().localGroups() == 0 && missing.size() < group.r())
                .forEach(missing::add);
    }

    /** Whether the file is there: nobody need decode it. */
    boolean isThere() {
        return group.units().get(lost).there();
    }

    /** Reads the file itself, and decodes what cannot be read. */
    BlockDecoder copying() {
        copies = true;
        return this;
    }

    /**
     * Says where partitions lie, as all who have parity know it; asks one after the other.
     *
     * @param from first partition
     * @param to end of the partitions
     */
    Contents contents(int from, int to) throws IOException {
        for (int row = 0; row < group.r(); row++) {
            Unit parity = group.parity(row);
            if (missing.contains(group.k() + row)) {
                continue;
            }
            try {
                RequestId request = RequestId.contents(group.shuffle(), parity.file(), lost, from, to);
                return Contents.of(files.await(files.ask(parity.at(), request)), to - from);
            } catch (IOException e) {
                missing.add(group.k() + row);
                checkEnough(e);
            }
        }
        throw tooFew(null);
    }

    /** Makes the bytes of some partitions: {@link #decode(Contents, WritableByteChannel)}, in memory. */
    ByteBuffer decode(int from, int to) throws IOException {
        Contents contents = contents(from, to);
        if (contents.length() > Integer.MAX_VALUE - Long.BYTES) {
            throw new IOException("blocks that are decoded in memory must be shorter than 2 GiB, got "
                    + contents.length() + " bytes");
        }
        MemoryChannel block = new MemoryChannel((int) contents.length());
        decode(contents, block);
        return block.bytes();
    }

    /**
     * Makes the bytes of some partitions, window by window.
     *
     * @param contents of these partitions
     * @throws IOException if too few files can be read, or if the bytes do not have their checksums, which is known only at the end
     */
    void decode(Contents contents, WritableByteChannel out) throws IOException {
        PartitionChecksums checksums = new PartitionChecksums(contents.offsets());
        long start = contents.offsets()[0];
        long end = start + contents.length();
        for (long from = start; from < end; from += GroupFiles.WINDOW) {
            ByteBuffer window = ByteBuffer.allocate((int) Math.min(GroupFiles.WINDOW, end - from));
            decode(from, window);
            checksums.update(window);
            while (window.hasRemaining()) {
                out.write(window);
            }
        }
        if (!Arrays.equals(checksums.values(), contents.checksums())) {
            throw new IOException(
                    "a block of map output " + group.units().get(lost).file()
                            + " must have the checksum that it had when it was coded, the decoded bytes have another");
        }
    }

    /** Makes a window, of other files if some cannot be read. */
    private void decode(long from, ByteBuffer window) throws IOException {
        int size = window.remaining();
        if (copies && copy(from, window)) {
            return;
        }
        while (true) {
            checkEnough(null);
            RepairPlan plan = plan();
            ByteBuffer[] inputs = read(plan.sources(), from, size);
            if (Arrays.stream(inputs).allMatch(input -> input != null)) {
                plan.apply(Regions.of(inputs), Regions.of(window));
                return;
            }
        }
    }

    private boolean copy(long from, ByteBuffer window) {
        Unit unit = group.units().get(lost);
        try {
            window.duplicate()
                    .put(files.await(files.read(Kind.DATA, group.shuffle(), unit, from, from + window.remaining())));
            return true;
        } catch (IOException e) {
            copies = false;
            return false;
        }
    }

    private RepairPlan plan() throws IOException {
        int[] erased = missing.stream().mapToInt(Integer::intValue).toArray();
        try {
            return group.code().erasureCode().repairPlan(Erasures.of(erased), Erasures.of(lost));
        } catch (UnrecoverableException e) { // Of local reconstruction codes only.
            throw tooFew(e);
        }
    }

    /** The windows of some units; null, and missing from now on, where one cannot be read. */
    private ByteBuffer[] read(int[] sources, long from, int size) {
        List<CompletableFuture<ByteBuffer>> answers = new ArrayList<>();
        for (int source : sources) {
            Unit unit = group.units().get(source);
            long length = source < group.k() ? unit.length() : group.longest();
            Kind kind = source < group.k() ? Kind.DATA : Kind.PARITY;
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

    private void checkEnough(IOException cause) throws IOException {
        if (group.units().size() - missing.size() < group.k()) {
            throw tooFew(cause);
        }
    }

    private IOException tooFew(Exception cause) {
        return new IOException(
                group.k() + " files of group " + group.number() + " of shuffle " + group.shuffle()
                        + " must be readable, got " + (group.units().size() - missing.size()) + " of "
                        + group.units().size(),
                cause);
    }
}
