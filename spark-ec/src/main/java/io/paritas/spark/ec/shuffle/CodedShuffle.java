/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import io.paritas.spark.ec.shuffle.Group.Unit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.apache.spark.storage.BlockManagerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A shuffle, as the driver codes it: it plans groups, sends orders to executors, and hears what became of them. Thread-safe. */
final class CodedShuffle {
    private static final Logger LOG = LoggerFactory.getLogger(CodedShuffle.class);

    /** What an answer has, or an order, that has no bytes. */
    static final byte[] NOTHING = {};

    private final int id;
    private final int partitions;
    private final ShuffleGroups groups;
    private final ShuffleCounts counts = new ShuffleCounts();
    private final Driver driver;
    /** Nobody needs its files any more. */
    private volatile boolean ended;

    /**
     * What all shuffles of an application share.
     *
     * @param members its executors
     * @param orders sends orders to them
     * @param kept keeps them under dynamic allocation
     * @param soon has a shuffle looked at
     * @param later does so after a while
     * @param all has all shuffles looked at
     */
    record Driver(
            Members members, Orders orders, KeptExecutors kept, IntConsumer soon, IntConsumer later, Runnable all) {}

    CodedShuffle(int id, int partitions, ShuffleGroups groups, Driver driver) {
        this.id = id;
        this.partitions = partitions;
        this.groups = groups;
        this.driver = driver;
    }

    int id() {
        return id;
    }

    ShuffleGroups groups() {
        return groups;
    }

    ShuffleCounts counts() {
        return counts;
    }

    /** What becomes of its orders does not matter from now on. */
    void end() {
        ended = true;
        driver.orders.forget(id);
    }

    /** Has parity made that is lost, and that of new groups. */
    void plan(Members.Roll roll) {
        if (groups.isDue()) {
            driver.members.tellFewer(roll.staying().size());
        }
        List<BlockManagerId> keepers = keepers(roll);
        List<Departures.Mending> mendings = new ArrayList<>(groups.orderMendings(keepers, roll.expected()));
        for (Group group : groups.formGroups(keepers, roll.expected())) {
            group.parity().forEach(parity -> mendings.add(new Departures.Mending(group, parity)));
        }
        driver.kept.keep(mendings.stream().map(mending -> mending.parity().at()), id);
        mendings.forEach(mending -> makeParity(mending.group(), mending.parity()));
    }

    /** Executors whose files are coded, and that get some. A disk that hangs has few, and would be given all. */
    private List<BlockManagerId> keepers(Members.Roll roll) {
        return driver.orders.answering(roll.staying());
    }

    private void makeParity(Group group, Unit parity) {
        order(
                parity.at(),
                RequestId.makeParity(id, parity.file()),
                group,
                reason -> notMade(parity.file(), parity.at(), reason));
    }

    private void order(BlockManagerId executor, RequestId order, Group group, Consumer<String> failed) {
        driver.orders.sendForAnswer(
                executor, order, groups.bytes(group), group::toBytes, failure -> failed.accept(failure.toString()));
        if (ended) { // Nobody answers what was given after the end.
            driver.orders.forget(id);
        }
    }

    /** A round begins: outputs that have rested are tried again, as others that wait, and parity that nobody needs is deleted. */
    void beginRound(Members.Roll roll) {
        groups.beginRound();
        plan(roll);
        for (Unit parity : groups.forgetSuperfluous()) {
            delete(parity.at(), parity.file());
        }
    }

    /** Has lost outputs made again. */
    void rebuild(Members.Roll roll) {
        List<Departures.Rebuild> rebuilds = groups.orderRebuilds(keepers(roll), roll.expected());
        driver.kept.keep(rebuilds.stream().map(Departures.Rebuild::home), id);
        for (Departures.Rebuild rebuild : rebuilds) {
            order(
                    rebuild.home(),
                    RequestId.rebuild(id, rebuild.map(), partitions),
                    rebuild.group(),
                    reason -> notRebuilt(rebuild.map(), rebuild.home(), reason));
        }
    }

    private void delete(BlockManagerId executor, long parityFile) {
        driver.orders.send(
                executor,
                RequestId.deleteParity(id, parityFile),
                () -> NOTHING,
                failure -> LOG.info("parity {} of shuffle {} stays: {}", parityFile, id, failure.toString()));
    }

    /** What an executor that is to leave does about a map output, after others were asked to take over. */
    Departures.Parting parting(BlockManagerId executor, long map) {
        askOthers(executor, groups.isUnplaced(map));
        return groups.parting(map, executor);
    }

    /** What an executor that is to leave does about its parity, after others were asked to make it. */
    Departures.Parting parting(BlockManagerId executor) {
        askOthers(executor, groups.isUnplaced(executor));
        return groups.parting(executor);
    }

    /**
     * Executors ask about each file again and again, and a plan looks at all outputs. So others are asked once when it is news that an
     * executor leaves, and then only about files that nobody takes.
     */
    private void askOthers(BlockManagerId executor, boolean isUnplaced) {
        if (groups.beginLeaving(executor) || isUnplaced) {
            Members.Roll roll = driver.members.roll();
            plan(roll);
            rebuild(roll);
        }
    }

    /** Of other shuffles, too, outputs may wait for the executor. */
    private void answered(BlockManagerId executor, RequestId order) {
        if (driver.orders.answered(executor, order)) {
            driver.all.run();
        }
    }

    /** An executor has made a parity file. */
    void done(long parityFile, long[] lengths, BlockManagerId executor) {
        answered(executor, RequestId.makeParity(id, parityFile));
        if (groups.hasLeft(executor)) {
            return;
        }
        counts.coded(Arrays.stream(lengths).max().orElseThrow());
        if (!groups.done(Group.groupOf(parityFile), Group.rowOf(parityFile), executor, lengths)) {
            delete(executor, parityFile);
        }
    }

    /** An executor could not make a parity file. */
    void failed(long parityFile, BlockManagerId executor, String reason) {
        answered(executor, RequestId.makeParity(id, parityFile));
        notMade(parityFile, executor, reason);
    }

    private void notMade(long parityFile, BlockManagerId executor, String reason) {
        if (ended) {
            return;
        }
        LOG.info("parity {} of shuffle {} could not be made: {}", parityFile, id, reason);
        groups.failed(Group.groupOf(parityFile), Group.rowOf(parityFile), executor);
        driver.later.accept(id);
    }

    /** An executor has made the files of a lost map output again. */
    void rebuilt(long map, BlockManagerId executor) {
        answered(executor, RequestId.rebuild(id, map, partitions));
        if (!groups.hasLeft(executor)) {
            counts.rebuilt();
            ShuffleCoding.tracker().updateMapOutput(id, map, executor);
            driver.soon.accept(id);
        }
    }

    /** An executor could not make the files of a map output. */
    void rebuildFailed(long map, BlockManagerId executor, String reason) {
        answered(executor, RequestId.rebuild(id, map, partitions));
        notRebuilt(map, executor, reason);
    }

    private void notRebuilt(long map, BlockManagerId executor, String reason) {
        if (ended) {
            return;
        }
        LOG.info("map output {} of shuffle {} could not be made again: {}", map, id, reason);
        groups.rebuildFailed(map, executor);
    }

    /** The group of a map output, for who must decode it; no bytes if it cannot be decoded. */
    byte[] group(long map) {
        return groups.group(map).map(Group::toBytes).orElse(NOTHING);
    }
}
