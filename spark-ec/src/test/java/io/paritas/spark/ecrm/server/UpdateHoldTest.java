/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import static io.paritas.spark.ecrm.server.Station.OTHER;
import static io.paritas.spark.ecrm.server.Station.WORKER;
import static io.paritas.spark.ecrm.server.Station.ofRow;
import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.AttemptOutcome;
import io.paritas.spark.ecrm.protocol.CommitMessage.Delayed;
import io.paritas.spark.ecrm.protocol.CommitMessage.Finish;
import io.paritas.spark.ecrm.protocol.CommitMessage.Finished;
import io.paritas.spark.ecrm.protocol.CommitMessage.Opened;
import io.paritas.spark.ecrm.protocol.CommitMessage.ParityStaged;
import io.paritas.spark.ecrm.protocol.CommitMessage.Restage;
import io.paritas.spark.ecrm.protocol.CommitMessage.Stage;
import io.paritas.spark.ecrm.protocol.CommitMessage.Wanted;
import io.paritas.spark.ecrm.protocol.Message;
import io.paritas.spark.ecrm.protocol.TxId;
import io.paritas.spark.ecrm.protocol.ViewMessage.Held;
import io.paritas.spark.ecrm.protocol.ViewMessage.Hold;
import io.paritas.spark.ecrm.protocol.ViewMessage.Leave;
import io.paritas.spark.ecrm.protocol.ViewMessage.Resume;
import io.paritas.spark.ecrm.table.Redundancy;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Holds of updates for a checkpoint. */
class UpdateHoldTest {
    private final Station station = new Station(Redundancy.coded(2));
    private long attempts;

    private void says(Message message, Message answer) {
        assertThat(station.hears(Address.DRIVER, message))
                .containsExactly(Station.to(Address.DRIVER, station.view().epoch(), answer));
    }

    private void begins() {
        TxId tx = station.attempt(attempts++);
        assertThat(station.hears(WORKER, ofRow(tx))).singleElement().satisfies(sent -> assertThat(sent.to())
                .isEqualTo(OTHER));
        station.hears(WORKER, new Finish(tx, AttemptOutcome.ABORTED));
    }

    private TxId delays() {
        TxId tx = station.attempt(attempts++);
        assertThat(station.hears(WORKER, ofRow(tx)))
                .containsExactly(Station.to(WORKER, station.view().epoch(), new Delayed(tx)));
        station.hears(WORKER, new Finish(tx, AttemptOutcome.ABORTED));
        return tx;
    }

    /** Begins the updates of a delayed attempt, which the worker does not send again. */
    private void beginsAgain(TxId delayed) {
        TxId tx = station.attempt(attempts++);
        assertThat(station.hears(WORKER, new Restage(tx, delayed.sequence())))
                .singleElement()
                .satisfies(sent -> assertThat(sent.to()).isEqualTo(OTHER));
        station.hears(WORKER, new Finish(tx, AttemptOutcome.ABORTED));
    }

    @Test
    void beginsNothingFromAHoldToAResume() {
        TxId tx = station.attempt(attempts++);
        station.hears(WORKER, ofRow(tx));
        assertThat(station.hears(Address.DRIVER, new Hold(1, List.of()))).isEmpty();
        station.hears(OTHER, new ParityStaged(tx, 0));
        assertThat(station.server.isHeld()).isFalse();
        assertThat(station.hears(WORKER, new Finish(tx, AttemptOutcome.COMMITTED)))
                .contains(Station.to(Address.DRIVER, station.view().epoch(), new Held(1, List.of())));
        assertThat(station.server.isHeld()).isTrue();
        TxId delayed = delays();
        assertThat(station.hears(Address.DRIVER, new Resume(2)))
                .containsExactly(
                        Station.to(Address.DRIVER, station.view().epoch(), new Held(2, List.of())),
                        Station.to(WORKER, station.view().epoch(), new Opened(delayed)));
        assertThat(station.server.isHeld()).isFalse();
        beginsAgain(delayed);
        begins();
    }

    /** A worker that asks in vain is not asked for its gradients. */
    @Test
    void whatWaitsStaysWhileItIsDelayed() {
        says(new Hold(1, List.of()), new Held(1, List.of()));
        TxId delayed = delays();
        for (int time = 0; time < 3; time++) {
            station.waits(300);
            TxId tx = station.attempt(attempts++);
            assertThat(station.hears(WORKER, new Restage(tx, delayed.sequence())))
                    .containsExactly(Station.to(WORKER, station.view().epoch(), new Delayed(tx)));
            station.hears(WORKER, new Finish(tx, AttemptOutcome.ABORTED));
        }
        assertThat(station.server.isHeld()).isTrue();
        station.hears(Address.DRIVER, new Resume(2));
        beginsAgain(delayed);
    }

    /** With one phase, nobody may refuse: other servers may have applied their part. */
    @Test
    void inOnePhaseAnUpdateWaitsForTheResume() {
        Station alone = new Station(Redundancy.coded(2).onePhase());
        alone.hears(Address.DRIVER, new Hold(1, List.of()));
        assertThat(alone.hears(WORKER, ofRow(alone.attempt(0)))).isEmpty();
        alone.waits(300);
        assertThat(alone.server.isHeld()).isTrue();
        assertThat(alone.row()).isEqualTo(Station.row(0, 0));
        alone.hears(Address.DRIVER, new Resume(2));
        assertThat(alone.row()).isEqualTo(Station.row(1, -1));
    }

    @Test
    void aHoldThatComesAfterItsResumeIsNotObeyed() {
        says(new Hold(1, List.of()), new Held(1, List.of()));
        says(new Hold(2, List.of()), new Held(2, List.of()));
        says(new Resume(3), new Held(3, List.of()));
        assertThat(station.hears(Address.DRIVER, new Hold(2, List.of()))).isEmpty();
        begins();
    }

    /** The driver waits for the answer to its last request. */
    @Test
    void aHoldThatComesAfterTheNextIsNotAnswered() {
        says(new Hold(2, List.of()), new Held(2, List.of()));
        assertThat(station.hears(Address.DRIVER, new Hold(1, List.of()))).isEmpty();
        assertThat(station.server.isHeld()).isTrue();
        says(new Hold(2, List.of()), new Held(2, List.of()));
    }

    @Test
    void aHoldOfAnOldEpochIsNotObeyed() {
        int old = station.view().epoch();
        says(new Hold(1, List.of()), new Held(1, List.of()));
        station.sees(station.view().without(3));
        begins();
        assertThat(station.hears(Address.DRIVER, new Hold(2, List.of()), old)).isEmpty();
        begins();
    }

    @Test
    void aResumeThatComesAfterTheNextHoldIsNotObeyed() {
        says(new Hold(1, List.of()), new Held(1, List.of()));
        says(new Resume(2), new Held(2, List.of()));
        says(new Hold(3, List.of()), new Held(3, List.of()));
        says(new Resume(2), new Held(2, List.of()));
        assertThat(station.server.isHeld()).isTrue();
        delays();
    }

    private static Stage ofRowOnTwoServers(TxId tx) {
        Stage one = ofRow(tx);
        return new Stage(tx, one.age(), one.rows(), one.blocks(), one.expected(), new int[] {0, 1});
    }

    /** The other servers learn from the answer which attempts they must not leave out. */
    @Test
    void namesWhatItHasAppliedOfAttemptsInOnePhase() {
        Station alone = new Station(Redundancy.none());
        TxId tx = alone.attempt(3);
        alone.hears(WORKER, ofRowOnTwoServers(tx));
        assertThat(alone.hears(Address.DRIVER, new Hold(1, List.of())))
                .singleElement()
                .satisfies(sent -> {
                    assertThat(((Held) sent.message()).applied())
                            .singleElement()
                            .satisfies(applied -> {
                                assertThat(applied.tx()).isEqualTo(tx);
                                assertThat(applied.servers()).containsExactly(0, 1);
                            });
                });
    }

    /** It would name all workers that there ever were. */
    @Test
    void doesNotNameWhatIsOverEverywhere() {
        Station alone = new Station(Redundancy.none());
        TxId attempt = alone.attempt(3);
        alone.hears(WORKER, ofRowOnTwoServers(attempt));
        alone.hears(WORKER, new Leave(attempt.sequence() + 1));
        assertThat(alone.hears(Address.DRIVER, new Hold(1, List.of())))
                .containsExactly(Station.to(Address.DRIVER, alone.view().epoch(), new Held(1, List.of())));
    }

    /** A worker that is there may still be sending it to another server, however long ago it was applied here. */
    @Test
    void namesWhatAWorkerThatHasNotLeftDidLongAgo() {
        Station alone = new Station(Redundancy.none());
        alone.hears(WORKER, ofRowOnTwoServers(alone.attempt(3)));
        alone.waits(1_000);
        assertThat(alone.hears(Address.DRIVER, new Hold(1, List.of())))
                .singleElement()
                .satisfies(sent -> assertThat(((Held) sent.message()).applied()).hasSize(1));
    }

    @Test
    void appliesInAHoldWhatAnotherServerHasApplied() {
        Station alone = new Station(Redundancy.none());
        TxId elsewhere = alone.attempt(3);
        alone.hears(Address.DRIVER, new Hold(1, List.of()));
        assertThat(alone.hears(WORKER, ofRowOnTwoServers(elsewhere))).isEmpty();
        assertThat(alone.hears(Address.DRIVER, new Hold(2, List.of(elsewhere))))
                .as("has waited here")
                .contains(Station.to(WORKER, alone.view().epoch(), new Finished(elsewhere, AttemptOutcome.COMMITTED)))
                .anyMatch(sent -> sent.message() instanceof Held held && held.number() == 2);
        assertThat(alone.server.isHeld()).isTrue();
        assertThat(alone.row()).containsExactly(1, Float.floatToRawIntBits(-1));
        assertThat(alone.hears(WORKER, ofRowOnTwoServers(alone.attempt(4)))).isEmpty();
    }

    @Test
    void waitsInAHoldForWhatAnotherServerHasApplied() {
        Station alone = new Station(Redundancy.none());
        TxId elsewhere = alone.attempt(3);
        alone.hears(Address.DRIVER, new Hold(1, List.of()));
        assertThat(alone.hears(Address.DRIVER, new Hold(2, List.of(elsewhere)))).isEmpty();
        assertThat(alone.server.isHeld()).isFalse();
        assertThat(alone.waits(20))
                .as("it asks for the gradients itself")
                .contains(Station.to(WORKER, alone.view().epoch(), new Wanted(elsewhere)));
        assertThat(alone.hears(WORKER, new Restage(elsewhere, 3)))
                .containsExactly(Station.to(WORKER, alone.view().epoch(), new Wanted(elsewhere)));
        assertThat(alone.hears(WORKER, ofRowOnTwoServers(elsewhere)))
                .contains(Station.to(WORKER, alone.view().epoch(), new Finished(elsewhere, AttemptOutcome.COMMITTED)));
        assertThat(alone.server.isHeld()).isTrue();
    }

    @Test
    void doesNotWaitForAnAttemptOfADeadWorkerForEver() {
        Station alone = new Station(Redundancy.none());
        TxId elsewhere = alone.attempt(3);
        alone.hears(Address.DRIVER, new Hold(1, List.of()));
        alone.hears(Address.DRIVER, new Hold(2, List.of(elsewhere)));
        alone.waits(199);
        assertThat(alone.server.isHeld()).isFalse();
        alone.waits(1);
        assertThat(alone.server.isHeld()).isTrue();
        assertThat(alone.hears(WORKER, ofRowOnTwoServers(elsewhere))).isEmpty();
    }

    /** A hold, with the numbers 1 to 3, that waits for an attempt as long as it may. */
    private static void holdInVain(Station station, TxId elsewhere) {
        station.hears(Address.DRIVER, new Hold(1, List.of()));
        station.hears(Address.DRIVER, new Hold(2, List.of(elsewhere)));
        station.waits(200);
        station.hears(Address.DRIVER, new Resume(3));
    }

    /** The server that has applied it remembers a worker that is dead, and names its attempt in each hold. */
    @Test
    void waitsForAnAttemptOfADeadWorkerOnce() {
        Station alone = new Station(Redundancy.none());
        TxId elsewhere = alone.attempt(3);
        holdInVain(alone, elsewhere);

        alone.hears(Address.DRIVER, new Hold(4, List.of()));
        assertThat(alone.hears(Address.DRIVER, new Hold(5, List.of(elsewhere))))
                .containsExactly(Station.to(Address.DRIVER, alone.view().epoch(), new Held(5, List.of())));
        assertThat(alone.hears(WORKER, ofRowOnTwoServers(elsewhere)))
                .as("it is not dead, but too late for this hold")
                .isEmpty();
        alone.hears(Address.DRIVER, new Resume(6));
        assertThat(alone.row()).isEqualTo(Station.row(1, -1));
    }

    @Test
    void appliesInAHoldWhatAnEarlierOneHasWaitedForInVain() {
        Station alone = new Station(Redundancy.none());
        TxId elsewhere = alone.attempt(3);
        holdInVain(alone, elsewhere);

        alone.hears(Address.DRIVER, new Hold(4, List.of()));
        alone.hears(WORKER, ofRowOnTwoServers(elsewhere));
        assertThat(alone.hears(Address.DRIVER, new Hold(5, List.of(elsewhere))))
                .contains(Station.to(WORKER, alone.view().epoch(), new Finished(elsewhere, AttemptOutcome.COMMITTED)));
        assertThat(alone.server.isHeld()).isTrue();
    }
}
