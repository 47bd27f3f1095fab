/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.spark.driver.Instruction.Mode;
import io.paritas.inference.spark.driver.Layout.Placement;
import org.junit.jupiter.api.Test;

class LedgerTest {
    private static final int BLOCKS = 77;
    private static final long NEVER = 0;

    private static Ledger ledger(int k, int r, double patience, long deadline) {
        return new Ledger(
                new Layout(k, r, k + r, Placement.ROTATED, 1), new Ledger.Policy(patience, 0, deadline), BLOCKS, 1000);
    }

    private static Instruction instruction(Mode mode, int sources, int lost) {
        return new Instruction(mode, BLOCKS, sources, lost);
    }

    /** Segments 0 and 1 of three are in, at 1100 and 1200, with their parity; 2 is out since 1000. */
    private static Ledger oneLate(double patience, long deadline) {
        Ledger ledger = ledger(2, 1, patience, deadline);
        for (int segment = 0; segment < 3; segment++) {
            assertThat(ledger.start(segment, 10 + segment, 1000)).isEqualTo(instruction(Mode.COMPUTE, 0, 3));
        }
        for (int segment = 0; segment < 2; segment++) {
            assertThat(ledger.computed(segment, 1100 + 100 * segment)).isZero();
            assertThat(ledger.parity(segment, 1)).isEqualTo(-1);
            ledger.succeeded(segment, 10 + segment);
        }
        return ledger;
    }

    @Test
    void theAttemptsOfALateSegmentAreTakenOnce() {
        Ledger ledger = oneLate(1.5, NEVER);
        assertThat(ledger.dueIn(0, 1250))
                .as("1.5 medians, of 200, are over at 1300")
                .isEqualTo(50);
        assertThat(ledger.overdue(0, 1299)).isEmpty();
        assertThat(ledger.overdue(0, 1300)).containsExactly(12L);
        assertThat(ledger.overdue(0, 1300)).isEmpty();
        assertThat(ledger.dueIn(0, 1300)).isNegative();
    }

    @Test
    void allAttemptsOfALateSegmentAreTaken() {
        Ledger ledger = oneLate(1.5, NEVER);
        ledger.failed(2, 12);
        assertThat(ledger.start(2, 13, 1290).mode()).isEqualTo(Mode.DECODE);
        assertThat(ledger.overdue(0, 9999)).as("it decodes").isEmpty();
    }

    @Test
    void theNextAttemptDecodesAndLaterOnesFetch() {
        Ledger ledger = oneLate(1, NEVER);
        assertThat(ledger.start(2, 13, 1300)).isEqualTo(instruction(Mode.DECODE, 0b011, 1));
        ledger.decoded(2);
        ledger.succeeded(2, 13);
        assertThat(ledger.start(2, 14, 1400)).isEqualTo(instruction(Mode.FETCH_DECODED, 0b011, 1));
        assertThat(ledger.start(1, 15, 1400).mode()).isEqualTo(Mode.FETCH_COMPUTED);
    }

    @Test
    void whatWasReconstructedFirstStaysSo() {
        Ledger ledger = oneLate(1, NEVER);
        ledger.start(2, 13, 1300);
        ledger.decoded(2);
        assertThat(ledger.computed(2, 1301))
                .as("the late one was quicker than its end")
                .isEqualTo(-1);
        assertThat(ledger.start(2, 14, 1400).mode()).isEqualTo(Mode.FETCH_DECODED);
        assertThat(ledger.lost(2, 14, 2, 1400).mode())
                .as("and is of use after all")
                .isEqualTo(Mode.FETCH_COMPUTED);
        assertThat(ledger.lost(2, 14, 2, 1400).mode()).isEqualTo(Mode.DECODE);
    }

    @Test
    void whatWasPredictedFirstStaysSo() {
        Ledger ledger = oneLate(1, NEVER);
        assertThat(ledger.start(2, 13, 1300).mode()).isEqualTo(Mode.DECODE);
        ledger.computed(2, 1301);
        ledger.decoded(2);
        assertThat(ledger.start(2, 14, 1400).mode()).isEqualTo(Mode.FETCH_COMPUTED);
    }

    @Test
    void sourcesThatAreGoneAreComputedInstead() {
        Ledger ledger = oneLate(1, NEVER);
        ledger.start(2, 13, 1300);
        assertThat(ledger.lost(2, 13, 1, 1301)).isEqualTo(instruction(Mode.COMPUTE, 0b001, 2));
        assertThat(ledger.overdue(2, 9999)).as("too much is lost to kill it").isEmpty();
        assertThat(ledger.start(1, 14, 1400).mode())
                .as("that of the segment that lost it")
                .isEqualTo(Mode.COMPUTE);
    }

    @Test
    void segmentsAreTimedOnce() {
        Ledger ledger = oneLate(1, NEVER);
        ledger.start(1, 13, 500_000);
        assertThat(ledger.lost(1, 13, 1, 500_000).mode()).isEqualTo(Mode.COMPUTE);
        ledger.computed(1, 500_100);
        ledger.parity(1, 1);
        assertThat(ledger.dueIn(2, 1000)).as("the median").isEqualTo(200);
    }

    @Test
    void theDeadlineEndsWhatCannotBeDecodedToo() {
        Ledger ledger = ledger(2, 1, 1, 500);
        ledger.start(0, 10, 1000);
        ledger.start(1, 11, 1400);
        assertThat(ledger.deadlineIn(1400)).isEqualTo(100);
        assertThat(ledger.overdue(0, 1499)).isEmpty();
        assertThat(ledger.deadlineIn(1600)).isZero();
        assertThat(ledger.overdue(0, 1500)).containsExactly(10L, 11L);
        assertThat(ledger.start(0, 12, 1500).mode()).isEqualTo(Mode.GIVE_UP);
        assertThat(ledger.start(2, 13, 1500).mode()).as("the first attempt too").isEqualTo(Mode.GIVE_UP);
    }

    @Test
    void afterTheDeadlineFirstAttemptsDecode() {
        Ledger ledger = ledger(2, 1, 1, 500);
        for (int segment = 0; segment < 2; segment++) {
            ledger.start(segment, 10 + segment, 1000);
            ledger.computed(segment, 1100);
            ledger.parity(segment, 1);
        }
        assertThat(ledger.start(2, 13, 1500)).isEqualTo(instruction(Mode.DECODE, 0b011, 1));
    }

    @Test
    void withoutADeadlineNoneComes() {
        assertThat(ledger(2, 1, 1, NEVER).deadlineIn(Long.MAX_VALUE)).isNegative();
        assertThat(ledger(2, 1, 1, Long.MAX_VALUE).deadlineIn(2000)).isEqualTo(Long.MAX_VALUE - 1000);
    }

    @Test
    void stripesDoNotMeddle() {
        Ledger ledger =
                new Ledger(new Layout(2, 1, 6, Placement.ROTATED, 1), new Ledger.Policy(1, 0, NEVER), BLOCKS, 1000);
        for (int segment = 0; segment < 6; segment++) {
            ledger.start(segment, 10 + segment, 1000);
        }
        for (int segment = 3; segment < 5; segment++) {
            ledger.computed(segment, 1100);
            ledger.parity(segment, 1);
        }
        assertThat(ledger.overdue(0, 2000)).isEmpty();
        assertThat(ledger.overdue(3, 2000)).containsExactly(15L);
        assertThat(ledger.segments()).isEqualTo(6);
        assertThat(ledger.segmentsPerStripe()).isEqualTo(3);
    }

    @Test
    void aParityForNobodyIsNotWaitedFor() {
        Ledger ledger =
                new Ledger(new Layout(2, 1, 3, Placement.ROTATED, 1), new Ledger.Policy(1.5, 0, NEVER), BLOCKS, 1000);
        for (int segment = 0; segment < 3; segment++) {
            ledger.start(segment, 10 + segment, 1000);
        }
        assertThat(ledger.computed(0, 1200)).isZero();
        assertThat(ledger.computed(1, 1200)).isZero();
        assertThat(ledger.nextParity(1)).isZero();
        assertThat(ledger.computed(2, 1200)).isEqualTo(-1);
        assertThat(ledger.nextParity(1)).as("it comes to ask").isEqualTo(-1);
        assertThat(ledger.dueIn(0, 1200)).isEqualTo(2 * 300 - 200);
        assertThat(ledger.overdue(0, 1599)).isEmpty();
        assertThat(ledger.overdue(0, 1600)).containsExactly(10L);
        assertThat(ledger.start(0, 20, 1700).mode()).isEqualTo(Instruction.Mode.FETCH_COMPUTED);
    }

    @Test
    void aSegmentThatHasNothingButParityIsNotWaitedFor() {
        Ledger ledger =
                new Ledger(new Layout(2, 1, 3, Placement.SEPARATE, 1), new Ledger.Policy(1.5, 0, NEVER), BLOCKS, 1000);
        for (int segment = 0; segment < 3; segment++) {
            ledger.start(segment, 10 + segment, 1000);
        }
        assertThat(ledger.computed(0, 1200)).as("it has no parity").isEqualTo(-1);
        assertThat(ledger.dueIn(0, 1200)).isEqualTo(-1);
        assertThat(ledger.computed(1, 1200)).isEqualTo(-1);
        assertThat(ledger.dueIn(0, 1200)).isEqualTo(100);
        assertThat(ledger.overdue(0, 1300)).containsExactly(12L);
    }
}
