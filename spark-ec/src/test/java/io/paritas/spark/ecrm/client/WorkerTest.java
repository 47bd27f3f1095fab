/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.paritas.spark.ecrm.placement.StripePlacement;
import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.AttemptOutcome;
import io.paritas.spark.ecrm.protocol.BlockGradient;
import io.paritas.spark.ecrm.protocol.CommitMessage.Delayed;
import io.paritas.spark.ecrm.protocol.CommitMessage.Finish;
import io.paritas.spark.ecrm.protocol.CommitMessage.Finished;
import io.paritas.spark.ecrm.protocol.CommitMessage.Opened;
import io.paritas.spark.ecrm.protocol.CommitMessage.Outdated;
import io.paritas.spark.ecrm.protocol.CommitMessage.Refused;
import io.paritas.spark.ecrm.protocol.CommitMessage.Restage;
import io.paritas.spark.ecrm.protocol.CommitMessage.Stage;
import io.paritas.spark.ecrm.protocol.CommitMessage.Staged;
import io.paritas.spark.ecrm.protocol.CommitMessage.Wanted;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.ExpectedRow;
import io.paritas.spark.ecrm.protocol.Message;
import io.paritas.spark.ecrm.protocol.ReadMessage;
import io.paritas.spark.ecrm.protocol.ReadMessage.Parameters;
import io.paritas.spark.ecrm.protocol.ReadMessage.PullRows;
import io.paritas.spark.ecrm.protocol.ReadMessage.ReadUnits;
import io.paritas.spark.ecrm.protocol.ReadMessage.Settle;
import io.paritas.spark.ecrm.protocol.ReadMessage.Settled;
import io.paritas.spark.ecrm.protocol.ReadMessage.Units;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.protocol.TxId;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fence;
import io.paritas.spark.ecrm.protocol.ViewMessage.Leave;
import io.paritas.spark.ecrm.table.BlockSpec;
import io.paritas.spark.ecrm.table.Initializer;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Parity;
import io.paritas.spark.ecrm.table.Redundancy;
import io.paritas.spark.ecrm.table.TableSpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What a worker of four servers sends and refuses. */
class WorkerTest {
    private static final Timing TIMING = new Timing(20, 200, 3);
    private final List<Envelope> sent = new ArrayList<>();

    private Worker worker(Redundancy redundancy) {
        return worker(redundancy, 2);
    }

    /** @param width of a row */
    private Worker worker(Redundancy redundancy, int width) {
        ModelSpec model = new ModelSpec(
                4,
                redundancy,
                List.of(new TableSpec(8, width, new Optimizer.Adagrad(0.1f, 1e-6f), new Initializer(0, 0, 0))),
                List.of(new BlockSpec(1, new Optimizer.Sgd(1), new Initializer(0, 0, 0))));
        return new Worker(model, 7, View.of(Collections.nCopies(4, "")), TIMING, sent::add);
    }

    private static List<RowGradients> ofRow3(float gradient) {
        return List.of(new RowGradients(0, new long[] {1, 3}, new float[] {1, 1, 1, gradient}));
    }

    private int staged() {
        return (int) sent.stream()
                .filter(envelope -> envelope.message() instanceof Stage)
                .count();
    }

    /** With them, the rows beside it would be decoded as NaN. */
    @Test
    void gradientsThatNoSumCanTakeAreRefused() {
        Redundancy sum = Redundancy.coded(2).parity(Parity.SUM);
        for (float gradient : new float[] {1e20f, -1e20f, Math.nextUp(0x1p40f), Float.NaN, Float.NEGATIVE_INFINITY}) {
            assertThatThrownBy(() -> worker(sum).push(ofRow3(gradient), List.of(), List.of(), 0, 0))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("gradients must be from -2^40 to 2^40 if the parity is a sum, got " + gradient
                            + " for row 3 of table 0: choose Parity.XOR");
        }
        assertThat(sent).isEmpty();
        worker(sum).push(ofRow3(-0x1p40f), List.of(), List.of(), 0, 0);
        worker(Redundancy.coded(2)).push(ofRow3(1e20f), List.of(), List.of(), 0, 0);
        assertThat(staged()).isEqualTo(4);
    }

    /** Its servers would end for lack of memory, and those that take their places as well. */
    @Test
    void aPushThatIsTooLargeIsRefused() {
        int width = 17_000_000;
        Worker worker = worker(Redundancy.coded(2), width);
        StripePlacement stripes = new StripePlacement(4, 2, 1);
        long[] two = LongStream.range(0, 8)
                .filter(row -> stripes.owner(row) == 0)
                .limit(2)
                .toArray();
        RowGradients both = new RowGradients(0, two, new float[2 * width]);
        assertThatThrownBy(() -> worker.push(List.of(both), List.of(), List.of(), 0, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("rows of a push must have at most 268435456 bytes on a server, with their optimizer's"
                        + " state, got 272000000: push them in parts");
        assertThat(sent).isEmpty();
        worker.push(List.of(), List.of(new BlockGradient(0, new float[] {1})), List.of(), 0, 0);
        assertThat(staged()).isPositive();
    }

    /** On a server, the second update of the attempt would build on the first one, which is not committed before it. */
    @Test
    void twoGradientsOfTheSameAreRefused() {
        Worker worker = worker(Redundancy.coded(2));
        List<RowGradients> parts = List.of(ofRow3(1).get(0), new RowGradients(0, new long[] {2, 3}, new float[4]));
        assertThatThrownBy(() -> worker.push(parts, List.of(), List.of(), 0, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("push must have one gradient for each row, got two for row 3 of table 0: add them up");
        BlockGradient block = new BlockGradient(0, new float[] {1});
        assertThatThrownBy(() -> worker.push(List.of(), List.of(block, block), List.of(), 0, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("push must have one gradient for each block, got two for block 0: add them up");
        assertThat(sent).isEmpty();
        List<RowGradients> others = List.of(ofRow3(1).get(0), new RowGradients(0, new long[] {2}, new float[2]));
        worker.push(others, List.of(block), List.of(), 0, 0);
        assertThat(staged()).isEqualTo(3);
    }

    /** Not only when requests would be repeated: the next attempt is due after a backoff. */
    @Test
    void saysWhenARefusedPushBeginsAgain() {
        Worker worker = worker(Redundancy.coded(2));
        assertThat(worker.due()).isEqualTo(Long.MAX_VALUE);
        Push push = worker.push(ofRow3(1), List.of(), List.of(), 0, 0);
        assertThat(worker.due()).as("while it is being staged").isEqualTo(Long.MAX_VALUE);
        hears(worker, 0, new Refused(push.tx()), 1);
        for (int server = 0; server < 4; server++) {
            hears(worker, server, new Finished(push.tx(), AttemptOutcome.ABORTED), 2);
        }
        assertThat(worker.due()).isBetween(2L, 2 + TIMING.backoff());
        worker.tick(worker.due());
        assertThat(push.attempts()).isEqualTo(2);
        assertThat(worker.due()).isEqualTo(Long.MAX_VALUE);
    }

    /** Returns the requests of a type that were sent since the last call. */
    private <M extends ReadMessage> List<M> asked(Class<M> type) {
        List<M> asked = sent.stream()
                .map(Envelope::message)
                .filter(type::isInstance)
                .map(type::cast)
                .toList();
        sent.clear();
        return asked;
    }

    private void hears(Worker worker, int server, Message message, long now) {
        View view = worker.view();
        worker.receive(new Envelope(view.address(server), Address.worker(7), view.epoch(), message), now);
    }

    @Test
    void anAnswerThatIsLateCounts() {
        Worker worker = worker(Redundancy.coded(2));
        Pull pull = worker.pullRows(0, new long[] {1, 3}, 0);
        List<PullRows> asked = asked(PullRows.class);
        assertThat(asked).hasSize(2);
        worker.tick(20);
        assertThat(asked(PullRows.class)).extracting(PullRows::request).isEqualTo(requests(asked));

        hears(worker, 1, new Parameters(asked.get(0).request(), 0, 0, new float[] {1, 2}), 25);
        assertThat(pull.isDone()).isFalse();
        worker.tick(60);
        assertThat(asked(PullRows.class))
                .extracting(PullRows::request)
                .containsExactly(requests(asked).get(1));
        hears(worker, 0, new Parameters(asked.get(1).request(), 0, 0, new float[] {3, 4}), 65);
        assertThat(pull.isDone()).isTrue();
        assertThat(pull.parameters()).containsExactly(1, 2, 3, 4);
    }

    /** The second answer is newer: nothing of the first one is left in the result. */
    @Test
    void partsOfTwoAnswersAreNotMixed() {
        Worker worker = worker(Redundancy.coded(2));
        Pull pull = worker.pullRows(0, new long[] {0, 1, 2, 3, 4, 5, 6, 7}, 0);
        float[] expected = new float[16];
        for (PullRows question : asked(PullRows.class)) {
            assertThat(question.rows()).hasSize(2);
            long request = question.request();
            hears(worker, 0, new Parameters(request, 8, 0, new float[] {1}), 1);
            hears(worker, 0, new Parameters(request, 9, 0, new float[] {10, 20, 30}), 2);
            hears(worker, 0, new Parameters(request, 8, 3, new float[] {4}), 3);
            assertThat(pull.isDone()).as("the last part is of the other answer").isFalse();
            hears(worker, 0, new Parameters(request, 9, 3, new float[] {40}), 4);
            for (int i = 0; i < 4; i++) {
                expected[2 * (int) question.rows()[i / 2] + i % 2] = 10 * (i + 1);
            }
        }
        assertThat(pull.isDone()).isTrue();
        assertThat(pull.parameters()).containsExactly(expected);
    }

    @Test
    void whatFollowsALostPartIsNotTaken() {
        Worker worker = worker(Redundancy.coded(2), 4);
        Pull pull = worker.pullRows(0, new long[] {0}, 0);
        long request = asked(PullRows.class).get(0).request();
        hears(worker, 0, new Parameters(request, 8, 0, new float[] {1}), 15);
        hears(worker, 0, new Parameters(request, 8, 2, new float[] {3, 4}), 30);
        worker.tick(34);
        assertThat(asked(PullRows.class)).as("a part has arrived at 15").isEmpty();
        worker.tick(35);
        assertThat(asked(PullRows.class)).extracting(PullRows::request).containsExactly(request);
        assertThat(pull.isDone()).isFalse();
    }

    private static List<Long> requests(List<? extends ReadMessage> messages) {
        return messages.stream().map(ReadMessage::request).toList();
    }

    /** Server 1, with row 1, is down: the row is decoded from row 0 and their parity. */
    @Test
    void aUnitThatIsLateCounts() {
        Worker worker = worker(Redundancy.coded(2));
        worker.receive(
                new Envelope(
                        Address.DRIVER,
                        Address.worker(7),
                        2,
                        new Fence(worker.view().without(1))),
                0);
        Pull pull = worker.pullRows(0, new long[] {1}, 0);
        List<ReadUnits> asked = asked(ReadUnits.class);
        assertThat(asked).hasSize(2);
        worker.tick(20);
        assertThat(requests(asked(ReadUnits.class))).isEqualTo(requests(asked));

        int[] row = {3, bits(1), bits(2)};
        int[] parity = {3, 6, bits(1) ^ bits(5), bits(2) ^ bits(6)};
        hears(worker, 0, new Units(asked.get(0).request(), new long[0], row), 25);
        hears(worker, 2, new Units(asked.get(1).request(), new long[0], new int[] {2, 6, 0, 0}), 25);
        assertThat(pull.isDone()).as("the parity is older than the row").isFalse();

        List<ReadUnits> again = asked(ReadUnits.class);
        assertThat(requests(again))
                .as("asks for both again at once")
                .hasSize(2)
                .doesNotContainAnyElementsOf(requests(asked));
        hears(worker, 0, new Units(again.get(0).request(), new long[0], row), 50);
        hears(worker, 2, new Units(again.get(1).request(), new long[0], parity), 50);
        assertThat(pull.parameters()).containsExactly(5, 6);
        assertThat(pull.isDone()).isTrue();
    }

    /** The servers have what they answer in memory, all at the same time. */
    @Test
    void manyLargeRowsAreDecodedSomeAtATime() {
        int width = 1 << 19;
        Worker worker = worker(Redundancy.coded(2), width);
        View less = worker.view().without(1);
        worker.receive(new Envelope(Address.DRIVER, Address.worker(7), 2, new Fence(less)), 0);
        Pull pull = worker.pullRows(0, new long[] {1, 1, 1}, 0);
        for (int reads : new int[] {2, 1}) {
            assertThat(pull.isDone()).isFalse();
            List<Envelope> asked = List.copyOf(sent);
            sent.clear();
            assertThat(asked).as("of two servers").hasSize(2 * reads);
            for (Envelope question : asked) {
                ReadUnits read = (ReadUnits) question.message();
                assertThat(read.stripes()).hasSize(1);
                hears(worker, question.to().id(), new Units(read.request(), new long[0], new int[2 + width]), 0);
            }
        }
        assertThat(pull.parameters()).hasSize(3 * width).containsOnly(0);
        assertThat(pull.isDone()).isTrue();
    }

    private static int bits(float number) {
        return Float.floatToRawIntBits(number);
    }

    /** 16 MiB, for which the worker waits three times as long: a repetition would be answered with as much again. */
    @Test
    void muchIsNotAskedForAgainWhileItArrives() {
        Worker worker = worker(Redundancy.coded(2), 1 << 21);
        worker.pullRows(0, new long[] {0, 2}, 0);
        int servers = asked(PullRows.class).size();
        worker.tick(59);
        assertThat(asked(PullRows.class)).isEmpty();
        worker.tick(60);
        assertThat(asked(PullRows.class)).hasSize(servers);
    }

    /** Else the repetitions of one pull would make the next one even slower. */
    @Test
    void aServerThatIsSlowIsAskedLessAndLessOften() {
        Worker worker = worker(Redundancy.coded(2));
        Pull pull = worker.pullRows(0, new long[] {1}, 0);
        List<Long> times = new ArrayList<>();
        for (long now = 0; now < 1000; now += 5) {
            worker.tick(now);
            if (!asked(PullRows.class).isEmpty()) {
                times.add(now);
            }
        }
        assertThat(times).containsExactly(0L, 20L, 60L, 140L, 300L, 620L, 940L);
        assertThat(pull.isDone()).isFalse();

        worker.receive(
                new Envelope(
                        Address.DRIVER,
                        Address.worker(7),
                        2,
                        new Fence(worker.view().without(3))),
                1000);
        assertThat(asked(PullRows.class))
                .as("asks the servers of a new view at once")
                .hasSize(1);
        worker.tick(1020);
        assertThat(asked(PullRows.class)).hasSize(1);
    }

    /** Gradients are sent again only to a server that says that it does not have them. */
    @Test
    void aPushIsRepeatedWithoutItsGradients() {
        Worker worker = worker(Redundancy.coded(2));
        Push push = worker.push(ofRow3(1), List.of(), List.of(), 0, 0);
        assertThat(staged()).isEqualTo(2);
        sent.clear();
        List<Long> times = new ArrayList<>();
        for (long now = 5; now < 1000; now += 5) {
            worker.tick(now);
            if (sent.stream().anyMatch(envelope -> envelope.message().equals(new Restage(push.tx(), 0)))) {
                times.add(now);
            }
            assertThat(staged()).isZero();
            sent.clear();
        }
        assertThat(times).startsWith(20L, 60L, 110L, 160L, 210L).hasSize(20);

        hears(worker, 1, new Wanted(push.tx()), 1000);
        assertThat(sent).singleElement().satisfies(envelope -> {
            assertThat(envelope.to().id()).isEqualTo(1);
            assertThat(((Stage) envelope.message()).rows()).hasSize(1);
        });
        sent.clear();
        hears(worker, 1, new Staged(push.tx()), 1001);
        hears(worker, 1, new Wanted(push.tx()), 1002);
        assertThat(sent).isEmpty();
    }

    @Test
    void aDelayedPushIsAbortedAndGoesOnWhenAllServersAreOpen() {
        Worker worker = worker(Redundancy.coded(2));
        Push push = worker.push(ofRow3(1), List.of(), List.of(), 0, 0);
        TxId first = push.tx();
        sent.clear();
        hears(worker, 0, new Delayed(first), 1);
        hears(worker, 1, new Delayed(first), 1);
        List<Envelope> ends = List.copyOf(sent);
        assertThat(ends).extracting(Envelope::message).containsOnly(new Finish(first, AttemptOutcome.ABORTED));
        ends.forEach(end -> hears(worker, end.to().id(), new Finished(first, AttemptOutcome.ABORTED), 2));
        sent.clear();

        worker.tick(15);
        hears(worker, 0, new Opened(first), 16);
        assertThat(sent).isEmpty();
        hears(worker, 1, new Opened(first), 17);
        assertThat(push.tx()).isNotEqualTo(first);
        assertThat(sent).extracting(Envelope::message).containsOnly(new Restage(push.tx(), first.sequence()));
    }

    /** It would seem that iterations meet on a row, and the next attempt that is refused would wait longer. */
    @Test
    void aDelayIsNoAttempt() {
        Worker worker = worker(Redundancy.coded(2));
        Push push = worker.push(ofRow3(1), List.of(), List.of(), 0, 0);
        for (int time = 0; time < 60; time += 20) {
            TxId delayed = push.tx();
            sent.clear();
            hears(worker, 0, new Delayed(delayed), time + 1);
            hears(worker, 1, new Delayed(delayed), time + 1);
            finishAll(worker, delayed, time + 2);
            hears(worker, 0, new Opened(delayed), time + 3);
            hears(worker, 1, new Opened(delayed), time + 3);
            assertThat(push.tx()).isNotEqualTo(delayed);
        }
        assertThat(push.attempts()).isEqualTo(1);
    }

    private void finishAll(Worker worker, TxId tx, long now) {
        List.copyOf(sent).stream()
                .filter(envelope -> envelope.message() instanceof Finish)
                .forEach(end -> hears(worker, end.to().id(), new Finished(tx, AttemptOutcome.ABORTED), now));
    }

    /** The message that it may go on may be lost. */
    @Test
    void aDelayedPushAsksAgainAfterSomeTime() {
        Worker worker = worker(Redundancy.coded(2));
        Push push = worker.push(ofRow3(1), List.of(), List.of(), 0, 0);
        TxId first = push.tx();
        sent.clear();
        hears(worker, 0, new Delayed(first), 1);
        List.copyOf(sent).forEach(end -> hears(worker, end.to().id(), new Finished(first, AttemptOutcome.ABORTED), 2));
        worker.tick(20);
        assertThat(push.tx()).isEqualTo(first);
        worker.tick(25);
        assertThat(push.tx()).isNotEqualTo(first);
        assertThat(push.attempts()).isEqualTo(1);
    }

    private static ExpectedRow row3(float... parameters) {
        return new ExpectedRow(0, 3, parameters);
    }

    @Test
    void aPushThatIsOutdatedIsAbortedAndNotRepeated() {
        Worker worker = worker(Redundancy.coded(2));
        Push push = worker.push(ofRow3(1), List.of(), List.of(row3(0, 5)), 0, 0);
        assertThat(sent)
                .filteredOn(envelope -> envelope.message() instanceof Stage)
                .allSatisfy(envelope -> assertThat(((Stage) envelope.message()).expected())
                        .as("the owner of row 3 is server 0")
                        .hasSize(envelope.to().id() == 0 ? 1 : 0))
                .hasSize(2);
        sent.clear();

        hears(worker, 0, new Outdated(push.tx(), 0, 3), 1);
        List<Envelope> ends = List.copyOf(sent);
        assertThat(ends).extracting(Envelope::message).containsOnly(new Finish(push.tx(), AttemptOutcome.ABORTED));
        ends.forEach(end -> hears(worker, end.to().id(), new Finished(push.tx(), AttemptOutcome.ABORTED), 2));
        assertThat(push.isDone()).isTrue();
        assertThat(push.attempts()).isEqualTo(1);
        assertThatThrownBy(push::check)
                .isInstanceOf(OutdatedRowException.class)
                .hasMessage("row 3 of table 0 must be as it was read, got one that somebody else has updated: read it"
                        + " again, or end if another worker has taken over");
        sent.clear();
        worker.push(ofRow3(1), List.of(), List.of(row3(0, 6)), 3, 3);
        hears(worker, 0, new Outdated(push.tx(), 0, 3), 4);
        assertThat(staged()).as("what comes late is about the push before").isEqualTo(2);
        assertThat(sent).noneMatch(envelope -> envelope.message() instanceof Finish);
    }

    @Test
    void rowsAreOnlyExpectedWhereTheyCanBeCompared() {
        assertThatThrownBy(() ->
                        worker(Redundancy.coded(2).onePhase()).push(ofRow3(1), List.of(), List.of(row3(0, 0)), 0, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("commit must have two phases if a push expects rows, got one phase: some servers would"
                        + " update theirs before another one refuses");
        assertThatThrownBy(() -> worker(Redundancy.coded(2))
                        .push(ofRow3(1), List.of(), List.of(new ExpectedRow(0, 2, new float[2])), 0, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("an expected row must be among those that the push updates, got row 2 of table 0: add a"
                        + " gradient of zeros");
        assertThatThrownBy(() -> worker(Redundancy.coded(2)).push(ofRow3(1), List.of(), List.of(row3(0)), 0, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("an expected row of table 0 must have 2 parameters, got 1");
        assertThat(sent).isEmpty();
    }

    @Test
    void settlesWithAllServersThatAreUp() {
        Worker worker = worker(Redundancy.coded(2));
        Settlement settlement = worker.settle(0);
        Settle question = (Settle) sent.get(0).message();
        assertThat(sent).extracting(Envelope::message).containsExactly(question, question, question, question);

        for (int server = 0; server < 3; server++) {
            worker.receive(
                    new Envelope(Address.server(server, 1), Address.worker(7), 1, new Settled(question.request())), 0);
        }
        assertThat(settlement.isDone()).isFalse();
        sent.clear();
        worker.tick(20);
        assertThat(sent)
                .filteredOn(envelope -> envelope.message().equals(question))
                .hasSize(1);

        View without = View.of(Collections.nCopies(4, "")).without(3);
        worker.receive(new Envelope(Address.DRIVER, Address.worker(7), 2, new Fence(without)), 20);
        assertThat(settlement.isDone()).as("the last one has failed").isTrue();
        assertThatCode(settlement::check).doesNotThrowAnyException();
    }

    /** Nobody asks it any more. */
    @Test
    void whatIsDoneAtOnceDoesNotHearOfARollbackInsteadOfTheNextOperation() {
        for (boolean pulls : new boolean[] {true, false}) {
            Worker worker = worker(Redundancy.coded(2));
            View nobody = View.of(Collections.nCopies(4, "")).rolledBack();
            worker.receive(new Envelope(Address.DRIVER, Address.worker(7), 2, new Fence(nobody)), 0);
            assertThatThrownBy(() -> worker.settle(0)).isInstanceOf(RolledBackException.class);
            Runnable result;
            if (pulls) {
                Pull pull = worker.pullRows(0, new long[0], 0);
                assertThat(pull.isDone()).isTrue();
                result = pull::parameters;
            } else {
                Settlement settlement = worker.settle(0);
                assertThat(settlement.isDone()).as("no server is up").isTrue();
                result = settlement::check;
            }

            worker.receive(new Envelope(Address.DRIVER, Address.worker(7), 3, new Fence(nobody.rolledBack())), 0);

            assertThatCode(result::run).doesNotThrowAnyException();
            assertThatThrownBy(() -> worker.settle(0)).isInstanceOf(RolledBackException.class);
            assertThatCode(() -> worker.settle(0)).as("told once").doesNotThrowAnyException();
        }
    }

    /** Nobody has to wait for a lease, or to remember it for ever, as a task that is killed. */
    @Test
    void abortsWhatItHasNotBegunToCommitWhenItLeaves() {
        Worker worker = worker(Redundancy.coded(2));
        Push push = worker.push(ofRow3(1), List.of(), List.of(), 0, 0);
        List<Address> owners = sent.stream().map(Envelope::to).toList();
        sent.clear();
        worker.leave();
        assertThat(sent)
                .filteredOn(envelope -> owners.contains(envelope.to()))
                .extracting(Envelope::message)
                .containsExactly(
                        new Finish(push.tx(), AttemptOutcome.ABORTED),
                        new Finish(push.tx(), AttemptOutcome.ABORTED),
                        new Leave(push.tx().sequence() + 1),
                        new Leave(push.tx().sequence() + 1));
        assertThat(sent)
                .filteredOn(envelope -> !owners.contains(envelope.to()))
                .as("servers of parity")
                .extracting(Envelope::message)
                .contains(
                        new Finish(push.tx(), AttemptOutcome.ABORTED),
                        new Leave(push.tx().sequence() + 1));
    }

    /** One server may have heard of it, and another one not yet. */
    @Test
    void doesNotLeaveWhileItCommits() {
        Worker worker = worker(Redundancy.coded(2));
        Push push = worker.push(ofRow3(1), List.of(), List.of(), 0, 0);
        hears(worker, 0, new Staged(push.tx()), 1);
        hears(worker, 1, new Staged(push.tx()), 1);
        assertThat(sent).extracting(Envelope::message).contains(new Finish(push.tx(), AttemptOutcome.COMMITTED));
        sent.clear();
        worker.leave();
        assertThat(sent).isEmpty();
    }

    /** What is not known everywhere has to be remembered. */
    @Test
    void leavesTheServersThatItHasAskedWhenItsLastPushIsDone() {
        Worker worker = worker(Redundancy.coded(2).onePhase());
        worker.leave();
        Push push = worker.push(ofRow3(1), List.of(), List.of(), 0, 0);
        assertThat(sent).hasSize(2);
        List<Address> servers = sent.stream().map(Envelope::to).toList();
        sent.clear();
        worker.leave();
        assertThat(sent).isEmpty();

        servers.forEach(server -> worker.receive(
                new Envelope(server, Address.worker(7), 1, new Finished(push.tx(), AttemptOutcome.COMMITTED)), 0));
        assertThat(push.isDone()).isTrue();
        worker.leave();
        assertThat(sent)
                .extracting(Envelope::to, Envelope::message)
                .containsExactlyInAnyOrderElementsOf(servers.stream()
                        .map(server -> tuple(server, new Leave(push.tx().sequence() + 1)))
                        .toList());
    }
}
