/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import static io.paritas.spark.ecrm.server.Station.OTHER;
import static io.paritas.spark.ecrm.server.Station.STRIPE_OF_PARITY;
import static io.paritas.spark.ecrm.server.Station.STRIPE_OF_ROW;
import static io.paritas.spark.ecrm.server.Station.WORKER;
import static io.paritas.spark.ecrm.server.Station.ofParity;
import static io.paritas.spark.ecrm.server.Station.ofRow;
import static io.paritas.spark.ecrm.server.Station.row;
import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.AttemptOutcome;
import io.paritas.spark.ecrm.protocol.CommitMessage.Delayed;
import io.paritas.spark.ecrm.protocol.CommitMessage.Finish;
import io.paritas.spark.ecrm.protocol.CommitMessage.Opened;
import io.paritas.spark.ecrm.protocol.CommitMessage.ParityStaged;
import io.paritas.spark.ecrm.protocol.CommitMessage.Refused;
import io.paritas.spark.ecrm.protocol.CommitMessage.Restage;
import io.paritas.spark.ecrm.protocol.CommitMessage.Wanted;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.Message;
import io.paritas.spark.ecrm.protocol.RangeMessage.LockRange;
import io.paritas.spark.ecrm.protocol.RangeMessage.Locked;
import io.paritas.spark.ecrm.protocol.RangeMessage.Step;
import io.paritas.spark.ecrm.protocol.RangeMessage.StepRange;
import io.paritas.spark.ecrm.protocol.RangeMessage.Stepped;
import io.paritas.spark.ecrm.protocol.ReadMessage.Parameters;
import io.paritas.spark.ecrm.protocol.ReadMessage.PullRows;
import io.paritas.spark.ecrm.protocol.ReadMessage.Purpose;
import io.paritas.spark.ecrm.protocol.ReadMessage.ReadUnits;
import io.paritas.spark.ecrm.protocol.ReadMessage.Units;
import io.paritas.spark.ecrm.protocol.TxId;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.table.Redundancy;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Locks of ranges: what a replacement may read, and what another server stages meanwhile. */
class RangeLocksTest {
    /** A lock of all stripes. */
    private static final LockRange LOCK = new LockRange(0, 0, STRIPE_OF_ROW, STRIPE_OF_PARITY + 1);

    /** Server 3, a replacement. */
    private static final Address REPLACEMENT = Address.server(3, 3);

    private static Station withReplacement(Redundancy redundancy) {
        Station station = new Station(redundancy);
        station.sees(station.view().without(3));
        station.sees(station.view().with(3, ""));
        assertThat(station.view().has(REPLACEMENT)).isTrue();
        return station;
    }

    private static Envelope to(Address receiver, Message message) {
        return Station.to(receiver, REPLACEMENT.birth(), message);
    }

    private static void locks(Station station) {
        locks(station, REPLACEMENT.birth());
    }

    private static void locks(Station station, int epoch) {
        assertThat(station.hears(REPLACEMENT, LOCK))
                .containsExactly(Station.to(REPLACEMENT, epoch, new Locked(LOCK.lock())));
    }

    private static void steps(Station station, Step step) {
        assertThat(station.hears(REPLACEMENT, new StepRange(LOCK.lock(), step)))
                .contains(to(REPLACEMENT, new Stepped(LOCK.lock(), step)));
    }

    /** Updates row 0, and the parity of rows 4 and 5. */
    private static void commits(Station station, long sequence, int version) {
        TxId tx = station.attempt(sequence);
        station.hears(WORKER, ofRow(tx));
        station.hears(OTHER, new ParityStaged(tx, 0));
        assertThat(station.hears(OTHER, ofParity(tx, version))).containsExactly(to(OTHER, new ParityStaged(tx, 0)));
        assertThat(station.hears(WORKER, new Finish(tx, AttemptOutcome.COMMITTED)))
                .hasSize(1);
        assertThat(station.row()).isEqualTo(row(version + 1, -version - 1));
    }

    /** Returns the version of row 0 and its parameter, then the versions of rows 4 and 5 in their parity and its word. */
    private static List<Integer> reads(Station station, Purpose purpose) {
        ReadUnits question = new ReadUnits(5, 0, purpose, new long[] {STRIPE_OF_ROW, STRIPE_OF_PARITY});
        List<Envelope> answers = station.hears(REPLACEMENT, question);
        assertThat(answers).hasSize(1);
        Units units = (Units) answers.get(0).message();
        assertThat(units.missing()).isEmpty();
        return Arrays.stream(units.words()).boxed().toList();
    }

    private static List<Integer> units(int version) {
        return List.of(version, Float.floatToRawIntBits(-version), version, 0, version == 2 ? 0 : version);
    }

    @Test
    void whatIsFrozenStaysWhileItIsUpdated() {
        Station station = withReplacement(Redundancy.coded(2));
        commits(station, 0, 0);
        locks(station);
        steps(station, Step.BUFFER);

        commits(station, 1, 1);
        assertThat(reads(station, Purpose.FROZEN)).isEqualTo(units(1));
        assertThat(reads(station, Purpose.RECOVERY)).isEqualTo(units(2));
        assertThat(station.hears(WORKER, new PullRows(6, 0, new long[] {0})))
                .singleElement()
                .satisfies(sent ->
                        assertThat(((Parameters) sent.message()).values()).containsExactly(-2));
        assertThat(station.server.shard(0).buffered()).isEqualTo(2);

        steps(station, Step.UNLOCK);
        assertThat(station.server.shard(0).buffered()).isZero();
        assertThat(reads(station, Purpose.RECOVERY)).isEqualTo(units(2));
    }

    @Test
    void onlyWhoHasTheLockReadsWhatIsFrozen() {
        Station station = withReplacement(Redundancy.coded(2));
        ReadUnits question = new ReadUnits(5, 0, Purpose.FROZEN, new long[] {STRIPE_OF_ROW});
        assertThat(station.hears(REPLACEMENT, question)).isEmpty();
        locks(station);
        assertThat(station.hears(OTHER, question)).isEmpty();
        assertThat(station.hears(REPLACEMENT, new ReadUnits(6, 0, Purpose.FROZEN, new long[] {STRIPE_OF_PARITY + 1})))
                .isEmpty();
        assertThat(station.hears(REPLACEMENT, question)).hasSize(1);
        steps(station, Step.UNLOCK);
        assertThat(station.hears(REPLACEMENT, question)).isEmpty();
    }

    @Test
    void aLockIsThereWhenWhatWasStagedIsOver() {
        Station station = withReplacement(Redundancy.coded(2));
        TxId tx = station.attempt(0);
        station.hears(OTHER, ofParity(tx, 0));
        assertThat(station.hears(REPLACEMENT, LOCK)).isEmpty();
        assertThat(station.hears(REPLACEMENT, new ReadUnits(5, 0, Purpose.FROZEN, new long[] {STRIPE_OF_PARITY})))
                .as("what another server may still change")
                .isEmpty();
        assertThat(station.hears(WORKER, new Finish(tx, AttemptOutcome.COMMITTED)))
                .contains(to(REPLACEMENT, new Locked(LOCK.lock())));
    }

    @Test
    void nothingIsStagedInAClosedRange() {
        Station station = withReplacement(Redundancy.coded(2));
        locks(station);

        TxId first = station.attempt(0);
        assertThat(station.hears(WORKER, ofRow(first))).containsExactly(to(WORKER, new Delayed(first)));
        TxId second = station.attempt(1);
        assertThat(station.hears(OTHER, ofParity(second, 0))).containsExactly(to(OTHER, new Refused(second)));
        assertThat(reads(station, Purpose.FROZEN)).isEqualTo(units(0));

        station.hears(WORKER, new Finish(second, AttemptOutcome.ABORTED));
        steps(station, Step.BUFFER);
        commits(station, 2, 0);
    }

    /** The gradients of a delayed update wait at the server. */
    @Test
    void whoWasDelayedIsToldWhenTheRangeIsOpen() {
        Station station = withReplacement(Redundancy.coded(2));
        locks(station);
        TxId delayed = station.attempt(0);
        station.hears(WORKER, ofRow(delayed));
        station.hears(WORKER, new Finish(delayed, AttemptOutcome.ABORTED));
        assertThat(station.hears(REPLACEMENT, new StepRange(LOCK.lock(), Step.BUFFER)))
                .containsExactlyInAnyOrder(
                        to(REPLACEMENT, new Stepped(LOCK.lock(), Step.BUFFER)), to(WORKER, new Opened(delayed)));

        TxId next = station.attempt(1);
        assertThat(station.hears(WORKER, new Restage(next, 0))).singleElement().satisfies(sent -> assertThat(sent.to())
                .isEqualTo(OTHER));
        assertThat(station.hears(WORKER, new Restage(next, 0)))
                .as("it has them, and waits")
                .isEmpty();
        station.hears(WORKER, new Finish(next, AttemptOutcome.ABORTED));
        TxId other = station.attempt(2);
        assertThat(station.hears(WORKER, new Restage(other, 2)))
                .as("those of another push")
                .containsExactly(to(WORKER, new Wanted(other)));
    }

    /**
     * After a change of view a replacement asks for its range again, by another number. This server does not take that request, because
     * it has not heard of the view; another one refuses it, so the replacement releases that number everywhere.
     */
    @Test
    void aLockEndsWithALaterOneOfTheSameReplacement() {
        Station station = withReplacement(Redundancy.coded(2));
        locks(station);
        long next = LOCK.lock() + 1;
        LockRange again = new LockRange(next, LOCK.table(), LOCK.from(), LOCK.to());
        View newer = station.view().without(1);
        assertThat(station.hears(REPLACEMENT, again, newer.epoch())).isEmpty();
        assertThat(station.hears(REPLACEMENT, new StepRange(next, Step.UNLOCK), newer.epoch()))
                .containsExactly(to(REPLACEMENT, new Stepped(next, Step.UNLOCK)));

        station.sees(newer);
        assertThat(station.server.isQuiet()).as("nothing is locked").isTrue();
        TxId tx = station.attempt(0);
        assertThat(station.hears(WORKER, ofRow(tx)))
                .as("its update goes to the parity server")
                .singleElement()
                .satisfies(sent -> assertThat(sent.to()).isEqualTo(OTHER));
    }

    @Test
    void aLockOutlastsTheEndOfAnEarlierOne() {
        Station station = withReplacement(Redundancy.coded(2));
        LockRange later = new LockRange(LOCK.lock() + 1, LOCK.table(), LOCK.from(), LOCK.to());
        station.hears(REPLACEMENT, later);
        station.hears(REPLACEMENT, new StepRange(LOCK.lock(), Step.UNLOCK));
        TxId tx = station.attempt(0);
        assertThat(station.hears(WORKER, ofRow(tx))).containsExactly(to(WORKER, new Delayed(tx)));
    }

    @Test
    void aRequestThatIsRepeatedIsAnsweredAgain() {
        Station station = withReplacement(Redundancy.coded(2));
        locks(station);
        locks(station);
    }

    /** The network may deliver a request twice. */
    @Test
    void aRequestThatComesAgainAfterItsEndTakesNoLock() {
        Station station = withReplacement(Redundancy.coded(2));
        locks(station);
        steps(station, Step.UNLOCK);

        assertThat(station.hears(REPLACEMENT, LOCK))
                .containsExactly(to(REPLACEMENT, new Stepped(LOCK.lock(), Step.UNLOCK)));
        assertThat(station.server.isQuiet()).as("nothing is locked").isTrue();
    }

    @Test
    void aRequestThatWasRefusedTakesNoLockLater() {
        Station station = withReplacement(Redundancy.coded(2));
        station.sees(station.view().without(1));
        station.sees(station.view().with(1, ""));
        Address second = station.view().address(1);
        locks(station, second.birth());

        List<Envelope> refusal = List.of(Station.to(second, second.birth(), new Stepped(LOCK.lock(), Step.UNLOCK)));
        assertThat(station.hears(second, LOCK)).isEqualTo(refusal);
        station.hears(REPLACEMENT, new StepRange(LOCK.lock(), Step.UNLOCK));
        assertThat(station.hears(second, LOCK)).as("a repetition").isEqualTo(refusal);
        assertThat(station.server.isQuiet()).as("nothing is locked").isTrue();

        LockRange next = new LockRange(LOCK.lock() + 1, LOCK.table(), LOCK.from(), LOCK.to());
        assertThat(station.hears(second, next))
                .containsExactly(Station.to(second, second.birth(), new Locked(next.lock())));
    }

    @Test
    void aLockEndsWithItsReplacement() {
        Station station = withReplacement(Redundancy.coded(2));
        locks(station);
        station.sees(station.view().without(3));
        assertThat(station.server.isQuiet()).as("nothing is locked").isTrue();
    }

    /** With one phase, nobody may refuse. */
    @Test
    void inOnePhaseAnUpdateOfAClosedRangeWaits() {
        Station station = withReplacement(Redundancy.coded(2).onePhase());
        locks(station);
        assertThat(station.hears(WORKER, ofRow(station.attempt(0)))).isEmpty();
        assertThat(station.row()).isEqualTo(row(0, 0));
        steps(station, Step.BUFFER);
        assertThat(station.row()).isEqualTo(row(1, -1));
    }
}
