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
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.apache.spark.storage.BlockManagerId;

/**
 * Makes the blocks of a map output from the other files of its group. Codes are byte-local: it reads the same range of k of them.
 * Files that cannot be read are not asked for again. A file that is damaged, and can be read, is found by leaving out one after the
 * other. For one thread.
 */
final class BlockDecoder {
    /** A window that is on its way, from the sources of a plan. */
    private record Coming(RepairPlan plan, int size, List<CompletableFuture<ByteBuffer>> answers) {}

    private final GroupFiles files;
    private final Group group;
    private final int lost;
    /** Units that cannot be read, and the lost one. */
    private final Set<Integer> missing = new TreeSet<>();
    /** Units that are not read while there are enough others. */
    private final Set<Integer> late = new TreeSet<>();
    /** Units that were asked for their bytes. */
    private final Set<Integer> read = new TreeSet<>();
    /** Whether bytes are read from the lost file while that works, because it is there. */
    private boolean copies;

    /** Writes what is decoded, from the start. */
    @FunctionalInterface
    interface Attempt<T> {
        T run() throws IOException;
    }

    private static final class WrongBytesException extends IOException {
        private static final long serialVersionUID = 1;

        WrongBytesException(String message) {
            super(message);
        }
    }

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
                .filter(unit -> group.code().localGroups() == 0 && !missing.contains(unit))
                .limit(Math.max(0, group.r() - missing.size()))
                .forEach(this.late::add);
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
        for (OptionalInt unit = readableParity(); unit.isPresent(); unit = readableParity()) {
            Unit parity = group.units().get(unit.getAsInt());
            try {
                RequestId request = RequestId.contents(group.shuffle(), parity.file(), lost, from, to);
                return Contents.of(files.await(files.ask(parity.at(), request)), to - from);
            } catch (IOException e) {
                missing.add(unit.getAsInt());
                checkEnough(e);
            }
        }
        throw tooFew(null);
    }

    private OptionalInt readableParity() {
        return IntStream.range(group.k(), group.units().size())
                .filter(this::isReadable)
                .findFirst();
    }

    private boolean isReadable(int unit) {
        return !missing.contains(unit) && !late.contains(unit);
    }

    /** Makes the bytes of some partitions: {@link #decode(Contents, WritableByteChannel)}, in memory. */
    ByteBuffer decode(int from, int to) throws IOException {
        Contents contents = contents(from, to);
        if (contents.length() > Integer.MAX_VALUE - Long.BYTES) {
            throw new IOException("blocks that are decoded in memory must be shorter than 2 GiB, got "
                    + contents.length() + " bytes");
        }
        return untilRight(() -> {
            MemoryChannel block = new MemoryChannel((int) contents.length());
            decode(contents, block);
            return block.bytes();
        });
    }

    /**
     * Decodes again if the bytes do not have their checksums, while there are enough files: without each of those that were read.
     *
     * @param attempt {@linkplain #decode(Contents, WritableByteChannel) decodes}, each time to another place
     */
    <T> T untilRight(Attempt<T> attempt) throws IOException {
        try {
            return attempt.run();
        } catch (WrongBytesException e) {
            for (int suspect : List.copyOf(read)) {
                boolean readable = missing.add(suspect);
                if (left() >= group.k()) {
                    try {
                        return attempt.run();
                    } catch (IOException again) {
                        e.addSuppressed(again);
                    }
                }
                if (readable) {
                    missing.remove(suspect);
                }
            }
            throw e;
        }
    }

    /**
     * Makes the bytes of some partitions, window by window: while one is computed and written, the next one is on its way.
     *
     * @param contents of these partitions
     * @throws IOException if too few files can be read, or if the bytes do not have their checksums, which is known only at the end
     */
    void decode(Contents contents, WritableByteChannel out) throws IOException {
        PartitionChecksums checksums = new PartitionChecksums(contents.offsets());
        long end = contents.offsets()[0] + contents.length();
        ByteBuffer window = ByteBuffer.allocate((int) Math.min(GroupFiles.WINDOW, contents.length()));
        Windows memory = memory(window);
        Optional<Coming> coming = Optional.empty();
        for (long from = contents.offsets()[0]; from < end; from += GroupFiles.WINDOW) {
            window.clear().limit((int) Math.min(GroupFiles.WINDOW, end - from));
            if (!copies || !copy(from, window, memory)) {
                Coming now = coming.isPresent() ? coming.get() : ask(from, end, memory);
                ByteBuffer[] inputs = await(now);
                while (Arrays.asList(inputs).contains(null)) {
                    memory = memory(window); // answers that come too late go to the other one
                    now = ask(from, end, memory);
                    inputs = await(now);
                }
                long next = from + GroupFiles.WINDOW;
                coming = next < end ? Optional.of(ask(next, end, memory)) : Optional.empty();
                now.plan.apply(Regions.of(inputs), Regions.of(window));
            }
            checksums.update(window);
            while (window.hasRemaining()) {
                out.write(window);
            }
        }
        if (!Arrays.equals(checksums.values(), contents.checksums())) {
            throw new WrongBytesException(
                    "a block of map output " + group.units().get(lost).file()
                            + " must have the checksum that it had when it was coded, the decoded bytes have another");
        }
    }

    /** For windows of this size that may begin and end within a page. */
    private Windows memory(ByteBuffer window) {
        return new Windows(group.units().size(), window.capacity() + 2 * RequestId.PAGE);
    }

    private boolean copy(long from, ByteBuffer window, Windows memory) {
        Unit unit = group.units().get(lost);
        try {
            long to = from + window.remaining();
            window.duplicate()
                    .put(files.await(files.read(
                            Kind.DATA, group.shuffle(), unit, from, to, bytes -> memory.of(from, lost, bytes))));
            return true;
        } catch (IOException e) {
            copies = false;
            return false;
        }
    }

    private RepairPlan plan() throws IOException {
        int[] erased = IntStream.range(0, group.units().size())
                .filter(unit -> !isReadable(unit))
                .toArray();
        try {
            return group.code().erasureCode().repairPlan(Erasures.of(erased), Erasures.of(lost));
        } catch (UnrecoverableException e) { // Of local reconstruction codes only.
            throw tooFew(e);
        }
    }

    /** Asks for the window that starts there of as many units as it takes. */
    private Coming ask(long from, long end, Windows memory) throws IOException {
        checkEnough(null);
        RepairPlan plan = plan();
        int size = (int) Math.min(GroupFiles.WINDOW, end - from);
        List<CompletableFuture<ByteBuffer>> answers = new ArrayList<>();
        for (int source : plan.sources()) {
            read.add(source);
            Unit unit = group.units().get(source);
            long length = source < group.k() ? unit.length() : group.longest();
            Kind kind = source < group.k() ? Kind.DATA : Kind.PARITY;
            long to = Math.min(from + size, length);
            answers.add(files.read(kind, group.shuffle(), unit, from, to, bytes -> memory.of(from, source, bytes)));
        }
        return new Coming(plan, size, answers);
    }

    /** The windows of the units; null, and missing from now on, where one cannot be read. */
    private ByteBuffer[] await(Coming coming) {
        int[] sources = coming.plan.sources();
        ByteBuffer[] inputs = new ByteBuffer[sources.length];
        for (int i = 0; i < sources.length; i++) {
            try {
                inputs[i] = GroupFiles.filled(files.await(coming.answers.get(i)), coming.size);
            } catch (IOException e) {
                missing.add(sources[i]);
            }
        }
        return inputs;
    }

    /** Late units are read from now on if there are too few others. */
    private void checkEnough(IOException cause) throws IOException {
        if (left() - late.size() < group.k()) {
            late.clear();
        }
        if (left() < group.k()) {
            throw tooFew(cause);
        }
    }

    private int left() {
        return group.units().size() - missing.size();
    }

    private IOException tooFew(Exception cause) {
        return new IOException(
                group.k() + " files of group " + group.number() + " of shuffle " + group.shuffle()
                        + " must be readable, got " + left() + " of "
                        + group.units().size(),
                cause);
    }
}
