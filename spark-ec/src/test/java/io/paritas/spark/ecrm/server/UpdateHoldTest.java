/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import static io.paritas.spark.ecrm.server.Station.OTHER;
import static io.paritas.spark.ecrm.server.Station.WORKER;
import static io.paritas.spark.ecrm.server.Station.ofRow;
import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.AttemptOutcome;
import io.paritas.spark.ecrm.protocol.CommitMessage.Finish;
import io.paritas.spark.ecrm.protocol.CommitMessage.Finished;
import io.paritas.spark.ecrm.protocol.CommitMessage.ParityStaged;
import io.paritas.spark.ecrm.protocol.CommitMessage.Refused;
import io.paritas.spark.ecrm.protocol.CommitMessage.Stage;
import io.paritas.spark.ecrm.protocol.Message;
import io.paritas.spark.ecrm.protocol.TxId;
import io.paritas.spark.ecrm.protocol.ViewMessage.Held;
import io.paritas.spark.ecrm.protocol.ViewMessage.Hold;
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

    private void refuses() {
        TxId tx = station.attempt(attempts++);
        assertThat(station.hears(WORKER, ofRow(tx)))
                .containsExactly(Station.to(WORKER, station.view().epoch(), new Refused(tx)));
    }

    @Test
    void beginsNothingFromAHoldToAResume() {
        TxId tx = station.attempt(attempts++);
        station.hears(WORKER, ofRow(tx));
        assertThat(station.hears(Address.DRIVER, new Hold(1, List.of()))).isEmpty();
        station.hears(OTHER, new ParityStaged(tx));
        assertThat(station.server.isHeld()).isFalse();
        assertThat(station.hears(WORKER, new Finish(tx, AttemptOutcome.COMMITTED)))
                .contains(Station.to(Address.DRIVER, station.view().epoch(), new Held(1, List.of())));
        assertThat(station.server.isHeld()).isTrue();
        refuses();
        says(new Resume(2), new Held(2, List.of()));
        assertThat(station.server.isHeld()).isFalse();
        begins();
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
        refuses();
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

    @Test
    void appliesInAHoldWhatAnotherServerHasApplied() {
        Station alone = new Station(Redundancy.none());
        TxId elsewhere = alone.attempt(3);
        alone.hears(Address.DRIVER, new Hold(1, List.of()));
        assertThat(alone.hears(WORKER, ofRowOnTwoServers(elsewhere))).isEmpty();
        assertThat(alone.hears(Address.DRIVER, new Hold(2, List.of(elsewhere)))).isEmpty();
        assertThat(alone.server.isHeld()).isFalse();
        assertThat(alone.hears(WORKER, ofRowOnTwoServers(elsewhere)))
                .contains(Station.to(WORKER, alone.view().epoch(), new Finished(elsewhere, AttemptOutcome.COMMITTED)))
                .anyMatch(sent -> sent.message() instanceof Held held && held.number() == 2);
        assertThat(alone.server.isHeld()).isTrue();
        assertThat(alone.row()).containsExactly(1, Float.floatToRawIntBits(-1));
        assertThat(alone.hears(WORKER, ofRowOnTwoServers(alone.attempt(4)))).isEmpty();
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
}
