/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.AttemptOutcome;
import io.paritas.spark.ecrm.protocol.BlockGradient;
import io.paritas.spark.ecrm.protocol.CommitMessage.Finish;
import io.paritas.spark.ecrm.protocol.CommitMessage.Finished;
import io.paritas.spark.ecrm.protocol.CommitMessage.Order;
import io.paritas.spark.ecrm.protocol.CommitMessage.Ordered;
import io.paritas.spark.ecrm.protocol.CommitMessage.Refused;
import io.paritas.spark.ecrm.protocol.CommitMessage.Stage;
import io.paritas.spark.ecrm.protocol.CommitMessage.Staged;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.Message;
import io.paritas.spark.ecrm.protocol.ReadMessage.BlockCopy;
import io.paritas.spark.ecrm.protocol.ReadMessage.CopyBlock;
import io.paritas.spark.ecrm.protocol.ReadMessage.Lost;
import io.paritas.spark.ecrm.protocol.ReadMessage.PullBlocks;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.protocol.TxId;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fence;
import io.paritas.spark.ecrm.protocol.ViewMessage.Held;
import io.paritas.spark.ecrm.protocol.ViewMessage.Hold;
import io.paritas.spark.ecrm.protocol.ViewMessage.Knowledge;
import io.paritas.spark.ecrm.protocol.ViewMessage.Query;
import io.paritas.spark.ecrm.protocol.ViewMessage.Status;
import io.paritas.spark.ecrm.table.BlockSpec;
import io.paritas.spark.ecrm.table.InitialState;
import io.paritas.spark.ecrm.table.Initializer;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Server 0 is the first replica of a block, and server 1 a replacement that copies it while a worker updates it. The
 * test says what arrives, and when.
 */
class BlockReplicasTest {
    private static final Address WORKER = Address.worker(7);
    private static final Timing TIMING = new Timing(20, 200, 3);

    private final ModelSpec model = new ModelSpec(
            2,
            Redundancy.replicated(),
            List.of(),
            List.of(new BlockSpec(1, new Optimizer.Sgd(1), new Initializer(0, 0, 0))));
    private final View view = View.of(List.of("", "")).without(1).with(1, "");
    private final TxId tx = new TxId(WORKER.id(), 0, view.epoch());
    private final List<Envelope> sent = new ArrayList<>();
    private final ShardServer first = server(0, Optional.of(InitialState.initial(model)));
    private final ShardServer second = server(1, Optional.empty());
    private long now;

    private ShardServer server(int number, Optional<InitialState> initialState) {
        ShardServer server = new ShardServer(
                model, view.address(number), view, TIMING, RecoveryPace.DEFAULT, initialState, sent::add);
        server.start(0);
        return server;
    }

    private void hears(int server, Address from, Message message) {
        (server == 0 ? first : second).receive(new Envelope(from, view.address(server), view.epoch(), message), now);
    }

    /** The log says what is wrong with a message that names one. */
    @Test
    void aBlockThatTheServerDoesNotKeepIsRefused() {
        for (int number : new int[] {-1, 1}) {
            assertThatThrownBy(() -> hears(0, WORKER, new PullBlocks(3, new int[] {0, number})))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("block must be one of [0], which server 0 keeps, got " + number);
        }
        assertThat(sent).noneMatch(envelope -> envelope.to().equals(WORKER));
    }

    /** Otherwise each later change would fail on it, and with one phase no checkpoint would ever be written. */
    @Test
    void nothingStaysOfAnUpdateOfABlockThatTheServerDoesNotKeep() {
        Stage stage =
                new Stage(tx, 0, List.of(), List.of(new BlockGradient(1, new float[] {-1})), List.of(), new int[] {0});
        assertThatThrownBy(() -> hears(0, WORKER, stage))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("block must be one of [0], which server 0 keeps, got 1");
        sent.clear();
        hears(0, Address.DRIVER, new Hold(1, List.of()));
        assertThat(sent).extracting(Envelope::message).containsExactly(new Held(1, List.of()));
    }

    /** Its copy is 16 MiB, and takes a while: another one would be on its way before it has arrived. */
    @Test
    void aLargeBlockIsAskedForLessOften() {
        ModelSpec large = new ModelSpec(
                2,
                Redundancy.replicated(),
                List.of(),
                List.of(new BlockSpec(1 << 22, new Optimizer.Sgd(1), new Initializer(0, 0, 0))));
        List<Envelope> asked = new ArrayList<>();
        ShardServer replacement = new ShardServer(
                large, view.address(1), view, TIMING, RecoveryPace.DEFAULT, Optional.empty(), asked::add);
        replacement.start(0);
        List<Integer> repeated = new ArrayList<>();
        for (int time = 10; time <= 130; time += 10) {
            asked.clear();
            replacement.tick(time);
            if (asked.stream().anyMatch(envelope -> envelope.message() instanceof CopyBlock)) {
                repeated.add(time);
            }
        }
        assertThat(repeated).containsExactly(60, 120);
    }

    /** Delivers all messages of a type that are on their way. */
    private void arrive(Class<? extends Message> type) {
        List<Envelope> some = sent.stream()
                .filter(envelope -> type.isInstance(envelope.message()))
                .toList();
        assertThat(some).as(type.getSimpleName()).isNotEmpty();
        sent.removeAll(some);
        some.forEach(envelope -> (envelope.to().id() == 0 ? first : second).receive(envelope, now));
    }

    private void waits(long millis) {
        now += millis;
        first.tick(now);
        second.tick(now);
    }

    private List<Message> toldTo(Address address) {
        return sent.stream()
                .filter(envelope -> envelope.to().equals(address))
                .map(Envelope::message)
                .toList();
    }

    /** The worker stages an update on both, and commits it on the first. */
    private void stagesAndCommitsOnTheFirst() {
        stages();
        hears(0, WORKER, new Finish(tx, AttemptOutcome.COMMITTED));
    }

    private void stages() {
        Stage stage =
                new Stage(tx, 0, List.of(), List.of(new BlockGradient(0, new float[] {-1})), List.of(), new int[] {});
        hears(0, WORKER, stage);
        hears(1, WORKER, stage);
        assertThat(toldTo(WORKER)).containsExactly(new Staged(tx), new Staged(tx));
    }

    private void copies() {
        assertThat(second.block(0).isMissing()).isTrue();
        arrive(CopyBlock.class);
        arrive(BlockCopy.class);
    }

    private void firstDies() {
        second.receive(new Envelope(Address.DRIVER, view.address(1), view.epoch(), new Fence(view.without(0))), now);
    }

    private void assertUpdatedOnce(ShardServer server) {
        assertThat(server.block(0).parameters()).containsExactly(1);
        assertThat(server.block(0).updates()).isEqualTo(1);
        assertThat(server.isQuiet()).isTrue();
    }

    @Test
    void whatIsInTheCopyIsNotAppliedWhenItsWorkerSaysSoLate() {
        stagesAndCommitsOnTheFirst();
        copies();
        arrive(Order.class);
        arrive(Ordered.class);
        hears(1, WORKER, new Finish(tx, AttemptOutcome.COMMITTED));

        assertThat(toldTo(WORKER)).endsWith(new Finished(tx, AttemptOutcome.COMMITTED));
        assertUpdatedOnce(first);
        assertUpdatedOnce(second);
        firstDies();
        assertUpdatedOnce(second);
    }

    @Test
    void whatIsInTheCopyIsNotAppliedIfItsOrderNeverArrives() {
        stagesAndCommitsOnTheFirst();
        copies();
        firstDies();
        hears(1, WORKER, new Finish(tx, AttemptOutcome.COMMITTED));

        assertUpdatedOnce(second);
    }

    @Test
    void whatIsInTheCopyIsNotAppliedIfItsOrderIsLate() {
        stagesAndCommitsOnTheFirst();
        copies();
        hears(1, WORKER, new Finish(tx, AttemptOutcome.COMMITTED));
        arrive(Order.class);
        arrive(Ordered.class);

        assertUpdatedOnce(first);
        assertUpdatedOnce(second);
    }

    /** An order may be lost while a connection is made. Those after it are acknowledged, and wait for it. */
    @Test
    void aLostOrderIsRepeatedWhileLaterOnesAreAcknowledged() {
        copies();
        int repeated = 0;
        for (int update = 0; update < 5; update++) {
            TxId each = new TxId(WORKER.id(), update, view.epoch());
            Stage stage = new Stage(
                    each, 0, List.of(), List.of(new BlockGradient(0, new float[] {-1})), List.of(), new int[] {});
            for (int server = 0; server < 2; server++) {
                hears(server, WORKER, stage);
                hears(server, WORKER, new Finish(each, AttemptOutcome.COMMITTED));
            }
            if (update == 0) {
                assertThat(sent.removeIf(envelope -> envelope.message() instanceof Order))
                        .isTrue();
            } else {
                arrive(Order.class);
                arrive(Ordered.class);
            }
            waits(10);
            repeated += (int) toldTo(view.address(1)).stream()
                    .filter(message -> message instanceof Order order && order.update() == 0)
                    .count();
        }
        assertThat(repeated).isEqualTo(1);
        assertThat(second.block(0).updates()).isEqualTo(5);
        assertThat(second.isQuiet()).isTrue();
    }

    /** The driver may abort it if the first replica dies before it answers. */
    @Test
    void nothingIsCopiedThatTheDriverMayAbort() {
        stages();
        hears(1, Address.DRIVER, new Query(tx));
        assertThat(toldTo(Address.DRIVER)).endsWith(new Status(tx, Knowledge.NOT_COMMITTED));
        hears(0, WORKER, new Finish(tx, AttemptOutcome.COMMITTED));
        copies();
        arrive(Order.class);
        assertThat(second.block(0).isMissing()).isTrue();

        hears(1, Address.DRIVER, new Finish(tx, AttemptOutcome.COMMITTED));
        waits(20);
        copies();
        arrive(Order.class);
        arrive(Ordered.class);
        assertUpdatedOnce(first);
        assertUpdatedOnce(second);
    }

    private static boolean isHeld(Envelope envelope) {
        return envelope.to().equals(Address.DRIVER) && envelope.message() instanceof Held;
    }

    /** The first one may die then. */
    @Test
    void inOnePhaseAnUpdateIsOverWhenTheNextReplicaHasIt() {
        ModelSpec onePhase = new ModelSpec(2, Redundancy.replicated().onePhase(), List.of(), model.blocks());
        View both = View.of(List.of("", ""));
        ShardServer server = new ShardServer(
                onePhase,
                both.address(0),
                both,
                TIMING,
                RecoveryPace.DEFAULT,
                Optional.of(InitialState.initial(onePhase)),
                sent::add);
        server.start(0);
        sent.clear();
        TxId one = new TxId(WORKER.id(), 0, both.epoch());
        Stage stage =
                new Stage(one, 0, List.of(), List.of(new BlockGradient(0, new float[] {-1})), List.of(), new int[] {});
        server.receive(new Envelope(WORKER, both.address(0), both.epoch(), stage), now);
        assertThat(sent).extracting(Envelope::to).containsExactly(both.address(1));

        server.receive(new Envelope(both.address(1), both.address(0), both.epoch(), new Ordered(one, 0)), now);
        assertThat(toldTo(WORKER)).containsExactly(new Finished(one, AttemptOutcome.COMMITTED));
    }

    /** Its predecessor may have committed it: its worker must not hear that it is aborted, and make it again. */
    @Test
    void anAttemptFromBeforeAReplacementIsNotAbortedByIt() {
        TxId before = new TxId(WORKER.id(), 0, view.epoch() - 1);
        hears(1, Address.DRIVER, new Query(before));
        sent.clear();
        hears(1, WORKER, new Finish(before, AttemptOutcome.COMMITTED));
        assertThat(sent).extracting(Envelope::message).containsExactly(new Finished(before, AttemptOutcome.COMMITTED));
    }

    /** A checkpoint waits until all are quiet, and then says that something is lost. Nobody applies the updates. */
    @Test
    void aServerThatHasLostABlockIsQuiet() {
        losesABlock();
        assertThat(second.isQuiet()).isTrue();

        second.receive(
                new Envelope(Address.DRIVER, view.address(1), view.without(0).epoch(), new Hold(1, List.of())), now);
        assertThat(sent).anyMatch(BlockReplicasTest::isHeld);
    }

    private void losesABlock() {
        stages();
        hears(1, WORKER, new Finish(tx, AttemptOutcome.COMMITTED));
        assertThat(second.isQuiet()).as("it waits for the copy").isFalse();
        firstDies();
        assertThat(second.hasLost()).isTrue();
    }

    /** As one of a lost row: nobody could apply it. */
    @Test
    void anUpdateOfALostBlockIsRefused() {
        losesABlock();

        View alone = view.without(0);
        TxId next = new TxId(WORKER.id(), 1, alone.epoch());
        Stage stage =
                new Stage(next, 0, List.of(), List.of(new BlockGradient(0, new float[] {-1})), List.of(), new int[] {});
        second.receive(new Envelope(WORKER, view.address(1), alone.epoch(), stage), now);

        assertThat(toldTo(WORKER))
                .filteredOn(Lost.class::isInstance)
                .singleElement()
                .isInstanceOfSatisfying(Lost.class, lost -> {
                    assertThat(lost.request()).isOne();
                    assertThat(lost.table()).as("blocks").isEqualTo(-1);
                    assertThat(lost.stripes()).containsExactly(0);
                });
        assertThat(toldTo(WORKER)).endsWith(new Refused(next));
        assertThat(second.isQuiet()).isTrue();
    }
}
