/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import static io.paritas.spark.ecrm.server.Station.OTHER;
import static io.paritas.spark.ecrm.server.Station.WORKER;
import static io.paritas.spark.ecrm.server.Station.ofRow;
import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.AttemptOutcome;
import io.paritas.spark.ecrm.protocol.CommitMessage.Finish;
import io.paritas.spark.ecrm.protocol.CommitMessage.ParityStaged;
import io.paritas.spark.ecrm.protocol.CommitMessage.Refused;
import io.paritas.spark.ecrm.protocol.Message;
import io.paritas.spark.ecrm.protocol.TxId;
import io.paritas.spark.ecrm.protocol.ViewMessage.Held;
import io.paritas.spark.ecrm.protocol.ViewMessage.Hold;
import io.paritas.spark.ecrm.protocol.ViewMessage.Resume;
import io.paritas.spark.ecrm.table.Redundancy;
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
        assertThat(station.hears(Address.DRIVER, new Hold(1))).isEmpty();
        station.hears(OTHER, new ParityStaged(tx));
        assertThat(station.server.isHeld()).isFalse();
        assertThat(station.hears(WORKER, new Finish(tx, AttemptOutcome.COMMITTED)))
                .contains(Station.to(Address.DRIVER, station.view().epoch(), new Held(1)));
        assertThat(station.server.isHeld()).isTrue();
        refuses();
        says(new Resume(2), new Held(2));
        assertThat(station.server.isHeld()).isFalse();
        begins();
    }

    @Test
    void aHoldThatComesAfterItsResumeIsNotObeyed() {
        says(new Hold(1), new Held(1));
        says(new Hold(2), new Held(2));
        says(new Resume(3), new Held(3));
        assertThat(station.hears(Address.DRIVER, new Hold(2))).isEmpty();
        begins();
    }

    /** The driver waits for the answer to its last request. */
    @Test
    void aHoldThatComesAfterTheNextIsNotAnswered() {
        says(new Hold(2), new Held(2));
        assertThat(station.hears(Address.DRIVER, new Hold(1))).isEmpty();
        assertThat(station.server.isHeld()).isTrue();
        says(new Hold(2), new Held(2));
    }

    @Test
    void aHoldOfAnOldEpochIsNotObeyed() {
        int old = station.view().epoch();
        says(new Hold(1), new Held(1));
        station.sees(station.view().without(3));
        begins();
        assertThat(station.hears(Address.DRIVER, new Hold(2), old)).isEmpty();
        begins();
    }

    @Test
    void aResumeThatComesAfterTheNextHoldIsNotObeyed() {
        says(new Hold(1), new Held(1));
        says(new Resume(2), new Held(2));
        says(new Hold(3), new Held(3));
        says(new Resume(2), new Held(2));
        assertThat(station.server.isHeld()).isTrue();
        refuses();
    }
}
