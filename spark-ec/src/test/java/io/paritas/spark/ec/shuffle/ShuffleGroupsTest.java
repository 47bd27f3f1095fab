/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import static io.paritas.spark.ec.shuffle.Executors.executor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.paritas.erasure.CodeName;
import io.paritas.spark.ec.shuffle.Group.Unit;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.storage.BlockManagerId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShuffleGroupsTest {
    private static final int SHUFFLE = 3;

    private static ShuffleGroups groups(int maps, String code, long minSize) {
        return new ShuffleGroups(SHUFFLE, maps, CodeName.parse(code), minSize, executor -> false);
    }

    /** Outputs of 100 bytes, the n-th one of attempt n, each on the next executor. */
    private static void add(ShuffleGroups groups, int from, int to, int executors) {
        for (int map = from; map < to; map++) {
            groups.add(map, map, executor(map % executors), 100);
        }
    }

    private static void done(ShuffleGroups groups, Group group) {
        for (int row = 0; row < group.r(); row++) {
            groups.done(
                    group.number(),
                    row,
                    group.parity(row).at(),
                    group.data().stream().mapToLong(unit -> 100).toArray());
        }
    }

    /** One group of that code with all its parity: output n is of executor n, and parity on the next ones. */
    private static ShuffleGroups coded(String name) {
        CodeName code = CodeName.parse(name);
        ShuffleGroups groups = groups(code.k(), name, 0);
        add(groups, 0, code.k(), code.k());
        done(groups, groups.formGroups(Executors.first(code.n()), 0).get(0));
        return groups;
    }

    private static List<Long> maps(Group group) {
        return group.data().stream().map(Unit::file).toList();
    }

    /** The bytes that a plan and a search for parity to be made again allocate which find nothing to do. */
    private static long bytesOfAPlan(ShuffleGroups groups, List<BlockManagerId> executors) {
        var thread = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 50; i++) {
            long before = thread.getCurrentThreadAllocatedBytes();
            groups.orderMendings(executors, 0);
            groups.formGroups(executors, 0);
            least = Math.min(least, thread.getCurrentThreadAllocatedBytes() - before);
        }
        return least;
    }

    /** So many outputs, all of which have a group. More are to come. */
    private static ShuffleGroups grouped(int outputs) {
        ShuffleGroups groups = groups(outputs + 1, "rs-4-2", 0);
        add(groups, 0, outputs, 8);
        assertThat(groups.formGroups(Executors.first(8), 0)).hasSize(outputs / 4);
        return groups;
    }

    @Test
    void onlyParityThatIsThereCounts() {
        ShuffleGroups groups = coded("rs-2-2");
        assertThat(groups.parityBytes()).isEqualTo(200);
        groups.lost(executor(3)::equals);
        assertThat(groups.parityBytes()).isEqualTo(100);
        groups.clear();
        groups.forgetSuperfluous();
        assertThat(groups.parityBytes()).isZero();
    }

    /** Each map task that ends has one made. */
    @Test
    void aPlanDoesNotLookAtGroupsThatAreMade() {
        List<BlockManagerId> executors = Executors.first(8);
        assertThat(bytesOfAPlan(grouped(40_000), executors))
                .isLessThan(2 * bytesOfAPlan(grouped(80), executors) + 1_000);
    }

    /** The bytes that a plan allocates for each group, of as many executors with eight outputs each. */
    private static long bytesOfAGroup(int executors) {
        ShuffleGroups groups = groups(8 * executors, "paritas-4-1", 0);
        add(groups, 0, 8 * executors, executors);
        List<BlockManagerId> all = Executors.first(executors);
        var thread = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = thread.getCurrentThreadAllocatedBytes();
        List<Group> formed = groups.formGroups(all, 0);
        long bytes = thread.getCurrentThreadAllocatedBytes() - before;
        assertThat(formed).hasSize(2 * executors);
        return bytes / formed.size();
    }

    /** The scheduler waits meanwhile. */
    @Test
    void aPlanDoesNotLookAtAllExecutorsForEachGroup() {
        assertThat(bytesOfAGroup(1_000)).isLessThan(2 * bytesOfAGroup(50));
    }

    /** A shuffle on so many executors, of which the first half has the outputs, and all have parity. */
    private static ShuffleGroups codedOnHalf(int executors) {
        ShuffleGroups groups = groups(4 * executors, "paritas-4-1", 0);
        add(groups, 0, 4 * executors, executors / 2);
        groups.formGroups(Executors.first(executors), 0).forEach(group -> done(groups, group));
        return groups;
    }

    /**
     * Every twentieth of some executors is lost.
     *
     * @return the bytes that it takes to find who makes a file again, for each file
     */
    private static long bytesOfAFile(ShuffleGroups groups, List<BlockManagerId> losing, Supplier<List<?>> orders) {
        groups.lost(executor -> losing.indexOf(executor) % 20 == 0);
        var thread = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = thread.getCurrentThreadAllocatedBytes();
        int files = orders.get().size();
        long bytes = thread.getCurrentThreadAllocatedBytes() - before;
        assertThat(files).isPositive();
        return bytes / files;
    }

    private static long bytesOfARebuild(int executors) {
        ShuffleGroups groups = codedOnHalf(executors);
        List<BlockManagerId> all = Executors.first(executors);
        return bytesOfAFile(groups, all.subList(0, executors / 2), () -> groups.orderRebuilds(all, 0));
    }

    private static long bytesOfAMending(int executors) {
        ShuffleGroups groups = codedOnHalf(executors);
        List<BlockManagerId> all = Executors.first(executors);
        return bytesOfAFile(groups, all.subList(executors / 2, executors), () -> groups.orderMendings(all, 0));
    }

    /** Many may be lost at once. */
    @Test
    void whoMakesALostFileAgainIsFoundWithoutALookAtAllExecutors() {
        bytesOfARebuild(100);
        assertThat(bytesOfARebuild(1_000)).isLessThan(2 * bytesOfARebuild(100));
        bytesOfAMending(100);
        assertThat(bytesOfAMending(1_000)).isLessThan(2 * bytesOfAMending(100));
    }

    /** So many outputs on three executors, of which none has a group: that takes outputs of four. */
    private static ShuffleGroups waiting(int outputs) {
        ShuffleGroups groups = groups(outputs + 1, "rs-4-2", 0);
        add(groups, 0, outputs, 3);
        return groups;
    }

    @Test
    void aPlanDoesNotLookAtOutputsThatWaitForOtherExecutors() {
        List<BlockManagerId> executors = Executors.first(8);
        assertThat(bytesOfAPlan(waiting(40_000), executors))
                .isLessThan(2 * bytesOfAPlan(waiting(80), executors) + 1_000);
    }

    /** So many executors have had an output, none of the first 8 among them, and have left. */
    private static ShuffleGroups left(int executors) {
        ShuffleGroups groups = groups(executors + 1, "rs-4-2", 0);
        for (int map = 0; map < executors; map++) {
            groups.add(map, map, executor(8 + map), 100);
        }
        groups.lost(executor -> true);
        return groups;
    }

    @Test
    void aPlanDoesNotLookAtExecutorsThatHaveLeft() {
        List<BlockManagerId> executors = Executors.first(8);
        assertThat(bytesOfAPlan(left(4_000), executors)).isLessThan(2 * bytesOfAPlan(left(80), executors) + 1_000);
    }

    /** Parity is as long as the longest output of its group. */
    @Test
    void outputsOfAGroupAreAboutEquallyLong() {
        ShuffleGroups groups = groups(8, "rs-4-2", 0);
        for (int map = 0; map < 8; map++) {
            groups.add(map, map, executor(map), map % 2 == 0 ? 10 : 1_000);
        }

        assertThat(groups.formGroups(Executors.first(8), 0))
                .map(ShuffleGroupsTest::maps)
                .containsExactly(List.of(1L, 3L, 5L, 7L), List.of(0L, 2L, 4L, 6L));
    }

    /** An executor makes more outputs than others: what it has too many waits to the end. */
    @Test
    void aGroupOfALongQueueIsMadeOfItsFront() {
        List<BlockManagerId> executors = Executors.first(8);
        var thread = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long[] bytes = new long[2];
        for (int round = 0; round < 2; round++) {
            int surplus = round == 0 ? 200 : 40_000;
            ShuffleGroups groups = groups(surplus + 1_000, "rs-4-2", 0);
            for (int map = 0; map < surplus; map++) {
                groups.add(map, map, executor(0), 100 + map % 7);
            }
            for (int map = surplus; map < surplus + 300; map++) {
                groups.add(map, map, executor(1 + map % 3), 100);
                long before = thread.getCurrentThreadAllocatedBytes();
                int made = groups.formGroups(executors, 0).size();
                bytes[round] += thread.getCurrentThreadAllocatedBytes() - before;
                assertThat(made).isEqualTo((map - surplus) % 3 == 2 ? 1 : 0);
            }
        }
        assertThat(bytes[1]).isLessThan(3 * bytes[0]);
    }

    /** An executor that had parity is lost, and the parity is made again. */
    private static ShuffleGroups mended(int outputs) {
        ShuffleGroups groups = groups(outputs + 1, "rs-4-2", 0);
        add(groups, 0, outputs, 8);
        groups.formGroups(Executors.first(9), 0).forEach(group -> done(groups, group));
        groups.lost(executor(8)::equals);
        for (Departures.Mending mending : groups.orderMendings(Executors.first(8), 0)) {
            done(groups, mending.group());
        }
        return groups;
    }

    @Test
    void aPlanDoesNotLookAtGroupsThatAreMadeAgain() {
        List<BlockManagerId> executors = Executors.first(8);
        assertThat(bytesOfAPlan(mended(40_000), executors)).isLessThan(2 * bytesOfAPlan(mended(80), executors) + 1_000);
    }

    @Test
    void aGroupHasOutputsOfDifferentExecutorsAndParityOnOthers() {
        ShuffleGroups groups = groups(40, "rs-4-2", 0);
        add(groups, 0, 40, 8);

        List<Group> made = groups.formGroups(Executors.first(8), 0);

        assertThat(made).hasSize(10).allSatisfy(group -> {
            assertThat(group.code()).hasToString("rs-4-2");
            assertThat(group.units().stream().map(Unit::at)).doesNotHaveDuplicates();
        });
        assertThat(made.stream().flatMap(group -> maps(group).stream()))
                .hasSize(40)
                .doesNotHaveDuplicates();
        assertThat(groups.formGroups(Executors.first(8), 0)).isEmpty();
    }

    @Test
    void whileTasksRunOnlyFullGroupsAreMade() {
        ShuffleGroups groups = groups(7, "paritas-4-1", 0);
        add(groups, 0, 3, 5);
        assertThat(groups.formGroups(Executors.first(5), 0)).isEmpty();

        groups.add(3, 3, executor(3), 100);
        assertThat(groups.formGroups(Executors.first(5), 0)).singleElement().satisfies(group -> assertThat(maps(group))
                .containsExactlyInAnyOrder(0L, 1L, 2L, 3L));

        add(groups, 4, 7, 5);
        assertThat(groups.formGroups(Executors.first(5), 0)).singleElement().satisfies(group -> {
            assertThat(maps(group)).containsExactlyInAnyOrder(4L, 5L, 6L);
            assertThat(group.code()).hasToString("paritas-3-1");
        });
    }

    @Test
    void fewExecutorsGetASmallerCode() {
        ShuffleGroups groups = groups(6, "paritas-4-2", 0);
        add(groups, 0, 6, 3);

        assertThat(groups.formGroups(Executors.first(2), 0)).isEmpty();
        assertThat(groups.formGroups(Executors.first(3), 0)).hasSize(6).allSatisfy(group -> assertThat(group.code())
                .hasToString("rs-1-2"));
    }

    /** Without room for its local parity, the code has none. */
    @Test
    void lrcIsShortenedToItsGlobalParity() {
        ShuffleGroups wide = groups(6, "lrc-6-2-2", 0);
        add(wide, 0, 6, 6);
        assertThat(wide.formGroups(Executors.first(10), 0)).singleElement().satisfies(group -> {
            assertThat(group.code()).hasToString("lrc-6-2-2");
            assertThat(group.units()).hasSize(10);
        });

        ShuffleGroups narrow = groups(6, "lrc-6-2-2", 0);
        add(narrow, 0, 6, 6);
        assertThat(narrow.formGroups(Executors.first(9), 0)).singleElement().satisfies(group -> assertThat(group.code())
                .hasToString("rs-6-2"));
    }

    @Test
    void aSmallShuffleIsCodedIfItIsDear() {
        ShuffleGroups groups = groups(4, "paritas-4-1", 1_000_000);
        add(groups, 0, 4, 5);
        assertThat(groups.formGroups(Executors.first(5), 0)).isEmpty();
        assertThat(groups.isDue()).isFalse();

        groups.markDear();

        assertThat(groups.isDue()).isTrue();
        assertThat(groups.formGroups(Executors.first(5), 0)).hasSize(1);
    }

    /** Nobody may need them again, so nobody makes the lost ones again. */
    @Test
    void outputsThatAreLeftAfterALossWaitForNoOthers() {
        ShuffleGroups groups = groups(6, "paritas-4-1", 0);
        add(groups, 0, 6, 3);
        groups.lost(executor(2)::equals);
        groups.removed(2, 2);
        groups.removed(5, 5);

        assertThat(groups.isDue()).isTrue();
        assertThat(groups.formGroups(Executors.first(2), 0)).hasSize(4).allSatisfy(group -> assertThat(group.code())
                .hasToString("paritas-1-1"));

        groups.clear();
        assertThat(groups.isDue()).as("when all map tasks run again").isFalse();
    }

    @Test
    void holdersHaveBytesOrParity() {
        ShuffleGroups groups = groups(4, "paritas-4-1", 0);
        add(groups, 0, 3, 5);
        groups.add(3, 3, executor(3), 0);

        assertThat(groups.formGroups(List.of(executor(0), executor(1), executor(2), executor(4)), 0))
                .hasSize(1);

        assertThat(groups.holders())
                .as("all but who has an empty output")
                .containsExactlyInAnyOrder("0", "1", "2", "4");
    }

    @Test
    void beforeAllOutputsAreThereFewExecutorsGetNone() {
        ShuffleGroups groups = groups(6, "paritas-4-1", 0);
        add(groups, 0, 5, 3);

        assertThat(groups.formGroups(Executors.first(3), 0)).isEmpty();
    }

    @Test
    void smallShufflesAndEmptyOutputsAreNotCoded() {
        ShuffleGroups small = groups(5, "paritas-4-1", 501);
        add(small, 0, 5, 5);
        assertThat(small.formGroups(Executors.first(5), 0)).isEmpty();
        assertThat(small.isDue()).isFalse();

        ShuffleGroups empty = groups(2, "paritas-4-1", 0);
        empty.add(0, 0, executor(0), 0);
        empty.add(1, 1, executor(1), 100);
        assertThat(empty.formGroups(Executors.first(5), 0)).singleElement().satisfies(group -> assertThat(maps(group))
                .containsExactly(1L));
        assertThat(empty.decodable(0)).as("nobody reads it").isTrue();
        assertThat(empty.decodable(1)).isFalse();
    }

    @Test
    void parityIsSpreadOverExecutors() {
        ShuffleGroups groups = groups(30, "paritas-2-1", 0);
        add(groups, 0, 30, 6);

        Set<BlockManagerId> holders = new HashSet<>();
        groups.formGroups(Executors.first(6), 0)
                .forEach(group -> holders.add(group.parity(0).at()));

        assertThat(holders).hasSizeGreaterThanOrEqualTo(5);
    }

    @Test
    void anOutputIsDecodableWhileKFilesAreLeft() {
        ShuffleGroups groups = groups(4, "rs-4-2", 0);
        add(groups, 0, 4, 4);
        Group group = groups.formGroups(Executors.first(6), 0).get(0);
        assertThat(groups.decodable(0)).isFalse();

        groups.done(group.number(), 1, group.parity(1).at(), new long[] {100, 100, 100, 100});
        assertThat(groups.decodable(0)).isTrue();
        groups.lost(executor(0)::equals);
        assertThat(groups.decodable(0)).isTrue();
        groups.lost(executor(1)::equals);
        assertThat(groups.decodable(0)).isFalse();
        assertThat(groups.decodable(1)).isFalse();

        groups.done(group.number(), 0, group.parity(0).at(), new long[] {100, 100, 100, 100});
        assertThat(groups.decodable(0)).isTrue();
        assertThat(groups.group(0).orElseThrow().units())
                .extracting(Unit::there)
                .containsExactly(false, false, true, true, true, true);
    }

    @Test
    void parityOfAnotherAttemptIsNotUsed() {
        ShuffleGroups groups = groups(4, "paritas-4-1", 0);
        add(groups, 0, 4, 4);
        Group group = groups.formGroups(Executors.first(5), 0).get(0);
        done(groups, group);

        groups.add(2, 77, executor(2), 100);

        assertThat(groups.decodable(77)).isFalse();
        assertThat(groups.group(77)).isEmpty();
        assertThat(groups.group(2))
                .as("nobody asks for the attempt that was replaced")
                .isEmpty();
        assertThat(groups.decodable(1))
                .as("the others were coded with its file, which is still there")
                .isTrue();
        assertThat(groups.formGroups(Executors.first(5), 0)).singleElement().satisfies(next -> assertThat(maps(next))
                .containsExactly(77L));
    }

    /** The other parity file of the group stays. */
    @Test
    void lostParityIsMadeByAnother() {
        ShuffleGroups groups = groups(3, "rs-3-2", 0);
        add(groups, 0, 3, 3);
        Group group = groups.formGroups(Executors.first(5), 0).get(0);
        done(groups, group);
        Unit lost = group.parity(1);
        groups.lost(lost.at()::equals);

        List<Departures.Mending> mendings = groups.orderMendings(with(lost.at(), executor(9)), 0);

        Unit replaced = new Unit(lost.file(), executor(9), false, 0);
        assertThat(mendings).extracting(Departures.Mending::parity).containsExactly(replaced);
        assertThat(groups.orderMendings(with(lost.at(), executor(9)), 0))
                .as("ordered once")
                .isEmpty();
        assertThat(groups.formGroups(with(lost.at(), executor(9)), 0))
                .as("the group stays")
                .isEmpty();
        assertThat(groups.done(group.number(), 1, lost.at(), new long[] {100, 100, 100}))
                .as("it may live, and deletes its file then")
                .isFalse();
        assertThat(groups.group(0).orElseThrow().hasAllParity())
                .as("what the dead one said last")
                .isFalse();
        groups.failed(group.number(), 1, lost.at());
        assertThat(groups.orderMendings(with(lost.at(), executor(9)), 0))
                .as("nor does its failure count")
                .isEmpty();
        groups.done(group.number(), 1, executor(9), new long[] {100, 100, 100});
        assertThat(groups.group(0).orElseThrow().hasAllParity()).isTrue();
        assertThat(groups.forgetSuperfluous()).isEmpty();
    }

    /** Spark's list of executors has the dead one for a while. */
    private static List<BlockManagerId> with(BlockManagerId dead, BlockManagerId replacement) {
        return Stream.concat(Executors.first(5).stream(), Stream.of(dead, replacement))
                .distinct()
                .toList();
    }

    /** As many executors as a group has files lose two, which are replaced one after the other. */
    @ParameterizedTest
    @ValueSource(strings = {"paritas-4-1", "rs-3-2"})
    void afterALossNoMoreParityIsMadeThanWasLost(String code) {
        ShuffleGroups groups = groups(60, code, 0);
        add(groups, 0, 60, 5);
        List<Group> whole = groups.formGroups(Executors.first(5), 0);
        whole.forEach(group -> done(groups, group));
        int kills = CodeName.parse(code).parameters().r();
        List<BlockManagerId> dead = Executors.first(kills);
        long lost = whole.stream()
                .flatMap(group -> group.parity().stream())
                .filter(parity -> dead.contains(parity.at()))
                .count();
        groups.lost(dead::contains);
        List<BlockManagerId> living = new ArrayList<>(Executors.first(5).subList(kills, 5));

        int made = repair(groups, living, kills);
        for (int replacement = 0; replacement < kills; replacement++) {
            living.add(executor(5 + replacement));
            made += repair(groups, living, kills - 1 - replacement);
        }

        assertThat(made).isEqualTo((int) lost).isPositive();
        assertThat(groups.progress()).isEqualTo(new ShuffleGroups.Progress(60, 60));
        for (int map = 0; map < 60; map++) {
            assertThat(groups.group(map).orElseThrow().isCrowded()).isFalse();
        }
    }

    /** Carries out all orders; returns how many parity files were made. */
    private static int repair(ShuffleGroups groups, List<BlockManagerId> living, int expected) {
        int made = 0;
        while (true) {
            List<Departures.Mending> mendings = groups.orderMendings(living, expected);
            assertThat(groups.formGroups(living, expected)).as("new groups").isEmpty();
            List<Departures.Rebuild> rebuilds = groups.orderRebuilds(living, expected);
            if (mendings.isEmpty() && rebuilds.isEmpty()) {
                return made;
            }
            for (Departures.Mending mending : mendings) {
                Unit parity = mending.parity();
                long[] lengths =
                        mending.group().data().stream().mapToLong(unit -> 100).toArray();
                groups.done(mending.group().number(), Group.rowOf(parity.file()), parity.at(), lengths);
            }
            rebuilds.forEach(rebuild -> groups.moved(rebuild.map(), rebuild.home()));
            made += mendings.size();
        }
    }

    /** Spark takes all files of an executor for lost if it could not fetch one. */
    @Test
    void whoWasTakenForLostAndHasANewOutputIsThere() {
        ShuffleGroups groups = groups(4, "paritas-4-1", 0);
        add(groups, 0, 4, 4);
        groups.lost(executor(1)::equals);
        groups.removed(1, 1);

        groups.add(1, 9, executor(1), 100);

        Group group = groups.formGroups(Executors.first(5), 0).get(0);
        assertThat(maps(group)).containsExactlyInAnyOrder(0L, 9L, 2L, 3L);
        done(groups, group);
        assertThat(groups.progress().isDone()).isTrue();
    }

    @Test
    void whoWasTakenForLostAndHasMadeAFileIsThere() {
        ShuffleGroups groups = coded("rs-2-1");
        groups.lost(executor(2)::equals);
        groups.lost(executor(1)::equals);

        groups.moved(1, executor(1));

        assertThat(groups.holders()).containsExactlyInAnyOrder("0", "1");
    }

    @Test
    void parityOfAnExecutorThatWasTakenForLostIsMadeAgain() {
        ShuffleGroups groups = groups(5, "paritas-4-1", 0);
        add(groups, 0, 4, 4);
        done(groups, only(groups.formGroups(Executors.first(5), 0)));
        groups.lost(executor(4)::equals);

        groups.add(4, 9, executor(4), 100);

        Unit parity = onlyMending(groups, Executors.first(5));
        assertThat(parity.at()).as("nobody else has none of the group").isEqualTo(executor(4));
    }

    /** Nobody else could keep it: the outputs get groups of other shapes. */
    @Test
    void withoutAnotherKeeperOutputsThatHaveLostTheirParityGetOtherGroups() {
        ShuffleGroups groups = groups(4, "paritas-4-1", 0);
        add(groups, 0, 4, 4);
        Group group = groups.formGroups(Executors.first(5), 0).get(0);
        done(groups, group);
        groups.lost(group.parity(0).at()::equals);

        assertThat(groups.orderMendings(Executors.first(4), 0)).isEmpty();

        assertThat(groups.formGroups(Executors.first(4), 0)).isNotEmpty().allSatisfy(other -> assertThat(other.units())
                .hasSizeLessThan(5));
    }

    @Test
    void aGroupThatFailsIsTriedAgainAFewTimes() {
        ShuffleGroups groups = groups(1, "paritas-1-1", 0);
        Unit parity = failed(groups, Executors.first(3));
        for (int attempt = 1; attempt < 3; attempt++) {
            BlockManagerId before = parity.at();
            parity = onlyMending(groups, Executors.first(3));
            assertThat(parity.at()).as("who could not make it").isNotEqualTo(before);
            groups.failed(0, 0, parity.at());
        }
        assertThat(groups.orderMendings(Executors.first(3), 0)).isEmpty();
        assertThat(groups.formGroups(Executors.first(3), 0)).isEmpty();
    }

    /** Adds an output whose parity cannot be made; returns that, and who was to make it. */
    private static Unit failed(ShuffleGroups groups, List<BlockManagerId> executors) {
        add(groups, 0, 1, 1);
        Unit parity = groups.formGroups(executors, 0).get(0).parity(0);
        groups.failed(0, 0, parity.at());
        return parity;
    }

    private static Unit onlyMending(ShuffleGroups groups, List<BlockManagerId> executors) {
        List<Departures.Mending> mendings = groups.orderMendings(executors, 0);
        assertThat(mendings).hasSize(1);
        return mendings.get(0).parity();
    }

    @Test
    void aGroupWithOneKeeperIsTriedAgainByIt() {
        ShuffleGroups groups = groups(1, "paritas-1-1", 0);
        Unit parity = failed(groups, Executors.first(2));
        assertThat(onlyMending(groups, Executors.first(2))).isEqualTo(parity);
        done(groups, groups.group(0).orElseThrow());
        assertThat(groups.orderMendings(Executors.first(2), 0)).isEmpty();
        assertThat(groups.forgetSuperfluous()).isEmpty();
    }

    /** An executor with data pauses: nobody can make parity meanwhile. */
    @Test
    void allRowsThatFailTogetherCountOnce() {
        ShuffleGroups groups = groups(6, "rs-6-3", 0);
        add(groups, 0, 6, 6);
        Group group = groups.formGroups(Executors.first(9), 0).get(0);
        for (int round = 1; round < 3; round++) {
            fail(groups, group);
            assertThat(groups.orderMendings(Executors.first(9), 0))
                    .as("round %s", round)
                    .hasSize(3);
            group = groups.group(0).orElseThrow();
        }

        fail(groups, group);

        assertThat(groups.orderMendings(Executors.first(9), 0))
                .as("the fourth round")
                .isEmpty();
        assertThat(groups.formGroups(Executors.first(9), 0)).isEmpty();
    }

    private static void fail(ShuffleGroups groups, Group group) {
        for (int row = 0; row < group.r(); row++) {
            groups.failed(group.number(), row, group.parity(row).at());
        }
    }

    /** All parity that is ordered fails; returns whether any was. */
    private static boolean orderInVain(ShuffleGroups groups, List<BlockManagerId> executors) {
        List<Unit> ordered = new ArrayList<>();
        groups.beginRound();
        groups.orderMendings(executors, 0).forEach(mending -> ordered.add(mending.parity()));
        groups.formGroups(executors, 0).forEach(group -> ordered.addAll(group.parity()));
        for (Unit parity : ordered) {
            groups.failed(Group.groupOf(parity.file()), Group.rowOf(parity.file()), parity.at());
        }
        groups.forgetSuperfluous();
        return !ordered.isEmpty();
    }

    /** An executor is frozen, and is not lost. */
    @Test
    void whatHasFailedTooOftenIsTriedAgainAfterPausesThatGrow() {
        ShuffleGroups groups = groups(1, "paritas-1-1", 0);
        add(groups, 0, 1, 1);

        assertThat(IntStream.range(0, 3_000).filter(round -> orderInVain(groups, Executors.first(3))))
                .containsExactly(0, 1, 2, 14, 38, 86, 182, 374, 758, 1526, 2294);

        groups.forgetSuperfluous();
        for (int round = 3_000; round <= 3_062; round++) {
            groups.beginRound();
            groups.formGroups(Executors.first(3), 0).forEach(group -> done(groups, group));
        }
        assertThat(groups.progress().isDone()).as("the executor goes on").isTrue();
    }

    @Test
    void anOutputThatCouldNotBeMadeAgainIsTriedAgain() {
        ShuffleGroups groups = coded("rs-2-1");
        groups.lost(executor(0)::equals);
        giveUp(groups, Executors.first(6));

        for (int round = 1; round < 12; round++) {
            groups.beginRound();
            assertThat(groups.orderRebuilds(Executors.first(6), 0))
                    .as("round %s", round)
                    .isEmpty();
        }
        groups.beginRound();

        assertThat(groups.orderRebuilds(Executors.first(6), 0)).hasSize(1);
    }

    /** As many rounds in which nothing can be coded. */
    private static ShuffleGroups failing(int rounds) {
        ShuffleGroups groups = groups(80, "rs-4-2", 0);
        add(groups, 0, 80, 8);
        IntStream.range(0, rounds).forEach(round -> orderInVain(groups, Executors.first(8)));
        return groups;
    }

    @Test
    void groupsThatHaveFailedAreForgotten() {
        List<BlockManagerId> executors = Executors.first(8);
        assertThat(bytesOfAPlan(failing(2_000), executors))
                .isLessThan(2 * bytesOfAPlan(failing(20), executors) + 1_000);
    }

    /** Mending comes between the reports of one round, each time. */
    @Test
    void rowsThatFailOneAfterTheOtherCountOnce() {
        ShuffleGroups groups = groups(6, "rs-6-3", 0);
        add(groups, 0, 6, 6);
        Group group = groups.formGroups(Executors.first(9), 0).get(0);

        for (int row = 0; row < 3; row++) {
            groups.failed(group.number(), row, group.parity(row).at());
            assertThat(groups.orderMendings(Executors.first(9), 0))
                    .as("row %s", row)
                    .hasSize(1);
        }
    }

    /** It may have been the cause. */
    @Test
    void failuresAreForgottenWhenAnExecutorOfTheGroupIsLost() {
        ShuffleGroups groups = groups(4, "paritas-4-1", 0);
        add(groups, 0, 4, 4);
        groups.formGroups(Executors.first(6), 0);
        for (int round = 1; round < 3; round++) {
            fail(groups, groups.group(0).orElseThrow());
            assertThat(groups.orderMendings(Executors.first(6), 0))
                    .as("round %s", round)
                    .hasSize(1);
        }
        fail(groups, groups.group(0).orElseThrow());
        assertThat(groups.orderMendings(Executors.first(6), 0)).isEmpty();

        groups.removed(0, 0);
        groups.lost(executor(0)::equals);
        groups.add(0, 9, executor(4), 100);

        List<BlockManagerId> living = Executors.first(6).subList(1, 6);
        assertThat(groups.formGroups(living, 0)).singleElement().satisfies(again -> assertThat(maps(again))
                .containsExactlyInAnyOrder(1L, 2L, 3L, 9L));
    }

    @Test
    void failuresAreForgottenWhenParityIsMade() {
        ShuffleGroups groups = groups(1, "paritas-1-1", 0);
        failed(groups, Executors.first(4));
        groups.failed(0, 0, onlyMending(groups, Executors.first(4)).at());
        Unit made = onlyMending(groups, Executors.first(4));
        done(groups, groups.group(0).orElseThrow());
        assertThat(groups.beginLeaving(made.at())).isTrue();
        Unit parity = groups.formGroups(Executors.first(4), 0).get(0).parity(0);

        for (int round = 1; round < 3; round++) {
            groups.failed(1, 0, parity.at());
            parity = onlyMending(groups, Executors.first(4));
        }
    }

    /** The driver hears that parity cannot be made before it hears why. */
    @Test
    void aGroupWhoseParityFailsWithAnotherExecutorStays() {
        ShuffleGroups groups = coded("rs-3-2");
        groups.lost(executor(4)::equals);
        List<BlockManagerId> living = with(executor(4), executor(5));
        Unit parity = onlyMending(groups, living);
        groups.failed(0, 1, parity.at());
        groups.lost(executor(0)::equals);
        assertThat(groups.orderMendings(living, 0)).as("while data is lost").isEmpty();
        groups.moved(0, executor(6));

        Unit again = onlyMending(
                groups, Stream.concat(living.stream(), Stream.of(executor(6))).toList());

        assertThat(again).isEqualTo(parity);
        assertThat(groups.formGroups(living, 0)).as("new groups").isEmpty();
        done(groups, groups.group(0).orElseThrow());
        assertThat(groups.progress()).isEqualTo(new ShuffleGroups.Progress(3, 3));
    }

    @Test
    void aFileThatWasCopiedIsReadWhereItIs() {
        ShuffleGroups groups = coded("paritas-2-1");

        groups.moved(0, executor(8));
        groups.lost(executor(0)::equals);

        assertThat(groups.group(1).orElseThrow().units().stream().filter(Unit::there))
                .hasSize(3);
        assertThat(groups.decodable(1)).isTrue();
    }

    @Test
    void parityIsNotThereIfItsExecutorHasDiedMeanwhile() {
        ShuffleGroups groups = groups(4, "paritas-4-1", 0);
        add(groups, 0, 4, 4);
        Group group = groups.formGroups(Executors.first(5), 0).get(0);

        groups.lost(group.parity(0).at()::equals);

        assertThat(groups.done(0, 0, group.parity(0).at(), new long[4]))
                .as("it may live, and deletes its file then")
                .isFalse();
        assertThat(groups.decodable(0)).isFalse();
    }

    @Test
    void outputsOfAGroupThatLosesOneForGoodWaitForAnotherGroup() {
        ShuffleGroups groups = groups(4, "paritas-4-1", 0);
        add(groups, 0, 4, 4);
        groups.formGroups(Executors.first(5), 0);

        groups.lost(executor(0)::equals);
        groups.removed(0, 0);
        groups.add(0, 70, executor(4), 100);

        assertThat(groups.formGroups(Executors.first(6), 0)).singleElement().satisfies(group -> assertThat(maps(group))
                .containsExactlyInAnyOrder(70L, 1L, 2L, 3L));
    }

    /** It has an output, which is copied once; nobody gives it anything. */
    @Test
    void whoLeavesGivesItsOutputsAway() {
        ShuffleGroups groups = groups(4, "paritas-4-1", 0);
        add(groups, 0, 4, 4);
        assertThat(groups.parting(2, executor(2))).as("without parity").isEqualTo(Departures.Parting.COPY);
        done(groups, groups.formGroups(Executors.first(5), 0).get(0));

        assertThat(groups.beginLeaving(executor(2))).as("news").isTrue();
        assertThat(groups.beginLeaving(executor(2))).isFalse();

        assertThat(groups.isUnplaced(2)).isTrue();
        assertThat(groups.orderRebuilds(Executors.first(6), 0))
                .singleElement()
                .satisfies(rebuild -> assertThat(rebuild.home()).isEqualTo(executor(5)));
        assertThat(groups.orderRebuilds(Executors.first(6), 0))
                .as("ordered once")
                .isEmpty();
        assertThat(groups.isUnplaced(2)).isFalse();
        assertThat(groups.parting(2, executor(2))).isEqualTo(Departures.Parting.WAIT);
        groups.moved(2, executor(5));
        assertThat(groups.parting(2, executor(2))).isEqualTo(Departures.Parting.NOTHING);
        assertThat(groups.progress()).isEqualTo(new ShuffleGroups.Progress(4, 4));
        assertThat(groups.formGroups(Executors.first(6), 0))
                .as("the group is whole")
                .isEmpty();
    }

    /** Others make new parity before the old one goes. */
    @Test
    void whoLeavesIsReplacedAsAKeeperOfParity() {
        ShuffleGroups groups = coded("paritas-4-1");

        assertThat(groups.beginLeaving(executor(4))).isTrue();
        Group next = groups.formGroups(Executors.first(6), 0).get(0);

        assertThat(next.parity(0).at()).isEqualTo(executor(5));
        assertThat(groups.parting(executor(4))).isEqualTo(Departures.Parting.WAIT);
        assertThat(groups.decodable(0)).as("the old one counts meanwhile").isTrue();
        done(groups, next);
        assertThat(groups.parting(executor(4))).isEqualTo(Departures.Parting.NOTHING);
        assertThat(groups.forgetSuperfluous())
                .as("Spark refuses the order there; the file goes with the executor")
                .isEmpty();
        assertThat(groups.holders()).doesNotContain("4").contains("5");
    }

    /** New parity fails because an output is lost, which the old parity decodes: that output is to be made again first. */
    @Test
    void whoLeavesWithParityWaitsForWhatIsAskedOfOthers() {
        ShuffleGroups groups = coded("paritas-2-1");
        assertThat(groups.beginLeaving(executor(2))).isTrue();
        assertThat(groups.isUnplaced(executor(2))).as("no other parity").isTrue();
        Group next = groups.formGroups(Executors.first(4), 0).get(0);
        assertThat(groups.isUnplaced(executor(2))).isFalse();

        groups.lost(executor(0)::equals);
        groups.failed(1, 0, next.parity(0).at());

        assertThat(groups.formGroups(Executors.first(5), 0)).isEmpty();
        assertThat(groups.parting(executor(2))).isEqualTo(Departures.Parting.WAIT);
        assertThat(groups.isUnplaced(executor(2))).as("the lost output").isTrue();
        assertThat(groups.orderRebuilds(Executors.first(5), 0)).hasSize(1);
        assertThat(groups.isUnplaced(executor(2))).isFalse();
    }

    /** Nobody waits for what does not come: parity without an executor that could keep it, homes that fail. */
    @Test
    void whoLeavesDoesNotWaitInVain() {
        ShuffleGroups groups = groups(2, "paritas-1-1", 0);
        add(groups, 0, 2, 2);
        groups.formGroups(Executors.first(2), 0).forEach(group -> done(groups, group));

        assertThat(groups.beginLeaving(executor(0))).isTrue();
        assertThat(groups.formGroups(Executors.first(2), 0)).isEmpty();
        assertThat(groups.parting(executor(0))).isEqualTo(Departures.Parting.NOTHING);

        for (int attempt = 0; attempt < 3; attempt++) {
            refuse(groups, only(groups.orderRebuilds(Executors.first(2), 0)));
        }
        assertThat(groups.orderRebuilds(Executors.first(2), 0)).isEmpty();
        assertThat(groups.isUnplaced(0)).isFalse();
        assertThat(groups.parting(0, executor(0))).isEqualTo(Departures.Parting.COPY);
    }

    /** Executor 2 is to leave with the parity of outputs 0 and 1, which executors 0 and 1 have. Others are asked to make new parity. */
    private static ShuffleGroups leavingWithParity() {
        ShuffleGroups groups = coded("rs-2-1");
        groups.beginLeaving(executor(2));
        assertThat(groups.formGroups(Executors.first(6), 0)).hasSize(1);
        assertThat(groups.parting(executor(2))).isEqualTo(Departures.Parting.WAIT);
        return groups;
    }

    @Test
    void whoLeavesDoesNotWaitForParityWithAnOutputThatIsGivenUp() {
        ShuffleGroups groups = leavingWithParity();
        groups.lost(executor(1)::equals);
        giveUp(groups, Executors.first(7));
        assertThat(groups.parting(executor(2))).isEqualTo(Departures.Parting.NOTHING);

        assertThat(groups.isUnplaced(executor(2))).as("without the lost one").isTrue();
        Group next = only(groups.formGroups(Executors.first(7), 0));
        assertThat(groups.parting(executor(2))).isEqualTo(Departures.Parting.WAIT);
        done(groups, next);

        assertThat(groups.parting(executor(2))).isEqualTo(Departures.Parting.NOTHING);
    }

    @Test
    void whoLeavesDoesNotWaitForParityWithAnAttemptThatWasReplacedAndIsLost() {
        ShuffleGroups groups = leavingWithParity();
        groups.add(1, 9, executor(4), 100);
        groups.lost(executor(1)::equals);

        done(groups, only(groups.formGroups(Executors.first(7), 0)));

        assertThat(groups.parting(executor(2))).isEqualTo(Departures.Parting.NOTHING);
        assertThat(groups.progress()).isEqualTo(new ShuffleGroups.Progress(2, 2));
    }

    /** The newer group has lost two files, of which the older one has one: by that it is being made again. */
    @Test
    void anOlderGroupStaysWhileANewerOneLacksData() {
        ShuffleGroups groups = coded("rs-2-1");
        Group older = groups.group(0).orElseThrow();
        groups.beginLeaving(executor(2));
        groups.add(1, 11, executor(5), 100);
        Group newer = only(groups.formGroups(Executors.first(8), 0));
        done(groups, newer);
        assertThat(maps(newer)).containsExactlyInAnyOrder(0L, 11L);

        groups.lost(Set.of(executor(0), executor(5))::contains);

        assertThat(groups.orderRebuilds(Executors.first(8), 0))
                .extracting(Departures.Rebuild::group)
                .extracting(Group::number)
                .containsExactly(older.number());
        assertThat(groups.forgetSuperfluous()).isEmpty();
        assertThat(groups.decodable(0)).isTrue();
    }

    /** A spare executor keeps the file, the group is whole again, and nothing else is made. */
    @Test
    void aLostOutputIsMadeAgain() {
        ShuffleGroups groups = groups(4, "paritas-4-1", 0);
        add(groups, 0, 4, 4);
        Group group = groups.formGroups(Executors.first(5), 0).get(0);
        done(groups, group);
        groups.lost(executor(2)::equals);
        assertThat(groups.progress()).isEqualTo(new ShuffleGroups.Progress(4, 0));

        List<Departures.Rebuild> rebuilds = groups.orderRebuilds(Executors.first(6), 0);

        assertThat(rebuilds).singleElement().satisfies(rebuild -> {
            assertThat(rebuild.map()).isEqualTo(2);
            assertThat(rebuild.home()).isEqualTo(executor(5));
            assertThat(rebuild.group().decodes(2)).isTrue();
        });
        assertThat(groups.orderRebuilds(Executors.first(6), 0))
                .as("ordered once")
                .isEmpty();
        groups.moved(2, executor(5));
        assertThat(groups.progress()).isEqualTo(new ShuffleGroups.Progress(4, 4));
        assertThat(groups.formGroups(Executors.first(6), 0)).isEmpty();
        assertThat(groups.forgetSuperfluous()).isEmpty();
    }

    /** Two files of a group on one executor would be lost at once: the outputs get groups of other shapes, and old parity goes. */
    @Test
    void withoutASpareExecutorOutputsGetOtherGroups() {
        ShuffleGroups groups = groups(4, "paritas-4-1", 0);
        add(groups, 0, 4, 4);
        Group group = groups.formGroups(Executors.first(5), 0).get(0);
        done(groups, group);
        groups.lost(executor(2)::equals);
        assertThat(groups.orderRebuilds(Executors.first(5), 0))
                .extracting(Departures.Rebuild::home)
                .containsExactly(executor(0));
        groups.moved(2, executor(0));

        List<Group> next = groups.formGroups(Executors.first(5), 0);

        assertThat(next).isNotEmpty().allSatisfy(other -> {
            assertThat(other.code().parameters().r()).isOne();
            assertThat(other.units().stream().map(Unit::at)).doesNotHaveDuplicates();
        });
        assertThat(groups.forgetSuperfluous()).as("the new parity is not there").isEmpty();
        next.forEach(other -> done(groups, other));
        assertThat(groups.forgetSuperfluous())
                .containsExactly(new Unit(group.parity(0).file(), executor(4), true, 0));
        assertThat(groups.forgetSuperfluous()).isEmpty();
        groups.lost(executor(0)::equals);
        assertThat(List.of(0L, 2L)).as("the outputs that it had").allMatch(groups::decodable);
    }

    @Test
    void lostOutputsWaitForTheExecutorThatReplacesTheLostOne() {
        ShuffleGroups groups = groups(5, "paritas-4-1", 0);
        add(groups, 0, 5, 5);
        groups.formGroups(Executors.first(5), 0).forEach(group -> done(groups, group));
        groups.lost(executor(2)::equals);
        List<BlockManagerId> left =
                Stream.of(0, 1, 3, 4).map(Executors::executor).toList();
        List<BlockManagerId> replaced =
                Stream.of(0, 1, 3, 4, 5).map(Executors::executor).toList();

        assertThat(groups.orderRebuilds(left, 1))
                .as("all others have a file of its group")
                .isEmpty();
        assertThat(groups.formGroups(left, 1)).as("no smaller groups").isEmpty();

        assertThat(groups.orderRebuilds(replaced, 0))
                .extracting(Departures.Rebuild::map, Departures.Rebuild::home)
                .containsExactly(tuple(2L, executor(5)));
        groups.moved(2, executor(5));
        assertThat(groups.formGroups(replaced, 0)).as("the groups are whole").isEmpty();
        assertThat(groups.decodable(2)).isTrue();
    }

    @Test
    void outputsThatHaveLostTheirParityWaitForTheReplacementAndNewOnesDoNot() {
        ShuffleGroups groups = groups(5, "paritas-4-1", 0);
        add(groups, 0, 4, 5);
        Group group = groups.formGroups(Executors.first(5), 0).get(0);
        done(groups, group);
        groups.lost(executor(4)::equals);
        List<BlockManagerId> left = Executors.first(4);
        assertThat(groups.orderMendings(left, 1)).isEmpty();
        assertThat(groups.formGroups(left, 1)).isEmpty();

        groups.add(4, 4, executor(3), 100);

        assertThat(groups.formGroups(left, 1)).singleElement().satisfies(other -> assertThat(maps(other))
                .containsExactly(4L));
        assertThat(groups.orderMendings(Executors.first(6), 0))
                .extracting(mending -> mending.group().number(), mending -> mending.parity()
                        .at())
                .containsExactly(tuple(group.number(), executor(5)));
    }

    @Test
    void whoRebuildsMayDieToo() {
        ShuffleGroups groups = coded("rs-4-2");
        groups.lost(executor(2)::equals);
        assertThat(groups.orderRebuilds(Executors.first(7), 0))
                .extracting(Departures.Rebuild::home)
                .containsExactly(executor(6));

        groups.lost(executor(6)::equals);
        assertThat(groups.orderRebuilds(Executors.first(8), 0))
                .extracting(Departures.Rebuild::home)
                .containsExactly(executor(7));

        groups.rebuildFailed(2, executor(6));
        assertThat(groups.orderRebuilds(Executors.first(8), 0))
                .as("the news of the dead one come late")
                .isEmpty();
    }

    /** They have a full disk, or are dead, and Spark's list has them for a while. */
    @Test
    void aLostOutputIsAskedOfThoseThatHaveNotFailed() {
        ShuffleGroups groups = coded("rs-2-1");
        groups.lost(executor(0)::equals);

        List<BlockManagerId> homes = giveUp(groups, Executors.first(12));

        assertThat(homes).containsExactly(executor(3), executor(4), executor(5));
        assertThat(groups.orderRebuilds(Executors.first(12), 0))
                .as("not for ever")
                .isEmpty();
        assertThat(groups.decodable(0)).isTrue();
    }

    /** Others have a file of its group: with two, the group would be dissolved. */
    @Test
    void theOnlySpareExecutorIsAskedTwice() {
        ShuffleGroups groups = coded("rs-2-1");
        groups.lost(executor(0)::equals);

        assertThat(giveUp(groups, Executors.first(4))).containsExactly(executor(3), executor(3), executor(1));
    }

    /** Those that are about to come may be able to. */
    @Test
    void theOnlySpareExecutorIsNotAskedForTheLastTimeWhileOthersAreExpected() {
        ShuffleGroups groups = coded("rs-2-1");
        groups.lost(executor(0)::equals);
        for (int attempt = 0; attempt < 2; attempt++) {
            Departures.Rebuild rebuild = only(groups.orderRebuilds(Executors.first(4), 1));
            assertThat(rebuild.home()).isEqualTo(executor(3));
            refuse(groups, rebuild);
        }

        assertThat(groups.orderRebuilds(Executors.first(4), 1)).isEmpty();

        assertThat(groups.orderRebuilds(Executors.first(5), 0))
                .extracting(Departures.Rebuild::home)
                .containsExactly(executor(4));
    }

    /** All that are asked to make the only lost output again fail, until nobody is asked. */
    private static List<BlockManagerId> giveUp(ShuffleGroups groups, List<BlockManagerId> executors) {
        List<BlockManagerId> homes = new ArrayList<>();
        for (int attempt = 0; attempt < 3; attempt++) {
            Departures.Rebuild rebuild = only(groups.orderRebuilds(executors, 0));
            refuse(groups, rebuild);
            homes.add(rebuild.home());
        }
        return homes;
    }

    private static void refuse(ShuffleGroups groups, Departures.Rebuild rebuild) {
        groups.rebuildFailed(rebuild.map(), rebuild.home());
    }

    private static <T> T only(List<T> all) {
        assertThat(all).hasSize(1);
        return all.get(0);
    }

    @Test
    void anOutputIsNotGivenUpAnyMoreWhenAnExecutorIsLostThatHasFailed() {
        ShuffleGroups groups = coded("rs-2-1");
        groups.lost(executor(0)::equals);
        List<BlockManagerId> homes = giveUp(groups, Executors.first(12));

        groups.lost(homes.get(1)::equals);

        assertThat(groups.orderRebuilds(Executors.first(12), 0)).hasSize(1);
    }

    @Test
    void theOthersOfAnOutputThatIsGivenUpGetAnotherGroup() {
        ShuffleGroups groups = coded("rs-2-1");
        groups.lost(executor(0)::equals);
        giveUp(groups, Executors.first(6));

        done(groups, only(groups.formGroups(Executors.first(6), 0)));

        assertThat(groups.progress()).isEqualTo(new ShuffleGroups.Progress(2, 1));
        assertThat(groups.decodable(1)).isTrue();
        groups.forgetSuperfluous();
        assertThat(groups.decodable(0)).as("by the old group").isTrue();
    }

    /** An attempt that lasts longer than its stage ends after the one that has replaced it. */
    @Test
    void theOthersOfAnAttemptThatWasReplacedAndIsLostGetAnotherGroup() {
        ShuffleGroups groups = coded("rs-2-1");
        groups.add(1, 7, executor(4), 100);
        groups.formGroups(Executors.first(8), 0).forEach(group -> done(groups, group));
        assertThat(groups.decodable(0))
                .as("the file of the former attempt is there")
                .isTrue();

        groups.lost(executor(1)::equals);
        groups.formGroups(Executors.first(8), 0).forEach(group -> done(groups, group));

        assertThat(groups.decodable(0)).isTrue();
        assertThat(groups.progress()).isEqualTo(new ShuffleGroups.Progress(2, 2));
    }

    @Test
    void theOthersOfALostAttemptThatIsReplacedGetAnotherGroup() {
        ShuffleGroups groups = coded("rs-2-1");
        groups.lost(executor(1)::equals);

        groups.add(1, 7, executor(4), 100);
        groups.formGroups(Executors.first(8), 0).forEach(group -> done(groups, group));

        assertThat(groups.progress()).isEqualTo(new ShuffleGroups.Progress(2, 2));
    }

    @Test
    void anOutputThatIsMadeAtTheSecondAttemptStaysInItsGroup() {
        ShuffleGroups groups = coded("paritas-4-1");
        groups.lost(executor(2)::equals);
        refuse(groups, only(groups.orderRebuilds(Executors.first(7), 0)));

        groups.moved(2, only(groups.orderRebuilds(Executors.first(7), 0)).home());

        assertThat(groups.formGroups(Executors.first(7), 0)).as("no new parity").isEmpty();
        assertThat(groups.progress()).isEqualTo(new ShuffleGroups.Progress(4, 4));
    }

    @Test
    void parityThatComesWhenNobodyNeedsItIsRefused() {
        ShuffleGroups groups = groups(4, "paritas-4-1", 0);
        add(groups, 0, 4, 4);
        Group group = groups.formGroups(Executors.first(5), 0).get(0);
        groups.clear();
        groups.forgetSuperfluous();

        assertThat(groups.done(group.number(), 0, group.parity(0).at(), new long[4]))
                .isFalse();
    }

    @Test
    void whenAllTasksRunAgainNothingIsLeft() {
        ShuffleGroups groups = coded("paritas-2-1");
        assertThat(groups.progress()).isEqualTo(new ShuffleGroups.Progress(2, 2));

        groups.clear();

        assertThat(groups.progress()).isEqualTo(new ShuffleGroups.Progress(0, 0));
        assertThat(groups.decodable(0)).isFalse();
    }

    @Test
    void groupsTravelAsBytes() {
        ShuffleGroups groups = groups(4, "rs-4-2", 0);
        add(groups, 0, 4, 4);
        Group group = groups.formGroups(Executors.first(6), 0).get(0);
        groups.done(group.number(), 1, group.parity(1).at(), new long[] {1, 2, 3, 4});
        Group known = groups.group(0).orElseThrow();

        assertThat(Group.of(known.toBytes())).isEqualTo(known);
    }
}
