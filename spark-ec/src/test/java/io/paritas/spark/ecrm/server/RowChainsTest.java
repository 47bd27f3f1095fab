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
import io.paritas.spark.ecrm.protocol.CommitMessage.ParityStaged;
import io.paritas.spark.ecrm.protocol.CommitMessage.Refused;
import io.paritas.spark.ecrm.protocol.CommitMessage.StageParity;
import io.paritas.spark.ecrm.protocol.CommitMessage.Staged;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.Message;
import io.paritas.spark.ecrm.protocol.RangeMessage.LockRange;
import io.paritas.spark.ecrm.protocol.RowDifferences;
import io.paritas.spark.ecrm.protocol.TxId;
import io.paritas.spark.ecrm.table.Redundancy;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Several workers update row 0. All begin at the same time, so that of two the one with the lower number is older. */
class RowChainsTest {
    private static final Address YOUNGER = Address.worker(8);
    private static final Address YOUNGEST = Address.worker(9);

    private final Station station = new Station(Redundancy.coded(2));

    private TxId tx(Address worker) {
        return new TxId(worker.id(), 0, station.view().epoch());
    }

    private List<Envelope> stages(Address worker) {
        return station.hears(worker, ofRow(tx(worker)));
    }

    private List<Envelope> parityStaged(Address worker, int round) {
        return station.hears(OTHER, new ParityStaged(tx(worker), round));
    }

    private List<Envelope> finishes(Address worker, AttemptOutcome outcome) {
        return station.hears(worker, new Finish(tx(worker), outcome));
    }

    /** The parity server is to stage an update of row 0 that builds on so many others. */
    private static String differences(Address worker, int round, int base) {
        return "worker " + worker.id() + ", round " + round + ", base " + base;
    }

    private static List<String> differences(List<Envelope> sent) {
        return sent.stream()
                .map(Envelope::message)
                .filter(StageParity.class::isInstance)
                .map(StageParity.class::cast)
                .map(message -> differences(
                        Address.worker(message.tx().worker()),
                        message.round(),
                        message.differences().get(0).bases()[0]))
                .toList();
    }

    private Envelope to(Address address, Message message) {
        return Station.to(address, station.view().epoch(), message);
    }

    @Test
    void anUpdateBuildsOnAnOlderOneAndIsVotedForWhenThatIsCommitted() {
        assertThat(differences(stages(WORKER))).containsExactly(differences(WORKER, 0, 0));
        assertThat(differences(stages(YOUNGER))).containsExactly(differences(YOUNGER, 0, 1));
        assertThat(parityStaged(YOUNGER, 0)).isEmpty();
        assertThat(parityStaged(WORKER, 0)).containsExactly(to(WORKER, new Staged(tx(WORKER))));

        assertThat(finishes(WORKER, AttemptOutcome.COMMITTED)).contains(to(YOUNGER, new Staged(tx(YOUNGER))));
        assertThat(station.row()).isEqualTo(row(1, -1));
        finishes(YOUNGER, AttemptOutcome.COMMITTED);
        assertThat(station.row()).isEqualTo(row(2, -2));
        assertThat(station.server.isQuiet()).isTrue();
    }

    @Test
    void whatBuildsOnAnAbortedUpdateIsStagedAnew() {
        stages(WORKER);
        stages(YOUNGER);
        stages(YOUNGEST);
        parityStaged(YOUNGER, 0);

        assertThat(differences(finishes(WORKER, AttemptOutcome.ABORTED)))
                .containsExactly(differences(YOUNGER, 1, 0), differences(YOUNGEST, 1, 1));
        assertThat(parityStaged(YOUNGER, 0)).isEmpty();
        assertThat(parityStaged(YOUNGER, 1)).containsExactly(to(YOUNGER, new Staged(tx(YOUNGER))));
        finishes(YOUNGER, AttemptOutcome.COMMITTED);
        assertThat(station.row()).isEqualTo(row(1, -1));
    }

    @Test
    void anOlderUpdateGoesBeforeThoseThatAreNotVotedFor() {
        assertThat(differences(stages(YOUNGER))).containsExactly(differences(YOUNGER, 0, 0));
        assertThat(differences(stages(WORKER))).containsExactly(differences(WORKER, 0, 0), differences(YOUNGER, 1, 1));
    }

    @Test
    void aVotedUpdateIsAskedToMakeRoomAndMayCommit() {
        for (AttemptOutcome outcome : AttemptOutcome.values()) {
            Station own = new Station(Redundancy.coded(2));
            own.hears(YOUNGER, ofRow(tx(YOUNGER)));
            own.hears(OTHER, new ParityStaged(tx(YOUNGER), 0));
            assertThat(own.hears(WORKER, ofRow(tx(WORKER)))).containsExactly(to(YOUNGER, new Refused(tx(YOUNGER))));
            assertThat(own.waits(20)).contains(to(YOUNGER, new Refused(tx(YOUNGER))));

            int base = outcome == AttemptOutcome.COMMITTED ? 1 : 0;
            assertThat(differences(own.hears(YOUNGER, new Finish(tx(YOUNGER), outcome))))
                    .containsExactly(differences(WORKER, 0, base));
            assertThat(own.row()).isEqualTo(row(base, -base));
        }
    }

    @Test
    void nobodyOvertakesAnUpdateThatWaits() {
        stages(YOUNGER);
        parityStaged(YOUNGER, 0);
        stages(WORKER);
        assertThat(stages(YOUNGEST)).isEmpty();

        assertThat(differences(finishes(YOUNGER, AttemptOutcome.ABORTED)))
                .containsExactly(differences(WORKER, 0, 0), differences(YOUNGEST, 0, 1));
    }

    @Test
    void aParityServerStagesTheLastRoundOfDifferences() {
        TxId tx = tx(YOUNGER);
        assertThat(station.hears(OTHER, ofParity(tx, 1))).isEmpty();
        StageParity anew = new StageParity(tx, 1, ofParity(tx, 0).differences());
        assertThat(station.hears(OTHER, anew)).containsExactly(to(OTHER, new ParityStaged(tx, 1)));
        assertThat(station.hears(OTHER, ofParity(tx, 1))).isEmpty();
        assertThat(station.hears(OTHER, anew)).containsExactly(to(OTHER, new ParityStaged(tx, 1)));

        StageParity third = new StageParity(tx, 2, ofParity(tx, 1).differences());
        assertThat(station.hears(OTHER, third)).isEmpty();
        station.hears(YOUNGER, new Finish(tx, AttemptOutcome.COMMITTED));
        assertThat(station.parity()).isEqualTo(List.of(0, 0, 0));
    }

    private static StageParity differenceOf(List<Envelope> sent) {
        return sent.stream()
                .map(Envelope::message)
                .filter(StageParity.class::isInstance)
                .map(StageParity.class::cast)
                .findFirst()
                .orElseThrow();
    }

    /** A push would take in proportion to the number of workers. Who looks at the first update again finds it spoilt. */
    @Test
    void anUpdateIsComputedFromTheOneBeforeItAlone() {
        StageParity first = differenceOf(stages(WORKER));
        stages(YOUNGER);
        stages(YOUNGEST);
        first.differences().get(0).words()[0] ^= 1 << 22;

        assertThat(differenceOf(stages(Address.worker(10))).differences().get(0).words())
                .containsExactly(Float.floatToRawIntBits(-3) ^ Float.floatToRawIntBits(-4));
    }

    /** Of many attempts that wait, each would look at all its rows after each that ends. Who looks at row 5 finds that it is outdated. */
    @Test
    void differencesThatWaitForOneRowLookAtNoOther() {
        TxId waiting = tx(YOUNGER);
        RowDifferences rows = new RowDifferences(0, new long[] {4, 5}, new int[] {1, 0}, new int[] {1, 1});
        assertThat(station.hears(OTHER, new StageParity(waiting, 0, List.of(rows))))
                .isEmpty();
        rows.bases()[1] = -1;

        stages(WORKER);
        assertThat(finishes(WORKER, AttemptOutcome.ABORTED))
                .containsExactly(to(WORKER, new Finished(tx(WORKER), AttemptOutcome.ABORTED)));
        rows.bases()[1] = 0;
        TxId before = tx(YOUNGEST);
        station.hears(OTHER, ofParity(before, 0));
        assertThat(finishes(YOUNGEST, AttemptOutcome.COMMITTED)).contains(to(OTHER, new ParityStaged(waiting, 0)));
    }

    /** A replacement that recovers a range waits until no update of it is staged: differences of it may not wait, whatever for. */
    @Test
    void differencesThatWaitAreRefusedInARangeThatIsClosed() {
        TxId waiting = tx(YOUNGER);
        RowDifferences rows = new RowDifferences(0, new long[] {4, 5}, new int[] {1, 0}, new int[] {1, 1});
        station.hears(OTHER, new StageParity(waiting, 0, List.of(rows)));

        assertThat(station.hears(OTHER, new LockRange(1, 0, 0, 8))).contains(to(OTHER, new Refused(waiting)));
    }
}
