/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import io.paritas.erasure.Erasures;
import io.paritas.erasure.RepairPlan;
import io.paritas.erasure.UnrecoverableException;
import io.paritas.erasure.kernel.Regions;
import io.paritas.spark.ec.shuffle.Group.Unit;
import io.paritas.spark.ec.shuffle.RequestId.Kind;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.apache.spark.storage.BlockManagerId;

/**
 * Makes the blocks of a map output from the other files of its group. Codes are byte-local: it reads the same range of
 * k of them. Files that cannot be read are not asked for again. A file that is late is replaced by another one if the
 * code can do without it, and is waited for otherwise: its executor may collect garbage. A file that is damaged, and
 * can be read, is found by leaving out one after the other. For one thread.
 */
final class BlockDecoder {
    private final GroupFiles files;
    private final Group group;
    private final int lost;
    /** Units that cannot be read, and the lost one. */
    private final Set<Integer> missing = new TreeSet<>();
    /** Units that are there, but late: they are not read while there are enough others. */
    private final Set<Integer> late = new TreeSet<>();
    /** Units that were asked for their bytes. */
    private final Set<Integer> read = new TreeSet<>();
    /** Parity units that do not know where partitions lie, because they are damaged there. */
    private final Set<Integer> ignorant = new TreeSet<>();
    /** Why the last of the missing units is, or null. */
    private IOException failure;
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
        Answers answers = new Answers(unit -> {
            Unit parity = group.units().get(unit);
            return files.ask(parity.at(), RequestId.contents(group.shuffle(), parity.file(), lost, from, to));
        });
        IOException damage = null;
        while (true) {
            OptionalInt unit = knowing().filter(this::isReadable).findFirst();
            if (unit.isPresent()) {
                if (answers.await(unit.getAsInt())) {
                    try {
                        return within(Contents.of(answers.bytes(unit.getAsInt()), lost, from, to));
                    } catch (IOException e) {
                        ignorant.add(unit.getAsInt());
                        damage = e;
                    }
                }
            } else if (knowing().anyMatch(this::isLate)) {
                answers.awaitAny(knowing().filter(this::isLate).toArray());
            } else {
                throw damage == null ? tooFew() : damage;
            }
            if (left() < group.k()) {
                throw tooFew();
            }
        }
    }

    /** Memory is taken for as many bytes as contents say, which are those of another executor. */
    private Contents within(Contents contents) throws IOException {
        long end = contents.offsets()[0] + contents.length();
        long length = group.units().get(lost).length();
        if (end > length) {
            throw new IOException("partitions must end within the " + length + " bytes of map output "
                    + group.units().get(lost).file() + ", got contents that end at " + end);
        }
        return contents;
    }

    private IntStream knowing() {
        return IntStream.range(group.k(), group.units().size()).filter(unit -> !ignorant.contains(unit));
    }

    private boolean isReadable(int unit) {
        return !missing.contains(unit) && !late.contains(unit);
    }

    private boolean isLate(int unit) {
        return !missing.contains(unit) && late.contains(unit);
    }

    /** Makes the bytes of some partitions: {@link #decode(Contents, WritableByteChannel)}, in memory. */
    ByteBuffer decode(int from, int to) throws IOException {
        return untilRight(() -> {
            Contents contents = contents(from, to);
            if (contents.length() > Integer.MAX_VALUE - Long.BYTES) {
                throw new IOException("blocks that are decoded in memory must be shorter than 2 GiB, got "
                        + contents.length() + " bytes");
            }
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
                    } catch (InterruptedIOException ended) {
                        throw ended;
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
        Optional<Answers> coming = Optional.empty();
        for (long from = contents.offsets()[0]; from < end; from += GroupFiles.WINDOW) {
            window.clear().limit((int) Math.min(GroupFiles.WINDOW, end - from));
            if (!copies || !copy(from, window, memory)) {
                Answers now = coming.isPresent() ? coming.get() : window(from, end, memory);
                RepairPlan plan = await(now);
                if (now.areOpen()) {
                    memory = memory(window); // answers that come too late go to the other one
                }
                long next = from + GroupFiles.WINDOW;
                coming = next < end ? Optional.of(window(next, end, memory)) : Optional.empty();
                coming.ifPresent(asked -> asked.ask(plan.sources()));
                plan.apply(inputs(now, plan, window.remaining()), Regions.of(window));
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

    private boolean copy(long from, ByteBuffer window, Windows memory) throws InterruptedIOException {
        Unit unit = group.units().get(lost);
        try {
            long to = from + window.remaining();
            window.duplicate()
                    .put(files.await(files.read(
                            Kind.DATA, group.shuffle(), unit, from, to, bytes -> memory.of(from, lost, bytes))));
            return true;
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            copies = false;
            return false;
        }
    }

    /** What is asked of units for the window that starts there. */
    private Answers window(long from, long end, Windows memory) {
        long size = Math.min(GroupFiles.WINDOW, end - from);
        return new Answers(source -> {
            read.add(source);
            Unit unit = group.units().get(source);
            long length = source < group.k() ? unit.length() : group.longest();
            Kind kind = source < group.k() ? Kind.DATA : Kind.PARITY;
            long to = Math.min(from + size, length);
            return files.read(kind, group.shuffle(), unit, from, to, bytes -> memory.of(from, source, bytes));
        });
    }

    /** Waits for a window of as many units as it takes; the plan that has all it needs. */
    private RepairPlan await(Answers window) throws IOException {
        while (true) {
            Optional<RepairPlan> plan = plan();
            if (plan.isEmpty()) {
                window.awaitAny(late.stream()
                        .mapToInt(unit -> unit)
                        .filter(this::isLate)
                        .toArray());
            } else if (window.await(plan.get().sources())) {
                return plan.get();
            }
        }
    }

    /** Empty if late units must be waited for. */
    private Optional<RepairPlan> plan() throws IOException {
        if (left() < group.k()) {
            throw tooFew();
        }
        int[] erased = IntStream.range(0, group.units().size())
                .filter(unit -> !isReadable(unit))
                .toArray();
        try {
            return Optional.of(group.code().erasureCode().repairPlan(Erasures.of(erased), Erasures.of(lost)));
        } catch (UnrecoverableException e) {
            if (late.stream().noneMatch(this::isLate)) {
                throw tooFew(); // Of local reconstruction codes only.
            }
            return Optional.empty();
        }
    }

    private static Regions inputs(Answers window, RepairPlan plan, int size) {
        return Regions.of(Arrays.stream(plan.sources())
                .mapToObj(unit -> GroupFiles.filled(window.bytes(unit), size))
                .toArray(ByteBuffer[]::new));
    }

    /** What units were asked for, all the same: their part of a window, or where partitions lie. */
    private final class Answers {
        private final IntFunction<CompletableFuture<ByteBuffer>> question;
        private final Map<Integer, CompletableFuture<ByteBuffer>> asked = new TreeMap<>();
        private final Map<Integer, Long> ends = new HashMap<>();

        /** @param question asks a unit */
        Answers(IntFunction<CompletableFuture<ByteBuffer>> question) {
            this.question = question;
        }

        /** Asks those that were not asked. */
        void ask(int... units) {
            for (int unit : units) {
                if (!asked.containsKey(unit)) {
                    ends.put(unit, System.nanoTime() + files.longest().toNanos());
                    asked.put(unit, question.apply(unit));
                }
            }
        }

        /** Whether all have answered in time. Others are late or missing from now on. */
        boolean await(int... units) throws InterruptedIOException {
            ask(units);
            long end = System.nanoTime() + files.timeout().toNanos();
            boolean all = true;
            for (int unit : units) {
                try {
                    files.await(asked.get(unit), end - System.nanoTime());
                } catch (GroupFiles.LateException e) {
                    late.add(unit);
                    all = false;
                } catch (InterruptedIOException e) {
                    throw e;
                } catch (IOException e) {
                    missing.add(unit);
                    failure = e;
                    all = false;
                }
            }
            return all;
        }

        /**
         * Waits until one of these, which are late, answers or fails. Those whose time is over are missing from now on.
         */
        void awaitAny(int... units) throws InterruptedIOException {
            ask(units);
            long end = Arrays.stream(units).mapToLong(ends::get).max().orElseThrow();
            CompletableFuture<?>[] all =
                    Arrays.stream(units).mapToObj(asked::get).toArray(CompletableFuture[]::new);
            try {
                files.await(CompletableFuture.anyOf(all), end - System.nanoTime());
            } catch (InterruptedIOException e) {
                throw e;
            } catch (GroupFiles.LateException e) {
                failure = new GroupFiles.LateException(files.longest());
            } catch (IOException e) {
                failure = e;
            }
            for (int unit : units) {
                if (asked.get(unit).isDone()) {
                    late.remove(unit);
                } else if (ends.get(unit) - System.nanoTime() <= 0) {
                    late.remove(unit);
                    missing.add(unit);
                }
            }
        }

        /** Whether answers may still come. */
        boolean areOpen() {
            return asked.values().stream().anyMatch(answer -> !answer.isDone());
        }

        /** The bytes of a unit that has answered. */
        ByteBuffer bytes(int unit) {
            return asked.get(unit).join();
        }
    }

    private int left() {
        return group.units().size() - missing.size();
    }

    private IOException tooFew() {
        return new IOException(
                group.k() + " files of group " + group.number() + " of shuffle " + group.shuffle()
                        + " must be readable, got " + left() + " of "
                        + group.units().size(),
                failure);
    }
}
