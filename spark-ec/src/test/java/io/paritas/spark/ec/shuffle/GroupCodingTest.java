/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import static io.paritas.spark.ec.shuffle.Executors.executor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.erasure.CodeName;
import io.paritas.spark.ec.shuffle.Group.Unit;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;
import org.apache.spark.storage.BlockManagerId;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Parity is made, files are lost, and blocks are decoded: on files of one folder, which stand for those of executors. */
class GroupCodingTest {
    private static final int SHUFFLE = 5;
    private static final long SEED = Long.getLong("io.paritas.test.seed", 20_261_123L);

    /** Lengths of the partitions of each output: some empty, an output without bytes, one of several windows. */
    private static final long[][] OUTPUTS = {
        {10, 0, 5_000, 4_096, 0, 77},
        {0, 0, 0, 0, 0, 0},
        {1, 2_500_000, 3, 0, 900_000, 0},
        {0, 0, 12_288, 0, 0, 1},
        {5, 0, 0, 0, 3, 100},
        {0, 0, 0, 0, 0, 9_000}
    };

    @TempDir
    Path folder;

    private final Random random = new Random(SEED);
    private final List<byte[]> data = new ArrayList<>();
    private final List<long[]> offsets = new ArrayList<>();
    private final Set<BlockManagerId> down = new HashSet<>();
    private final Set<BlockManagerId> late = new HashSet<>();
    /** After how many milliseconds executors answer, or fail, that do not do so at once. */
    private final Map<BlockManagerId, IntSupplier> pauses = new HashMap<>();

    private final Set<BlockManagerId> failing = new HashSet<>();
    private final Set<RequestId.Kind> asked = new HashSet<>();
    private final Set<byte[]> parityArrays = Collections.newSetFromMap(new IdentityHashMap<>());
    /** Goes down when so many bytes have been read. */
    private Optional<BlockManagerId> leaving = Optional.empty();

    private long leavesAt;
    private long bytesRead;
    private ParityFiles store;
    private GroupFiles files;

    @BeforeEach
    void makeOutputs() {
        for (long[] lengths : OUTPUTS) {
            long[] ends = new long[lengths.length + 1];
            for (int i = 0; i < lengths.length; i++) {
                ends[i + 1] = ends[i] + lengths[i];
            }
            byte[] bytes = new byte[(int) ends[lengths.length]];
            random.nextBytes(bytes);
            data.add(bytes);
            offsets.add(ends);
        }
        store = new ParityFiles(name -> folder.resolve(name).toFile());
        files = new GroupFiles(this::ask, Duration.ofSeconds(10), Duration.ofSeconds(120));
    }

    private CompletableFuture<ByteBuffer> ask(
            BlockManagerId executor, RequestId request, IntFunction<ByteBuffer> memory) {
        try {
            if (bytesRead > leavesAt) {
                leaving.ifPresent(down::add);
            }
            if (down.contains(executor)) {
                throw new IOException(executor.executorId() + " is down");
            }
            asked.add(request.kind());
            ByteBuffer answer = answer(request);
            bytesRead += answer.remaining();
            if (pauses.containsKey(executor)) {
                return CompletableFuture.supplyAsync(
                        () -> answer(executor, answer, memory),
                        CompletableFuture.delayedExecutor(pauses.get(executor).getAsInt(), TimeUnit.MILLISECONDS));
            }
            ByteBuffer bytes = memory.apply(answer.remaining());
            if (request.kind() == RequestId.Kind.PARITY) {
                parityArrays.add(bytes.array());
            }
            return CompletableFuture.completedFuture(bytes.put(answer).flip());
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private ByteBuffer answer(BlockManagerId executor, ByteBuffer answer, IntFunction<ByteBuffer> memory) {
        if (failing.contains(executor)) {
            throw new UncheckedIOException(new IOException(executor.executorId() + " resets the connection"));
        }
        return memory.apply(answer.remaining()).put(answer).flip();
    }

    private ByteBuffer answer(RequestId request) throws IOException {
        return switch (request.kind()) {
            case INDEX -> {
                ByteBuffer index = ByteBuffer.allocate(offsets.get((int) request.file()).length * Long.BYTES);
                Arrays.stream(offsets.get((int) request.file())).forEach(index::putLong);
                yield index.flip();
            }
            case DATA -> range(data.get((int) request.file()), request);
            case PARITY ->
                range(Files.readAllBytes(store.parity(SHUFFLE, request.file()).toPath()), request);
            case CONTENTS -> store.contents(request);
            case MAKE_PARITY, REBUILD, DELETE_PARITY -> throw new IOException("nobody orders");
        };
    }

    private static ByteBuffer range(byte[] bytes, RequestId request) {
        return ByteBuffer.wrap(
                Arrays.copyOfRange(bytes, (int) request.start(), (int) Math.min(bytes.length, request.end())));
    }

    /** Makes all parity. */
    private Group encoded(String code) throws IOException {
        Group group = group(CodeName.parse(code), false, new long[OUTPUTS.length]);
        long[] lengths = null;
        for (int row = 0; row < group.r(); row++) {
            File parity = store.newFile(SHUFFLE, group.parity(row).file());
            File contents = store.newFile(SHUFFLE, group.parity(row).file());
            lengths = new ParityEncoder(files, 0).encode(group, row, parity.toPath(), contents.toPath());
            store.put(SHUFFLE, group.parity(row).file(), group.k(), parity, contents);
        }
        return group(group.code(), true, lengths);
    }

    private static Group group(CodeName code, boolean parity, long[] lengths) {
        List<Unit> units = new ArrayList<>();
        for (int unit = 0; unit < code.n(); unit++) {
            units.add(
                    unit < code.k()
                            ? new Unit(unit, executor(unit), true, lengths[unit])
                            : new Unit(Group.parityFile(9, unit - code.k()), executor(unit), parity, 0));
        }
        return new Group(SHUFFLE, 9, code, units);
    }

    private ByteBuffer decode(Group group, int map, int from, int to) throws IOException {
        return new BlockDecoder(files, group, map, late::contains).decode(from, to);
    }

    private byte[] block(int map, int from, int to) {
        return Arrays.copyOfRange(data.get(map), (int) offsets.get(map)[from], (int) offsets.get(map)[to]);
    }

    @ParameterizedTest
    @ValueSource(strings = {"paritas-4-1", "rs-4-1", "rs-4-2", "paritas-4-2", "rs-4-3", "lrc-6-2-2"})
    void everyRangeOfEveryOutputIsDecoded(String code) throws IOException {
        Group group = encoded(code);
        for (int map = 0; map < group.k(); map++) {
            down.clear();
            down.add(executor(map));
            for (int from = 0; from < OUTPUTS[map].length; from++) {
                for (int to = from + 1; to <= OUTPUTS[map].length; to++) {
                    assertThat(decode(group, map, from, to))
                            .as("output %s, partitions %s to %s, seed %s", map, from, to, SEED)
                            .isEqualTo(ByteBuffer.wrap(block(map, from, to)));
                }
            }
        }
    }

    /** What the executor that has it gives away: its own bytes, and no more, unless it goes meanwhile. */
    @Test
    void aFileThatIsThereIsCopied() throws IOException {
        Group group = encoded("rs-4-2");
        int partitions = OUTPUTS[2].length;
        bytesRead = 0;
        asked.clear();

        ByteBuffer copy =
                new BlockDecoder(files, group, 2, late::contains).copying().decode(0, partitions);

        assertThat(copy).isEqualTo(ByteBuffer.wrap(data.get(2)));
        assertThat(asked).containsExactlyInAnyOrder(RequestId.Kind.CONTENTS, RequestId.Kind.DATA);
        assertThat(bytesRead).isLessThan(data.get(2).length + 2 * RequestId.PAGE);

        down.add(executor(2));
        assertThat(new BlockDecoder(files, group, 2, late::contains).copying().decode(0, partitions))
                .isEqualTo(ByteBuffer.wrap(data.get(2)));
        assertThat(asked).contains(RequestId.Kind.PARITY);
    }

    /** Nobody has told the decoder which executors are down: it finds out. */
    @Test
    void anyTwoMayBeDown() throws IOException {
        Group group = encoded("rs-4-2");
        for (int lost = 0; lost < 4; lost++) {
            for (int other = 0; other < 6; other++) {
                down.clear();
                down.addAll(List.of(executor(lost), executor(other)));

                assertThat(decode(group, lost, 0, 6)).isEqualTo(ByteBuffer.wrap(data.get(lost)));
            }
        }
    }

    /** They would answer, but later; if nobody else can, they are asked. */
    @Test
    void whoIsLateIsAskedOnlyIfNeeded() throws IOException {
        Group group = encoded("rs-4-2");
        late.add(executor(3));
        data.get(3)[3] ^= 1;

        assertThat(decode(group, 2, 0, 6))
                .as("without the file that has changed")
                .isEqualTo(ByteBuffer.wrap(data.get(2)));

        data.get(3)[3] ^= 1;
        late.addAll(List.of(executor(0), executor(1)));
        assertThat(decode(group, 2, 0, 6)).isEqualTo(ByteBuffer.wrap(data.get(2)));
    }

    /** It is found out while the block is decoded. */
    @Test
    void whoIsLateIsAskedIfAnotherGoes() throws IOException {
        Group group = encoded("rs-4-2");
        late.add(executor(3));
        down.addAll(List.of(executor(2), executor(0)));

        assertThat(decode(group, 2, 0, 6)).isEqualTo(ByteBuffer.wrap(data.get(2)));
    }

    /** Only parity tells where partitions lie. */
    @Test
    void parityThatIsLateIsAskedIfTheOtherGoes() throws IOException {
        Group group = encoded("rs-4-2");
        late.add(executor(4));
        down.addAll(List.of(executor(2), executor(5)));

        assertThat(decode(group, 2, 0, 6)).isEqualTo(ByteBuffer.wrap(data.get(2)));
    }

    /** Waits 20 ms for an answer before it asks others, and so long at most. */
    private void hurry(Duration longest) {
        files = new GroupFiles(this::ask, Duration.ofMillis(20), longest);
    }

    /**
     * Collecting garbage takes its executor longer than an answer may take, and nobody else has a file that is left.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 4})
    void whoPausesIsWaitedForIfNobodyElseHasTheBytes(int pausing) throws IOException {
        Group group = encoded("paritas-4-1");
        down.add(executor(2));
        pauses.put(executor(pausing), () -> 150);
        hurry(Duration.ofMinutes(1));

        assertThat(decode(group, 2, 0, 6)).isEqualTo(ByteBuffer.wrap(data.get(2)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rs-4-2", "lrc-6-2-2"})
    void whoPausesIsReplacedIfOthersHaveTheBytes(String code) throws IOException {
        Group group = encoded(code);
        down.add(executor(2));
        hurry(Duration.ofMinutes(10));
        for (int pausing = 0; pausing < group.units().size(); pausing++) {
            pauses.clear();
            pauses.put(executor(pausing), () -> 600_000);

            assertThat(decode(group, 2, 0, 6)).as("without %s", pausing).isEqualTo(ByteBuffer.wrap(data.get(2)));
        }
    }

    /** Two of five are needed that pause, and the one that answers first is taken. */
    @Test
    void theFirstOfThosePausingIsTaken() throws IOException {
        Group group = encoded("rs-4-2");
        down.add(executor(2));
        pauses.put(executor(0), () -> 600_000);
        pauses.put(executor(1), () -> 100);
        hurry(Duration.ofMinutes(10));

        assertThat(decode(group, 2, 2, 3)).isEqualTo(ByteBuffer.wrap(block(2, 2, 3)));
    }

    @Test
    void whoNeverAnswersIsNotWaitedForWithoutEnd() throws IOException {
        Group group = encoded("paritas-4-1");
        down.add(executor(2));
        pauses.put(executor(0), () -> 600_000);
        hurry(Duration.ofMillis(200));

        assertThatThrownBy(() -> decode(group, 2, 1, 2))
                .isInstanceOf(IOException.class)
                .hasMessage("4 files of group 9 of shuffle 5 must be readable, got 3 of 5")
                .hasRootCauseMessage("bytes must come within 200 ms, they did not");
    }

    @Test
    void whoFailsAfterAPauseIsNotWaitedFor() throws IOException {
        Group group = encoded("paritas-4-1");
        down.add(executor(2));
        pauses.put(executor(0), () -> 100);
        failing.add(executor(0));
        hurry(Duration.ofMinutes(10));

        assertThatThrownBy(() -> decode(group, 2, 1, 2))
                .isInstanceOf(IOException.class)
                .hasMessage("4 files of group 9 of shuffle 5 must be readable, got 3 of 5")
                .hasRootCauseMessage("0 resets the connection");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4})
    void whoIsInterruptedDoesNotWait(int pausing) throws Exception {
        Group group = encoded("paritas-4-1");
        down.add(executor(2));
        pauses.put(executor(pausing), () -> 600_000);
        hurry(Duration.ofMinutes(10));
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        Thread reducer = new Thread(() -> {
            try {
                decode(group, 2, 1, 2);
                end.complete(null);
            } catch (IOException e) {
                end.complete(e);
            }
        });
        reducer.start();
        while (reducer.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }

        reducer.interrupt();

        assertThat(end.get(1, TimeUnit.MINUTES))
                .isInstanceOf(InterruptedIOException.class)
                .hasMessage("interrupted while waiting for bytes of another executor");
    }

    /** Answers that come after others were asked do not overwrite those of the next windows. */
    @ParameterizedTest
    @ValueSource(strings = {"paritas-4-1", "rs-4-2", "rs-4-3", "lrc-6-2-2"})
    void answersMayComeAtAnyTime(String code) throws IOException {
        Group group = encoded(code);
        down.add(executor(2));
        for (int unit = 0; unit < group.units().size(); unit++) {
            pauses.put(executor(unit), () -> random.nextInt(4) == 0 ? random.nextInt(12) : 0);
        }
        files = new GroupFiles(this::ask, Duration.ofMillis(5), Duration.ofMinutes(1));

        for (int i = 0; i < 20; i++) {
            assertThat(decode(group, 2, 0, 6)).as("round %s, seed %s", i, SEED).isEqualTo(ByteBuffer.wrap(data.get(2)));
        }
    }

    /** As blocks of 2 GiB and more are: window by window, to a file. */
    @Test
    void anOutputIsDecodedToAFile() throws IOException {
        Group group = encoded("paritas-4-1");
        down.add(executor(2));
        Path file = folder.resolve("decoded");

        BlockDecoder decoder = new BlockDecoder(files, group, 2, late::contains);
        Contents contents = decoder.contents(0, 6);
        try (FileChannel out = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            decoder.decode(contents, out);
        }

        assertThat(file).hasBinaryContent(data.get(2));
        assertThat(contents.lengths()).containsExactly(OUTPUTS[2]);
    }

    /** Its parity file is read in four windows. */
    @Test
    void anExecutorMayGoWhileABlockIsDecoded() throws IOException {
        Group group = encoded("rs-4-2");
        down.add(executor(2));
        bytesRead = 0;
        leavesAt = 1_500_000;
        leaving = Optional.of(executor(4));

        assertThat(decode(group, 2, 0, 6)).isEqualTo(ByteBuffer.wrap(data.get(2)));

        assertThat(down).as("it has gone").contains(executor(4));
    }

    /** An array of a mebibyte is dear to a collector. */
    @Test
    void memoryOfWindowsIsUsedAgain() throws IOException {
        Group group = encoded("paritas-4-1");
        down.add(executor(2));
        parityArrays.clear();

        decode(group, 2, 0, 6);

        assertThat(parityArrays).as("of its four windows").hasSize(2);
    }

    /** Two data files and the local parity, of ten. */
    @Test
    void lrcReadsItsLocalGroupOnly() throws IOException {
        Group group = encoded("lrc-6-2-2");
        bytesRead = 0;

        assertThat(decode(group, 2, 2, 3)).isEqualTo(ByteBuffer.wrap(block(2, 2, 3)));

        assertThat(bytesRead).isLessThan(3L * RequestId.PAGE + 100);
    }

    @Test
    void onlyTheRangeOfTheBlockIsRead() throws IOException {
        Group group = encoded("paritas-4-1");
        bytesRead = 0;

        decode(group, 2, 2, 3);

        assertThat(bytesRead).isLessThan(4L * 2 * RequestId.PAGE);
        assertThat(asked).contains(RequestId.Kind.PARITY, RequestId.Kind.CONTENTS);
    }

    @Test
    void tooFewFilesAreRefused() throws IOException {
        Group group = encoded("paritas-4-1");
        down.addAll(List.of(executor(0), executor(2)));

        assertThatThrownBy(() -> decode(group, 2, 1, 2))
                .isInstanceOf(IOException.class)
                .hasMessage("4 files of group 9 of shuffle 5 must be readable, got 3 of 5");
    }

    @Test
    void wrongBytesAreRefused() throws IOException {
        Group group = encoded("paritas-4-1");
        data.get(0)[3] ^= 1;

        assertThatThrownBy(() -> decode(group, 2, 0, 2))
                .isInstanceOf(IOException.class)
                .hasMessage("a block of map output 2 must have the checksum that it had when it was coded, the decoded"
                        + " bytes have another");
        assertThat(decode(group, 2, 2, 6)).as("other ranges are right").isEqualTo(ByteBuffer.wrap(block(2, 2, 6)));
    }

    /** Any two of six: one cannot be read, and one has other bytes than those that were coded. */
    @Test
    void aDamagedFileIsFoundAndLeftOut() throws IOException {
        Group group = encoded("rs-4-2");
        down.add(executor(0));
        for (int damaged = 2; damaged < 4; damaged++) {
            data.get(damaged)[0] ^= 1;

            assertThat(decode(group, 0, 0, 6)).as("damaged: %s", damaged).isEqualTo(ByteBuffer.wrap(data.get(0)));

            data.get(damaged)[0] ^= 1;
        }
        Path parity = store.parity(SHUFFLE, group.parity(0).file()).toPath();
        byte[] bytes = Files.readAllBytes(parity);
        bytes[0] ^= 1;
        Files.write(parity, bytes);
        assertThat(decode(group, 0, 0, 6)).as("damaged parity").isEqualTo(ByteBuffer.wrap(data.get(0)));
    }

    @Test
    void aFileIsDecodedFromItsStartIfAnotherWasDamaged() throws IOException {
        Group group = encoded("rs-4-2");
        down.add(executor(0));
        data.get(2)[3] ^= 1;
        Path file = folder.resolve("decoded");

        BlockDecoder decoder = new BlockDecoder(files, group, 0, late::contains);
        decoder.untilRight(() -> {
            try (FileChannel out = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
                decoder.decode(decoder.contents(0, 6), out);
            }
            return file;
        });

        assertThat(file).hasBinaryContent(data.get(0));
    }

    @Test
    void moreDamageThanTheCodeSurvivesIsTold() throws IOException {
        Group group = encoded("rs-4-2");
        down.add(executor(0));
        data.get(2)[0] ^= 1;
        data.get(3)[0] ^= 1;

        assertThatThrownBy(() -> decode(group, 0, 0, 6))
                .isInstanceOf(IOException.class)
                .hasMessage("a block of map output 0 must have the checksum that it had when it was coded, the decoded"
                        + " bytes have another");
    }

    private Path contents(Group group, int row) {
        return folder.resolve("paritas-shuffle-5-" + group.parity(row).file() + ".contents");
    }

    /**
     * An output is lost with another one, so all parity is needed; its contents are read from the other parity's
     * executor.
     */
    @Test
    void damagedContentsAreReadElsewhere() throws IOException {
        Group group = encoded("rs-4-2");
        down.addAll(List.of(executor(0), executor(2)));
        Path file = contents(group, 0);
        byte[] right = Files.readAllBytes(file);
        for (int at = 0; at < right.length; at++) {
            byte[] wrong = right.clone();
            wrong[at] ^= (byte) 0x80;
            Files.write(file, wrong);

            assertThat(decode(group, 0, 0, 6)).as("byte %s is damaged", at).isEqualTo(ByteBuffer.wrap(data.get(0)));
        }
        for (int size = 0; size < right.length; size += 11) {
            Files.write(file, Arrays.copyOf(right, size));

            assertThat(decode(group, 0, 1, 3))
                    .as("%s bytes are there", size)
                    .isEqualTo(ByteBuffer.wrap(block(0, 1, 3)));
        }
    }

    @Test
    void damagedContentsThatNobodyElseHasAreTold() throws IOException {
        Group group = encoded("paritas-4-1");
        byte[] contents = Files.readAllBytes(contents(group, 0));
        contents[2 * contents.length / 4] ^= (byte) 0x80;
        Files.write(contents(group, 0), contents);

        assertThatThrownBy(() -> decode(group, 2, 0, 6))
                .isInstanceOf(IOException.class)
                .hasMessage("the contents of a group must have their checksums, partition 0 of unit 2 has another");
        assertThat(decode(group, 2, 1, 6)).as("others are right").isEqualTo(ByteBuffer.wrap(block(2, 1, 6)));
    }

    /** The memory of the executor that wrote them may have been damaged. */
    @ParameterizedTest
    @CsvSource({
        "-4, 5, 'offset 0 of unit 0 must be at least 0, got -4'",
        "9, 5, 'offset 1 of unit 0 must be at least 9, got 5'"
    })
    void contentsWhoseOffsetsFallAreRefused(long from, long to, String message) throws IOException {
        Path file = folder.resolve("contents");
        Contents.write(file, List.of(new Contents(new long[] {from, to}, new int[] {7})));

        assertThatThrownBy(() -> Contents.of(Contents.read(file, 1, 0, 0, 1), 0, 0, 1))
                .isInstanceOf(IOException.class)
                .hasMessage(message);
    }

    @Test
    void contentsOfOtherPartitionsAreRefused() throws IOException {
        Group group = encoded("paritas-4-1");

        assertThatThrownBy(() -> Contents.of(Contents.read(contents(group, 0), 4, 2, 1, 3), 2, 0, 2))
                .isInstanceOf(IOException.class)
                .hasMessage("the contents of a group must have their checksums, partition 0 of unit 2 has another");
        assertThatThrownBy(() -> Contents.of(Contents.read(contents(group, 0), 4, 2, 1, 3), 2, 1, 4))
                .isInstanceOf(IOException.class)
                .hasMessage("the contents of 3 partitions must have 64 bytes, got 48");
    }

    /** More than the heap has: an executor that ends when memory is short must not end for what another one says. */
    @Test
    void numbersInMessagesTakeNoMemory() throws IOException {
        Group group = encoded("paritas-4-1");

        assertThat(Contents.read(contents(group, 0), 4, 3, 1, 130_000_000).remaining())
                .as("what is there of the contents behind the first of 7")
                .isEqualTo(6 * 16);
        assertThat(Contents.read(contents(group, 0), 4, 3, 9, 130_000_000).remaining())
                .isZero();

        Files.delete(contents(group, 0));
        Contents forged = new Contents(new long[] {0, 0, 0, 0, 0, 0, 2_000_000_000}, new int[6]);
        Contents.write(contents(group, 0), List.of(forged, forged, forged, forged));
        assertThatThrownBy(() -> decode(group, 0, 0, 6))
                .isInstanceOf(IOException.class)
                .hasMessage("partitions must end within the " + data.get(0).length + " bytes of map output "
                        + group.units().get(0).file() + ", got contents that end at 2000000000");
    }

    @Test
    void filesThatCannotBeReadGiveNoParity() {
        Group group = group(CodeName.parse("rs-4-2"), false, new long[4]);
        down.add(executor(1));
        Path parity = folder.resolve("parity");

        assertThatThrownBy(() -> new ParityEncoder(files, 0).encode(group, 0, parity, folder.resolve("contents")))
                .isInstanceOf(IOException.class)
                .hasMessage("1 is down");
        assertThat(parity).doesNotExist();
    }

    @Test
    void theRateIsKept() throws IOException {
        Group group = group(CodeName.parse("rs-4-2"), false, new long[4]);
        long bytes = data.stream().limit(4).mapToLong(output -> output.length).sum();
        long start = System.nanoTime();

        new ParityEncoder(files, 5 * bytes).encode(group, 0, folder.resolve("parity"), folder.resolve("contents"));

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(190));
    }

    @Test
    void damagedIndexesAreRefused() {
        assertThatThrownBy(() ->
                        Contents.offsets(ByteBuffer.allocate(24).putLong(8, 5).putLong(16, 4)))
                .isInstanceOf(IOException.class)
                .hasMessage("an index file must have offsets from 0 on, got [0, 5, 4]");
    }

    /** Each name has its own disk, between which files cannot be renamed. */
    @Test
    void unfinishedParityIsOnTheDiskWhereItIsKept() throws IOException {
        store = new ParityFiles(name -> {
            File disk = folder.resolve(name).toFile();
            disk.mkdirs();
            return new File(disk, name);
        });
        File parity = store.newFile(SHUFFLE, 7);
        File contents = store.newFile(SHUFFLE, 7);
        Files.createFile(parity.toPath());
        Files.createFile(contents.toPath());

        store.put(SHUFFLE, 7, 4, parity, contents);

        File kept = store.parity(SHUFFLE, 7);
        assertThat(parity).hasParent(kept.getParentFile());
        assertThat(contents).hasParent(kept.getParentFile());
        assertThat(kept.getParentFile().list()).as("parity and contents").hasSize(2);
    }

    @Test
    void filesOfAShuffleThatIsOverAreDeleted() throws IOException {
        Group group = encoded("rs-4-2");

        store.remove(SHUFFLE);

        assertThat(folder).isEmptyDirectory();
        assertThatThrownBy(() -> store.parity(SHUFFLE, group.parity(0).file()))
                .isInstanceOf(FileNotFoundException.class)
                .hasMessage("parity 2304 of shuffle 5 is not here");
        assertThatThrownBy(() -> encoded("rs-4-2"))
                .isInstanceOf(IOException.class)
                .hasMessage("shuffle 5 is over, its parity is not kept");
    }
}
