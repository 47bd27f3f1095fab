/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import static io.paritas.spark.ecrm.server.Station.OTHER;
import static io.paritas.spark.ecrm.server.Station.WORKER;
import static io.paritas.spark.ecrm.server.Station.ofParity;
import static io.paritas.spark.ecrm.server.Station.ofRow;
import static io.paritas.spark.ecrm.server.Station.row;
import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.AttemptOutcome;
import io.paritas.spark.ecrm.protocol.CommitMessage.Finish;
import io.paritas.spark.ecrm.protocol.CommitMessage.Finished;
import io.paritas.spark.ecrm.protocol.CommitMessage.Outdated;
import io.paritas.spark.ecrm.protocol.CommitMessage.ParityStaged;
import io.paritas.spark.ecrm.protocol.CommitMessage.Refused;
import io.paritas.spark.ecrm.protocol.CommitMessage.StageParity;
import io.paritas.spark.ecrm.protocol.CommitMessage.Staged;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.ExpectedRow;
import io.paritas.spark.ecrm.protocol.Message;
import io.paritas.spark.ecrm.protocol.ReadMessage.Settle;
import io.paritas.spark.ecrm.protocol.ReadMessage.Settled;
import io.paritas.spark.ecrm.protocol.TxId;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fence;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fenced;
import io.paritas.spark.ecrm.protocol.ViewMessage.Knowledge;
import io.paritas.spark.ecrm.protocol.ViewMessage.Query;
import io.paritas.spark.ecrm.protocol.ViewMessage.Status;
import io.paritas.spark.ecrm.table.Redundancy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which messages of attempts a server acts on, when, and what it answers. */
class TransactionsTest {
    private final Station station = new Station(Redundancy.coded(2));

    private Envelope to(Address receiver, Message message) {
        return Station.to(receiver, station.view().epoch(), message);
    }

    /** Stages an update of row 0 and returns its attempt. */
    private TxId staged(long sequence) {
        TxId tx = station.attempt(sequence);
        assertThat(station.hears(WORKER, ofRow(tx)))
                .singleElement()
                .satisfies(sent -> assertThat(sent.to()).isEqualTo(OTHER))
                .satisfies(sent -> assertThat(sent.message()).isInstanceOf(StageParity.class));
        assertThat(station.hears(OTHER, new ParityStaged(tx, 0))).containsExactly(to(WORKER, new Staged(tx)));
        return tx;
    }

    private void finished(TxId tx, AttemptOutcome outcome) {
        assertThat(station.hears(WORKER, new Finish(tx, outcome)))
                .containsExactly(to(WORKER, new Finished(tx, outcome)));
    }

    /** Some times within a lease of 200 ms. */
    @Test
    void differencesForParitiesAreRepeatedLessAndLessOften() {
        TxId tx = station.attempt(0);
        station.hears(WORKER, ofRow(tx));
        List<Integer> repeated = new ArrayList<>();
        for (int time = 10; time < 200; time += 10) {
            if (station.waits(10).stream().anyMatch(sent -> sent.message() instanceof StageParity)) {
                repeated.add(time);
            }
        }
        assertThat(repeated).containsExactly(20, 60, 110, 160);
    }

    @Test
    void anAttemptOfAnOldEpochIsNotBegun() {
        TxId old = station.attempt(0);
        station.sees(station.view().without(3));

        assertThat(station.hears(WORKER, ofRow(old), old.epoch()))
                .containsExactly(to(WORKER, new Fence(station.view())));
        assertThat(station.server.isQuiet()).isTrue();
        assertThat(station.hears(OTHER, ofParity(old, 0), old.epoch())).containsExactly(to(OTHER, new Refused(old)));
        assertThat(station.server.isQuiet()).isTrue();
    }

    @Test
    void anAttemptOfAnEpochThatIsNotSeenYetIsBegunWhenItIs() {
        TxId next = new TxId(WORKER.id(), 0, station.view().epoch() + 1);

        assertThat(station.hears(WORKER, ofRow(next), next.epoch())).isEmpty();
        assertThat(station.hears(OTHER, ofParity(next, 0), next.epoch())).isEmpty();
        assertThat(station.server.isQuiet()).isTrue();

        station.sees(station.view().without(3));
        assertThat(station.hears(OTHER, ofParity(next, 0))).containsExactly(to(OTHER, new ParityStaged(next, 0)));
        assertThat(staged(0)).isEqualTo(next);
    }

    /** A late message of an attempt must not replace the next one. */
    @Test
    void anAttemptThatIsPastIsNotBegun() {
        TxId past = staged(0);
        finished(past, AttemptOutcome.ABORTED);
        TxId last = staged(1);

        assertThat(station.hears(WORKER, ofRow(past))).isEmpty();
        assertThat(station.hears(OTHER, ofParity(past, 0))).isEmpty();
        assertThat(station.hears(WORKER, new Finish(past, AttemptOutcome.ABORTED)))
                .isEmpty();
        assertThat(station.hears(Address.DRIVER, new Query(past)))
                .containsExactly(to(Address.DRIVER, new Status(past, Knowledge.NOT_COMMITTED)));

        finished(last, AttemptOutcome.COMMITTED);
        assertThat(station.row()).isEqualTo(row(1, -1));
        assertThat(station.parity()).containsExactly(0, 0, 0);
    }

    /** Its updates may arrive after its worker, or the driver, has given it up. */
    @Test
    void anAttemptThatWasAbortedBeforeItCameIsNotBegun() {
        TxId first = station.attempt(0);
        finished(first, AttemptOutcome.ABORTED);
        assertThat(station.hears(WORKER, ofRow(first)))
                .containsExactly(to(WORKER, new Finished(first, AttemptOutcome.ABORTED)));
        assertThat(station.hears(OTHER, ofParity(first, 0))).containsExactly(to(OTHER, new Refused(first)));

        TxId second = station.attempt(1);
        assertThat(station.hears(Address.DRIVER, new Query(second)))
                .containsExactly(to(Address.DRIVER, new Status(second, Knowledge.NOT_COMMITTED)));
        assertThat(station.hears(WORKER, ofRow(second)))
                .containsExactly(to(WORKER, new Finished(second, AttemptOutcome.ABORTED)));
        assertThat(station.hears(OTHER, ofParity(second, 0))).containsExactly(to(OTHER, new Refused(second)));
        assertThat(station.server.isQuiet()).isTrue();
    }

    /** Elsewhere it may be aborted by then. */
    @Test
    void whatTheDriverHasAskedForIsCommittedByItsWordOnly() {
        TxId tx = staged(0);
        station.hears(Address.DRIVER, new Query(tx));

        assertThat(station.hears(WORKER, new Finish(tx, AttemptOutcome.COMMITTED)))
                .isEmpty();
        assertThat(station.hears(OTHER, ofParity(tx, 0)))
                .as("what comes now")
                .containsExactly(to(OTHER, new Refused(tx)));
        assertThat(station.hears(Address.DRIVER, new Finish(tx, AttemptOutcome.ABORTED)))
                .containsExactly(to(Address.DRIVER, new Finished(tx, AttemptOutcome.ABORTED)));
        finished(tx, AttemptOutcome.ABORTED);
        assertThat(station.row()).isEqualTo(row(0, 0));
    }

    @Test
    void anUpdateIsRefusedWhileAServerOfItsParityIsDown() {
        station.sees(station.view().without(OTHER.id()));
        TxId tx = station.attempt(0);

        assertThat(station.hears(WORKER, ofRow(tx))).containsExactly(to(WORKER, new Refused(tx)));
        assertThat(station.server.isQuiet()).isTrue();
        assertThat(station.row()).isEqualTo(row(0, 0));
    }

    /** Its parity is here, and its updates of rows are late. */
    @Test
    void whatTheDriverHasAskedForIsNotBegun() {
        TxId tx = station.attempt(0);
        station.hears(OTHER, ofParity(tx, 0));
        station.hears(Address.DRIVER, new Query(tx));

        assertThat(station.hears(WORKER, ofRow(tx))).containsExactly(to(WORKER, new Refused(tx)));
        assertThat(station.server.isQuiet()).isTrue();
    }

    /** The driver repeats it until all servers have answered. */
    @Test
    void aViewThatIsKnownEndsNothing() {
        TxId tx = station.attempt(0);
        station.hears(WORKER, ofRow(tx));
        assertThat(station.sees(station.view()))
                .containsExactly(to(Address.DRIVER, new Fenced(station.view().epoch())));
        assertThat(station.hears(OTHER, new ParityStaged(tx, 0))).containsExactly(to(WORKER, new Staged(tx)));
    }

    /**
     * Its worker has given it up because rows of another server are lost, but the parity is to have what the row has.
     */
    @Test
    void inOnePhaseAnAttemptIsNotBegunBeforeTheLastIsOver() {
        Station alone = new Station(Redundancy.coded(2).onePhase());
        TxId first = alone.attempt(0);
        TxId second = alone.attempt(1);
        alone.hears(WORKER, ofRow(first));
        assertThat(alone.row()).isEqualTo(row(1, -1));

        assertThat(alone.hears(WORKER, ofRow(second))).isEmpty();
        assertThat(alone.waits(20))
                .filteredOn(sent -> sent.to().equals(OTHER))
                .extracting(sent -> tx(sent.message()))
                .containsExactly(first);
        assertThat(alone.hears(OTHER, new ParityStaged(first, 0)))
                .containsExactly(to(WORKER, new Finished(first, AttemptOutcome.COMMITTED)));

        assertThat(alone.hears(WORKER, ofRow(second)))
                .extracting(sent -> tx(sent.message()))
                .containsExactly(second);
        assertThat(alone.row()).isEqualTo(row(2, -2));
    }

    private static TxId tx(Message message) {
        return ((StageParity) message).tx();
    }

    @Test
    void whatIsNotVotedForEndsWithItsEpoch() {
        TxId tx = station.attempt(0);
        station.hears(WORKER, ofRow(tx));
        TxId early = new TxId(8, 0, tx.epoch());
        assertThat(station.hears(OTHER, ofParity(early, 1))).isEmpty();

        assertThat(station.sees(station.view().without(3)))
                .containsExactlyInAnyOrder(
                        to(WORKER, new Refused(tx)),
                        to(OTHER, new Refused(early)),
                        to(Address.DRIVER, new Fenced(station.view().epoch())));
        assertThat(station.server.isQuiet()).isTrue();
        assertThat(station.hears(OTHER, new ParityStaged(tx, 0))).isEmpty();
        assertThat(staged(1).epoch()).isEqualTo(station.view().epoch());
    }

    @Test
    void whatIsVotedForDoesNotEndWithItsEpoch() {
        TxId tx = staged(0);
        TxId other = new TxId(8, 0, tx.epoch());
        station.hears(OTHER, ofParity(other, 0));

        assertThat(station.sees(station.view().without(3)))
                .isEqualTo(List.of(to(Address.DRIVER, new Fenced(station.view().epoch()))));
        finished(tx, AttemptOutcome.COMMITTED);
        assertThat(station.hears(Address.worker(8), new Finish(other, AttemptOutcome.COMMITTED)))
                .hasSize(1);
        assertThat(station.row()).isEqualTo(row(1, -1));
        assertThat(station.parity()).containsExactly(1, 0, 1);
    }

    private static List<ExpectedRow> asIs(float parameter) {
        return List.of(new ExpectedRow(0, 0, new float[] {parameter}));
    }

    /** A worker that was taken for dead repeats what its successor has committed. */
    @Test
    void anUpdateOfARowThatIsNotAsExpectedIsRefusedForGood() {
        TxId first = station.attempt(0);
        station.hears(WORKER, ofRow(first, asIs(0)));
        station.hears(OTHER, new ParityStaged(first, 0));
        finished(first, AttemptOutcome.COMMITTED);
        assertThat(station.row()).isEqualTo(row(1, -1));

        TxId again = station.attempt(1);
        assertThat(station.hears(WORKER, ofRow(again, asIs(0))))
                .containsExactly(to(WORKER, new Outdated(again, 0, 0)), to(WORKER, new Refused(again)));
        assertThat(station.server.isQuiet()).isTrue();
        finished(again, AttemptOutcome.ABORTED);
        assertThat(station.row()).isEqualTo(row(1, -1));

        TxId next = station.attempt(2);
        assertThat(station.hears(WORKER, ofRow(next, asIs(-1))))
                .extracting(Envelope::to)
                .containsExactly(OTHER);
        station.hears(OTHER, new ParityStaged(next, 0));
        finished(next, AttemptOutcome.COMMITTED);
        assertThat(station.row()).isEqualTo(row(2, -2));
    }

    /** What is staged before it may be aborted, so the row is compared when nothing else is staged. */
    @Test
    void anUpdateThatWaitsIsComparedWithWhatItFinds() {
        TxId holder = new TxId(8, 0, station.view().epoch());
        for (AttemptOutcome outcome : List.of(AttemptOutcome.ABORTED, AttemptOutcome.COMMITTED)) {
            holder = new TxId(8, holder.sequence() + 1, holder.epoch());
            station.hears(Address.worker(8), ofRow(holder));
            station.hears(OTHER, new ParityStaged(holder, 0));
            TxId older = station.attempt(holder.sequence());
            assertThat(station.hears(WORKER, ofRow(older, asIs(0))))
                    .containsExactly(to(Address.worker(8), new Refused(holder)));

            List<Envelope> sent = station.hears(Address.worker(8), new Finish(holder, outcome));
            assertThat(sent).contains(to(Address.worker(8), new Finished(holder, outcome)));
            if (outcome == AttemptOutcome.ABORTED) {
                assertThat(sent).extracting(Envelope::to).contains(OTHER);
                finished(older, AttemptOutcome.ABORTED);
            } else {
                assertThat(sent).contains(to(WORKER, new Outdated(older, 0, 0)));
                assertThat(station.server.isQuiet()).isTrue();
            }
        }
    }

    /** Its predecessor's last attempt is committed on another server: what it reads here before it is so here, too, is outdated. */
    @Test
    void aWorkerIsToldWhenTheAttemptsOfOthersAreOver() {
        Address next = Address.worker(8);
        TxId tx = staged(0);

        assertThat(station.hears(next, new Settle(5))).isEmpty();
        assertThat(station.hears(next, new Settle(5))).as("repeated").isEmpty();
        TxId later = new TxId(9, 0, tx.epoch());
        station.hears(OTHER, ofParity(later, 0));
        assertThat(station.hears(Address.DRIVER, new Finish(tx, AttemptOutcome.COMMITTED)))
                .containsExactlyInAnyOrder(
                        to(Address.DRIVER, new Finished(tx, AttemptOutcome.COMMITTED)), to(next, new Settled(5)));
        assertThat(station.row()).isEqualTo(row(1, -1));

        assertThat(station.hears(Address.worker(9), new Settle(6)))
                .as("not for its own")
                .containsExactly(to(Address.worker(9), new Settled(6)));
        assertThat(station.hears(next, new Settle(7))).isEmpty();
        assertThat(station.hears(Address.worker(9), new Finish(later, AttemptOutcome.ABORTED)))
                .contains(to(next, new Settled(7)));
    }

    @Test
    void whereNothingIsOpenAWorkerIsToldAtOnce() {
        finished(staged(0), AttemptOutcome.COMMITTED);

        assertThat(station.hears(Address.worker(8), new Settle(5)))
                .containsExactly(to(Address.worker(8), new Settled(5)));
    }
}
