/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import static io.paritas.spark.ec.shuffle.Executors.executor;
import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.CodeName;
import io.paritas.spark.ec.LocalSpark;
import io.paritas.spark.ec.shuffle.CodedShuffleStatus.Application;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.apache.spark.MapOutputTracker$;
import org.apache.spark.ShuffleStatus;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.scheduler.MapStatus$;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.FallbackStorage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CodedShuffleStatusTest {
    private static final int MAPS = 4;

    private final List<Integer> changes = new ArrayList<>();
    private final Set<String> removed = new HashSet<>();
    private final ShuffleGroups groups =
            new ShuffleGroups(6, MAPS, CodeName.parse("paritas-4-1"), 0, removed::contains);
    private final ShuffleCounts counts = new ShuffleCounts();
    private final List<Broadcast<?>> unwanted = new ArrayList<>();
    private final Application application = new Application(new ConcurrentHashMap<>(), changes::add, unwanted::add);
    private final CodedShuffleStatus status = new CodedShuffleStatus(6, MAPS, 3, groups, counts, application);

    /** Map output n is the attempt 10 + n, on executor n; the last one is empty. */
    @BeforeEach
    void addOutputs() {
        for (int map = 0; map < MAPS; map++) {
            add(map, 10 + map, map, map == MAPS - 1 ? 0 : 1_000);
        }
        assertThat(changes).containsOnly(6);
        changes.clear();
    }

    private void add(int partition, long map, int executor, long bytes) {
        status.addMapOutput(partition, MapStatus$.MODULE$.apply(executor(executor), new long[] {0, bytes, 0}, map, 0));
    }

    /** Executor 4 gets the parity. */
    private void code() {
        code(executor(0), executor(1), executor(2), executor(4));
    }

    private void code(BlockManagerId... all) {
        List<BlockManagerId> executors = List.of(all);
        for (Group group : groups.formGroups(executors, 0)) {
            groups.done(group.number(), 0, group.parity(0).at(), new long[] {1_000, 1_000, 1_000});
        }
    }

    private List<String> locations() {
        return Arrays.stream(status.mapStatuses())
                .map(output -> output == null ? "none" : output.location().executorId())
                .toList();
    }

    /** The bytes that the list of a shuffle allocates for each of its outputs. */
    private static long bytesOfAnOutput(ShuffleStatus list, int maps) {
        MapStatus[] outputs = new MapStatus[maps];
        Arrays.setAll(outputs, map -> MapStatus$.MODULE$.apply(executor(map % 8), new long[] {1_000}, 10 + map, 0));
        var thread = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = thread.getCurrentThreadAllocatedBytes();
        for (int map = 0; map < maps; map++) {
            list.addMapOutput(map, outputs[map]);
        }
        return (thread.getCurrentThreadAllocatedBytes() - before) / maps;
    }

    /** Most shuffles are too small to be coded. */
    @Test
    void theOutputsOfASmallShuffleTakeLittleMemory() {
        int maps = 2_000;
        ShuffleGroups none =
                new ShuffleGroups(7, maps, CodeName.parse("paritas-4-1"), Long.MAX_VALUE, removed::contains);
        long ours = bytesOfAnOutput(new CodedShuffleStatus(7, maps, 1, none, counts, application), maps);

        assertThat(ours - bytesOfAnOutput(new ShuffleStatus(maps, -1), maps)).isLessThan(250);
    }

    @Test
    void codedAndEmptyOutputsStay() {
        code();

        status.removeOutputsOnExecutor("1");
        status.removeOutputsOnExecutor("3");

        assertThat(locations()).containsExactly("0", "lost-1", "2", "lost-3");
        assertThat(status.numAvailableMapOutputs()).isEqualTo(MAPS);
        assertThat(status.findMissingPartitions().isEmpty()).isTrue();
        assertThat(changes).isNotEmpty();
        MapStatus lost = status.mapStatuses()[1];
        assertThat(lost.location().hostPort()).isEqualTo(executor(1).hostPort());
        assertThat(LostLocation.is(lost.location())).isTrue();
    }

    @Test
    void withoutParityTheyAreRemoved() {
        status.removeOutputsOnExecutor("1");

        assertThat(locations()).containsExactly("0", "none", "2", "3");
        assertThat(groups.progress().outputs()).isEqualTo(MAPS - 1);
    }

    @Test
    void whatMoreLossesMakeUnreadableIsRemovedToo() {
        code();
        status.removeOutputsOnExecutor("1");

        assertThat(counts.keptOutputs()).isOne();
        status.removeOutputsOnExecutor("0");

        assertThat(counts.keptOutputs()).isOne();
        assertThat(counts.lostOutputs()).isEqualTo(2);
        assertThat(locations()).containsExactly("none", "none", "2", "3");
        assertThat(status.numAvailableMapOutputs()).isEqualTo(2);
    }

    @Test
    void aHostTakesItsExecutorsThatHaveLeftAlong() {
        code();

        status.removeOutputsOnHost("host2");
        assertThat(locations())
                .as("a worker of the host is lost, and another one has the executor")
                .containsExactly("0", "1", "2", "3");

        removed.add("2");
        status.removeOutputsOnHost("host2");
        assertThat(locations()).containsExactly("0", "1", "lost-2", "3");
    }

    @Test
    void wrongOutputsAreRemovedWhetherCodedOrNot() {
        code();

        status.removeOutputsByFilter(location -> true);

        assertThat(locations()).containsOnly("none");
        assertThat(groups.progress().outputs()).isZero();
    }

    /** What the scheduler does when a reducer could neither fetch nor decode a block. */
    @Test
    void anOutputThatCouldNotBeDecodedIsComputedAgain() {
        code();
        status.removeOutputsOnExecutor("1");

        status.removeMapOutput(1, LostLocation.of(executor(1)));
        status.removeOutputsOnExecutor("lost-1");
        assertThat(locations()).containsExactly("0", "none", "2", "3");

        add(1, 99, 4, 1_000);
        assertThat(groups.decodable(99)).as("it has no parity yet").isFalse();
        assertThat(groups.formGroups(Executors.first(5), 0))
                .flatExtracting(Group::data)
                .extracting(Group.Unit::file)
                .contains(99L);
    }

    /** Three outputs of executor 1, each of which is a group of its own with parity; the executor is lost. */
    private CodedShuffleStatus threeOutputsOfALostExecutor() {
        ShuffleGroups three = new ShuffleGroups(6, 3, CodeName.parse("paritas-1-1"), 0, removed::contains);
        CodedShuffleStatus all = new CodedShuffleStatus(6, 3, 3, three, counts, application);
        for (int map = 0; map < 3; map++) {
            all.addMapOutput(map, MapStatus$.MODULE$.apply(executor(1), new long[] {0, 1_000, 0}, map, 0));
        }
        assertThat(three.formGroups(Executors.first(3), 0))
                .hasSize(3)
                .allSatisfy(
                        group -> three.done(group.number(), 0, group.parity(0).at(), new long[] {1_000}));
        all.removeOutputsOnExecutor("1");
        assertThat(all.numAvailableMapOutputs()).isEqualTo(3);
        return all;
    }

    /** Spark names the executor to all shuffles when one block of one of them could not be decoded. */
    @Test
    void oneOutputThatCouldNotBeDecodedTakesNoOthersAlong() {
        CodedShuffleStatus failing = threeOutputsOfALostExecutor();
        CodedShuffleStatus other = threeOutputsOfALostExecutor();

        failing.removeMapOutput(0, LostLocation.of(executor(1)));
        for (CodedShuffleStatus each : List.of(failing, other)) {
            each.removeOutputsOnExecutor("lost-1");
        }

        assertThat(failing.findMissingPartitions().mkString(",")).isEqualTo("0");
        assertThat(other.numAvailableMapOutputs()).isEqualTo(3);
    }

    /** A join reads several shuffles, and a stage has four attempts for all of them. */
    @Test
    void twoOutputsThatCouldNotBeDecodedTakeTheOthersOfTheirExecutorAlong() {
        CodedShuffleStatus failing = threeOutputsOfALostExecutor();
        CodedShuffleStatus other = threeOutputsOfALostExecutor();

        for (int map = 0; map < 2; map++) {
            assertThat(other.numAvailableMapOutputs()).isEqualTo(3);
            failing.removeMapOutput(map, LostLocation.of(executor(1)));
            for (CodedShuffleStatus each : List.of(failing, other)) {
                each.removeOutputsOnExecutor("lost-1");
            }
        }

        assertThat(failing.mapStatuses()).containsOnlyNulls();
        assertThat(other.mapStatuses()).containsOnlyNulls();
    }

    /** Each could take an attempt of the stage, and the first ones would not be looked at again. */
    @Test
    void severalLostExecutorsWithAnOutputThatCouldNotBeDecodedAreGivenUpTogether() {
        ShuffleGroups six = new ShuffleGroups(6, 6, CodeName.parse("paritas-1-1"), 0, removed::contains);
        CodedShuffleStatus all = new CodedShuffleStatus(6, 6, 3, six, counts, application);
        for (int map = 0; map < 6; map++) {
            all.addMapOutput(map, MapStatus$.MODULE$.apply(executor(1 + map % 3), new long[] {0, 1_000, 0}, map, 0));
        }
        // The first ones hold the parity.
        List<BlockManagerId> executors = IntStream.of(4, 5, 6, 7, 8, 9, 1, 2, 3)
                .mapToObj(Executors::executor)
                .toList();
        six.formGroups(executors, 0)
                .forEach(group -> six.done(group.number(), 0, group.parity(0).at(), new long[] {1_000}));
        for (int lost = 1; lost <= 3; lost++) {
            all.removeOutputsOnExecutor(Integer.toString(lost));
        }
        assertThat(all.numAvailableMapOutputs()).as("all can be decoded").isEqualTo(6);

        all.removeMapOutput(0, LostLocation.of(executor(1)));
        all.removeOutputsOnExecutor("lost-1");
        assertThat(all.numAvailableMapOutputs()).isEqualTo(5);
        all.removeMapOutput(1, LostLocation.of(executor(2)));
        all.removeOutputsOnExecutor("lost-2");

        assertThat(all.findMissingPartitions().mkString(","))
                .as("those of executor 3 have not failed")
                .isEqualTo("0,1,3,4");
    }

    /** Each of several reducers tells it. */
    @Test
    void anOutputThatSeveralReducersCouldNotDecodeHasFailedOnce() {
        CodedShuffleStatus failing = threeOutputsOfALostExecutor();

        for (int reducer = 0; reducer < 3; reducer++) {
            failing.removeMapOutput(0, LostLocation.of(executor(1)));
            failing.removeOutputsOnExecutor("lost-1");
        }

        assertThat(failing.numAvailableMapOutputs()).isEqualTo(2);
    }

    /** Nobody has told that before: its group lost files that were there when its executor was lost. */
    @Test
    void whatIsNoLongerDecodableGoesWithTheFirstFailure() {
        code();
        status.removeOutputsOnExecutor("1");
        groups.lost(executor(4)::equals);

        status.removeOutputsOnExecutor("lost-1");

        assertThat(locations()).containsExactly("0", "none", "2", "3");
    }

    /** The executors of a host are removed first. */
    @Test
    void aLostHostDoesNotTakeWhatIsDecoded() {
        code();
        status.removeOutputsOnExecutor("1");

        status.removeOutputsOnHost("host1");

        assertThat(locations()).containsExactly("0", "lost-1", "2", "3");
    }

    @Test
    void aLateRemovalOfAnotherLocationChangesNothing() {
        code();
        status.removeOutputsOnExecutor("1");

        status.removeMapOutput(1, executor(1));

        assertThat(locations()).containsExactly("0", "lost-1", "2", "3");
    }

    @Test
    void outputsThatAreCopiedToAnotherExecutorAreReadThere() {
        code();

        status.updateMapOutput(11, executor(7));
        status.removeOutputsOnExecutor("1");

        assertThat(locations()).containsExactly("0", "7", "2", "3");
    }

    /** It was told of the list a moment ago. Large ones are broadcasts. */
    @Test
    void anExecutorReadsTheListOfOutputsAfterOneHasMoved() {
        code();
        SparkConf conf = LocalSpark.session().sparkContext().conf();
        byte[] told = status.serializedMapStatus(SparkEnv.get().broadcastManager(), false, 1, conf);
        assertThat(status.hasCachedSerializedBroadcast()).isTrue();

        status.updateMapOutput(11, executor(7));
        status.removeOutputsOnExecutor("2");

        assertThat(unwanted).singleElement().satisfies(list -> assertThat(list.isValid())
                .isTrue());
        assertThat(status.hasCachedSerializedBroadcast())
                .as("who asks now gets another one")
                .isFalse();
        Object[] read = MapOutputTracker$.MODULE$.<MapStatus>deserializeOutputStatuses(told, conf);
        assertThat(read).hasSize(MAPS);
    }

    /** A reader that is slow would read outputs of the former attempts of their tasks. */
    @Test
    void aListOfOutputsThatAreWrongIsNotKept() {
        code();
        SparkConf conf = LocalSpark.session().sparkContext().conf();
        status.serializedMapStatus(SparkEnv.get().broadcastManager(), false, 1, conf);
        Broadcast<?> list = status.cachedSerializedBroadcast();

        status.removeOutputsByFilter(location -> true);

        assertThat(list.isValid()).isFalse();
        assertThat(status.hasCachedSerializedBroadcast()).isFalse();
    }

    /** Spark takes away the output that was lost before it rolls a stage back. */
    @Test
    void aListOfBeforeARollBackIsDestroyedAsWell() {
        code();
        SparkConf conf = LocalSpark.session().sparkContext().conf();
        status.serializedMapStatus(SparkEnv.get().broadcastManager(), false, 1, conf);
        Broadcast<?> list = status.cachedSerializedBroadcast();
        status.updateMapOutput(11, executor(7));
        assertThat(list.isValid()).isTrue();

        status.removeOutputsByFilter(location -> true);

        assertThat(list.isValid()).isFalse();
    }

    /** Spark tells of the move on another thread than of the loss, and may do so while the lost outputs are looked through. */
    @Test
    void anOutputThatMovesWhileItsExecutorIsLostIsReadThere() throws Exception {
        code();
        List<Thread> moves = new ArrayList<>();

        status.removeOutputsByFilter(location -> {
            boolean isLost = location.executorId().equals("1");
            if (isLost && moves.isEmpty() && !Thread.holdsLock(groups)) {
                Thread move = new Thread(() -> status.updateMapOutput(11, executor(7)));
                moves.add(move);
                move.start();
                awaitEndOrLock(move);
            }
            return isLost;
        });

        assertThat(moves).hasSize(1);
        moves.get(0).join();
        assertThat(locations()).containsExactly("0", "7", "2", "3");
    }

    /** The scheduler removes an output that a task could not read, on another thread than that which lost its executor. */
    @Test
    void anOutputIsNotRemovedWhileItGetsAnotherLocation() throws Exception {
        code();
        List<Thread> removals = new ArrayList<>();

        status.removeOutputsByFilter(location -> {
            boolean isLost = location.executorId().equals("1");
            if (isLost && removals.isEmpty() && !Thread.holdsLock(groups)) {
                Thread removal = new Thread(() -> status.removeMapOutput(1, LostLocation.of(executor(1))));
                removals.add(removal);
                removal.start();
                awaitEndOrLock(removal);
                assertThat(removal.isAlive()).as("it waits").isTrue();
            }
            return isLost;
        });

        removals.get(0).join();
        assertThat(locations()).containsExactly("0", "none", "2", "3");
    }

    /** Spark removes a lost executor's outputs on one thread, and is told on another one where a rebuilt output is. */
    @ParameterizedTest
    @ValueSource(strings = {"executor", "host"})
    void aLossWaitsForNoMoveThatWaitsForIt(String what) throws Exception {
        code();
        removed.add("1");
        CountDownLatch end = new CountDownLatch(2);
        Thread loss = daemon(end, () -> {
            if (what.equals("host")) {
                status.removeOutputsOnHost("host1");
            } else {
                status.removeOutputsOnExecutor("1");
            }
        });
        Thread move = daemon(end, () -> status.updateMapOutput(10, executor(7)));

        // Whoever marks lost outputs in the groups has what it locks before.
        synchronized (groups) {
            loss.start();
            awaitEndOrLock(loss);
            move.start();
            awaitEndOrLock(move);
        }

        assertThat(end.await(10, TimeUnit.SECONDS)).as("both end").isTrue();
        assertThat(locations()).containsExactly("7", "lost-1", "2", "3");
    }

    private static Thread daemon(CountDownLatch end, Runnable work) {
        Thread thread = new Thread(() -> {
            work.run();
            end.countDown();
        });
        thread.setDaemon(true);
        return thread;
    }

    private static void awaitEndOrLock(Thread thread) {
        while (thread.isAlive()
                && thread.getState() != Thread.State.BLOCKED
                && thread.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
    }

    /** Spark tells of the move on another thread than of the loss. */
    @Test
    void anOutputThatIsCopiedToAnExecutorThatHasLeftIsDecoded() {
        code();
        removed.add("7");

        status.updateMapOutput(11, executor(7));

        assertThat(locations()).containsExactly("0", "lost-7", "2", "3");
        assertThat(groups.orderRebuilds(Executors.first(6), 0))
                .extracting(Departures.Rebuild::map)
                .containsExactly(11L);
    }

    @Test
    void withoutParityAnOutputThatIsCopiedToAnExecutorThatHasLeftIsRemoved() {
        removed.add("7");

        status.updateMapOutput(11, executor(7));

        assertThat(locations()).containsExactly("0", "none", "2", "3");
        assertThat(groups.progress().outputs()).isEqualTo(MAPS - 1);
    }

    /** No executor takes it along, and none can read it there to decode others. Who has copied it can be read until it has left. */
    @Test
    void anOutputInTheFallbackStorageLeavesItsGroup() {
        code();

        status.updateMapOutput(11, FallbackStorage.FALLBACK_BLOCK_MANAGER_ID());

        assertThat(locations()).containsExactly("0", "fallback", "2", "3");
        assertThat(groups.holders()).containsExactlyInAnyOrder("0", "2", "4");
        assertThat(groups.decodable(10)).as("by the file that was copied").isTrue();

        status.removeOutputsOnExecutor("1");
        assertThat(groups.decodable(10)).isFalse();
        code(executor(0), executor(2), executor(4));
        status.removeOutputsOnExecutor("0");
        assertThat(locations()).containsExactly("lost-0", "fallback", "2", "3");
    }

    /** All outputs are there, so the others wait for no full group. */
    @Test
    void anOutputWhoseCopyInTheFallbackStorageIsToldLateIsInNoGroup() {
        status.removeOutputsOnExecutor("1");

        status.updateMapOutput(11, FallbackStorage.FALLBACK_BLOCK_MANAGER_ID());

        assertThat(locations()).containsExactly("0", "fallback", "2", "3");
        code(executor(0), executor(2), executor(4));
        assertThat(groups.progress()).isEqualTo(new ShuffleGroups.Progress(MAPS - 1, MAPS - 1));
    }

    /** An executor was still making it again when all outputs were dropped, because map tasks do not give the same ones each time. */
    @Test
    void aFileThatIsMadeAgainDoesNotMakeAWrongOutputRight() {
        code();
        status.removeOutputsOnExecutor("1");
        status.removeOutputsByFilter(location -> true);

        status.updateMapOutput(11, executor(7));

        assertThat(locations()).containsOnly("none");
        assertThat(status.findMissingPartitions().size()).isEqualTo(MAPS);
    }

    /** An executor that left has given it away before, but the driver hears of the loss first. */
    @Test
    void anOutputWhoseCopyIsToldLateIsThereAgainAndCoded() {
        status.removeOutputsOnExecutor("1");

        status.updateMapOutput(11, executor(7));

        assertThat(locations()).containsExactly("0", "7", "2", "3");
        code(executor(0), executor(7), executor(2), executor(4));
        assertThat(groups.progress()).isEqualTo(new ShuffleGroups.Progress(MAPS, MAPS));
        status.updateMapOutput(11, executor(8));
        assertThat(locations()).containsExactly("0", "8", "2", "3");
    }

    /** Its old group is there for the others. */
    @Test
    void anOutputThatIsThereAgainIsInNoGroup() {
        code();
        status.removeOutputsOnExecutor("4");
        status.removeOutputsOnExecutor("1");
        status.updateMapOutput(11, executor(7));

        status.removeOutputsOnExecutor("0");

        assertThat(locations()).containsExactly("none", "7", "2", "3");
    }

    @Test
    void aLateCopyDoesNotReplaceANewerOutput() {
        status.removeOutputsOnExecutor("1");
        add(1, 99, 4, 1_000);

        status.updateMapOutput(11, executor(7));

        assertThat(locations()).containsExactly("0", "4", "2", "3");
    }

    /** Its partition's last output is another one, which nobody has copied. */
    @Test
    void aLateCopyIsNotTakenForANewerOutputThatIsLost() {
        status.removeOutputsOnExecutor("1");
        add(1, 99, 4, 1_000);
        status.removeOutputsOnExecutor("4");

        status.updateMapOutput(11, executor(7));

        assertThat(locations()).containsExactly("0", "none", "2", "3");
    }

    /** The scheduler hears that a task has ended after its executor was removed. */
    @Test
    void anOutputThatComesTooLateIsNotKept() {
        removed.add("7");

        add(2, 99, 7, 1_000);

        assertThat(locations()).containsExactly("0", "1", "none", "3");
        assertThat(groups.progress().outputs()).isEqualTo(MAPS - 1);
    }

    /** Spark's list of executors may have it for a while. */
    @Test
    void whoSendsAnOutputThatComesTooLateIsAskedForNoParity() {
        code();
        status.removeOutputsOnExecutor("4");
        removed.add("4");

        add(2, 99, 4, 1_000);

        assertThat(groups.holders()).containsExactlyInAnyOrder("0", "1");
        assertThat(groups.orderMendings(Executors.first(5), 0)).isEmpty();
    }

    @Test
    void aLossOfParityOnlyIsToldToo() {
        code();

        status.removeOutputsOnExecutor("4");

        assertThat(locations()).containsExactly("0", "1", "2", "3");
        assertThat(changes).containsExactly(6);
    }

    @Test
    void sizesOfManyPartitionsAreEstimated() {
        int partitions = 5_000;
        ShuffleGroups many = new ShuffleGroups(1, 2, CodeName.parse("paritas-1-1"), 4_000_000, removed::contains);
        CodedShuffleStatus wide = new CodedShuffleStatus(1, 2, partitions, many, counts, application);
        long[] even = IntStream.range(0, partitions).mapToLong(i -> 1_000).toArray();
        long[] single = new long[partitions];
        single[4_999] = 10;
        wide.addMapOutput(0, MapStatus$.MODULE$.apply(executor(0), even, 1, 0));
        wide.addMapOutput(1, MapStatus$.MODULE$.apply(executor(1), single, 2, 0));

        assertThat(many.formGroups(Executors.first(3), 0))
                .as("none is empty, and all are large")
                .hasSize(2);
    }

    /** The least bytes that the removal of an output allocates, and the addition of one that comes too late. */
    private record Bytes(long removal, long addition) {}

    /** @param maps how many outputs there are */
    private static Bytes bytesOfAnOutput(int maps) {
        Predicate<String> left = "5"::equals;
        ShuffleGroups groups = new ShuffleGroups(6, maps, CodeName.parse("paritas-4-1"), 0, left);
        CodedShuffleStatus status = new CodedShuffleStatus(
                6,
                maps,
                3,
                groups,
                new ShuffleCounts(),
                new Application(new ConcurrentHashMap<>(), shuffle -> {}, list -> {}));
        for (int map = 0; map < maps; map++) {
            status.addMapOutput(map, output(map, map % 5));
        }
        long removal = Long.MAX_VALUE;
        long addition = Long.MAX_VALUE;
        for (int map = 0; map < 50; map++) {
            int partition = map;
            MapStatus late = output(maps + map, 5);
            removal = Math.min(removal, bytesOf(() -> status.removeMapOutput(partition, executor(partition % 5))));
            addition = Math.min(addition, bytesOf(() -> status.addMapOutput(partition, late)));
        }
        return new Bytes(removal, addition);
    }

    private static MapStatus output(long map, int executor) {
        return MapStatus$.MODULE$.apply(executor(executor), new long[] {0, 1, 0}, map, 0);
    }

    private static long bytesOf(Runnable work) {
        var thread = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = thread.getCurrentThreadAllocatedBytes();
        work.run();
        return thread.getCurrentThreadAllocatedBytes() - before;
    }

    /** A lost executor may have many of them, and the scheduler waits. */
    @Test
    void anOutputThatIsRemovedOrComesTooLateIsTheOnlyOneLookedAt() {
        Bytes few = bytesOfAnOutput(80);
        Bytes many = bytesOfAnOutput(40_000);
        assertThat(many.removal()).isLessThan(2 * few.removal() + 1_000);
        assertThat(many.addition()).isLessThan(2 * few.addition() + 1_000);
    }
}
