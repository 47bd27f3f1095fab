/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.spark.driver.Instruction.Mode;
import io.paritas.inference.spark.driver.Layout.Placement;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LedgerTest {
    private static final int BLOCKS = 77;
    private static final long NEVER = 0;

    /* Nobody wants the slots, or somebody does; nothing is known of stages. */
    private static final Others IDLE = new Others(false, 0, false);
    private static final Others WAITING = new Others(true, 0, false);

    private static Help of(int segment) {
        return of(segment, 0);
    }

    private static Help of(int segment, int number) {
        return new Help.Parity(segment, number);
    }

    private static Ledger ledger(int k, int r, double patience, long deadline) {
        return new Ledger(
                new Layout(k, r, k + r, Placement.ROTATED, 1), new Ledger.Policy(patience, 0, deadline), BLOCKS, 1000);
    }

    private static Ledger ofTwoStripes() {
        return new Ledger(new Layout(2, 1, 6, Placement.ROTATED, 1), new Ledger.Policy(1.5, 0, NEVER), BLOCKS, 1000);
    }

    /** Somebody has made parities of a segment, or its data, whose time does not count. */
    private static void parity(Ledger ledger, int segment, int count) {
        ledger.parity(segment, count, 99, 0);
    }

    private static Instruction instruction(Mode mode, int sources, int lost) {
        return new Instruction(mode, BLOCKS, sources, lost);
    }

    /** Segments 0 and 1 of three are in, at 1100 and 1200, with their parity from then on; 2 is out since 1000. */
    private static Ledger oneLate(double patience, long deadline) {
        Ledger ledger = ledger(2, 1, patience, deadline);
        for (int segment = 0; segment < 3; segment++) {
            assertThat(ledger.start(segment, 10 + segment, 1000)).isEqualTo(instruction(Mode.COMPUTE, 0, 3));
        }
        for (int segment = 0; segment < 2; segment++) {
            ledger.computed(segment, 10 + segment, IDLE, 1100 + 100 * segment);
            parity(ledger, segment, 1);
            ledger.succeeded(segment, 10 + segment);
        }
        return ledger;
    }

    /** Tasks of a scan start in any order, so nearly all stripes are open at once: no message looks at all of them, or it takes minutes. */
    @Test
    @Timeout(120)
    void messagesOfManyTasksAreFew() {
        Layout layout = new Layout(4, 1, 200_000, Placement.ROTATED, 1);
        Ledger ledger = new Ledger(layout, new Ledger.Policy(1000, 0, NEVER), BLOCKS, 0);
        for (int segment = 0; segment < layout.segments(); segment++) {
            ledger.start(segment, segment, 1000);
        }
        for (int segment = 0; segment < layout.segments(); segment++) {
            assertThat(ledger.computed(segment, segment, WAITING, 2000)).isEqualTo(Help.End.NONE);
        }
    }

    /** A task of each stripe but the first hangs, and the others compute its parity; the bytes that one of the first allocates that asks. */
    private static long bytesOfAQuestion(int stripes, Placement placement) {
        Ledger ledger =
                new Ledger(new Layout(4, 1, 5 * stripes, placement, 1), new Ledger.Policy(3, 0, NEVER), BLOCKS, 0);
        for (int segment = 0; segment < 5 * stripes; segment++) {
            ledger.start(segment, segment, 1000);
        }
        for (int segment = 0; segment < 5 * stripes; segment++) {
            if (segment < 5 || segment % 5 > 0) {
                ledger.computed(segment, segment, IDLE, 1100);
            }
        }
        for (int segment = 5; segment < 5 * stripes; segment++) {
            if (segment % 5 > 0) {
                ledger.help(segment, segment, IDLE, 2000);
            }
        }
        var thread = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = thread.getCurrentThreadAllocatedBytes();
        assertThat(ledger.help(0, 0, IDLE, 2000)).as("nothing is left").isNotInstanceOf(Help.Parity.class);
        return thread.getCurrentThreadAllocatedBytes() - before;
    }

    /** Thousands of tasks ask again and again. */
    @ParameterizedTest
    @EnumSource(Placement.class)
    void whoAsksForWorkDoesNotLookIntoStripesWhoseParityIsBeingComputed(Placement placement) {
        bytesOfAQuestion(4, placement);
        assertThat(bytesOfAQuestion(2_000, placement)).isLessThan(2 * bytesOfAQuestion(40, placement) + 10_000);
    }

    /** As whoever wants to wait for ever writes it. */
    @Test
    void greatPatienceIsNotLate() {
        Ledger ledger = ledger(2, 1, 1e9, NEVER);
        for (int segment = 0; segment < 3; segment++) {
            ledger.start(segment, 10 + segment, 1_000_000_000);
        }
        for (int segment = 0; segment < 2; segment++) {
            ledger.computed(segment, 10 + segment, WAITING, 11_000_000_000L);
            ledger.succeeded(segment, 10 + segment);
        }
        assertThat(ledger.repeated(0, 11_100_000_000L)).isEmpty();
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
        ledger.decoded(2, 13);
        ledger.succeeded(2, 13);
        assertThat(ledger.start(2, 14, 1400)).isEqualTo(instruction(Mode.FETCH_DECODED, 0b011, 1));
        assertThat(ledger.start(1, 15, 1400).mode()).isEqualTo(Mode.FETCH_COMPUTED);
    }

    @Test
    void whatWasReconstructedFirstStaysSo() {
        Ledger ledger = oneLate(1, NEVER);
        ledger.start(2, 13, 1300);
        ledger.decoded(2, 13);
        assertThat(ledger.computed(2, 12, IDLE, 1301))
                .as("the late one was quicker than its end")
                .isEqualTo(Help.End.NONE);
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
        ledger.computed(2, 12, IDLE, 1301);
        ledger.decoded(2, 13);
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
        ledger.computed(1, 13, IDLE, 500_100);
        parity(ledger, 1, 1);
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
            ledger.computed(segment, 10 + segment, IDLE, 1100);
            parity(ledger, segment, 1);
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
            ledger.computed(segment, 10 + segment, IDLE, 1100);
            parity(ledger, segment, 1);
        }
        assertThat(ledger.overdue(0, 2000)).isEmpty();
        assertThat(ledger.overdue(3, 2000)).containsExactly(15L);
        assertThat(ledger.segments()).isEqualTo(6);
        assertThat(ledger.segmentsPerStripe()).isEqualTo(3);
    }

    /** Starts the three segments from one on, by tasks from 10. */
    private static Ledger started(Ledger ledger, int first, long now) {
        for (int segment = first; segment < first + 3; segment++) {
            ledger.start(segment, 10 + segment, now);
        }
        return ledger;
    }

    /** Segments 0 and 1 of six have ended at 1200 without parity, 2 is out since 1000, the others start at 1290. */
    private static Ledger twoStripes() {
        Ledger ledger = started(ofTwoStripes(), 0, 1000);
        for (int segment : new int[] {0, 1}) {
            assertThat(ledger.computed(segment, 10 + segment, WAITING, 1200)).isEqualTo(Help.End.NONE);
            ledger.succeeded(segment, 10 + segment);
        }
        return started(ledger, 3, 1290);
    }

    @Test
    void tasksWaitForOneThatIsNotLateAndComputeParityInTimeForOneThatIs() {
        Ledger ledger = started(ledger(2, 1, 1.5, NEVER), 0, 1000);
        assertThat(ledger.computed(0, 10, IDLE, 1200)).isEqualTo(new Help.Wait());
        assertThat(ledger.computed(1, 11, IDLE, 1200)).isEqualTo(new Help.Wait());
        assertThat(ledger.help(0, 10, IDLE, 1209)).isEqualTo(new Help.Wait());
        assertThat(ledger.help(0, 10, IDLE, 1210))
                .as("half a median before 1.5 are over, but not before equal ones are")
                .isEqualTo(of(0));
        assertThat(ledger.help(1, 11, IDLE, 1210)).isEqualTo(of(1));
        assertThat(ledger.computed(2, 12, IDLE, 1220)).isEqualTo(Help.End.NONE);
        assertThat(ledger.help(0, 10, IDLE, 1221)).isEqualTo(Help.End.NONE);
    }

    @Test
    void aTaskComputesItsOwnParityFirst() {
        Ledger ledger = started(ledger(2, 1, 1.5, NEVER), 0, 1000);
        ledger.computed(0, 10, IDLE, 1200);
        ledger.computed(1, 11, IDLE, 1200);
        assertThat(ledger.help(1, 11, IDLE, 1210)).isEqualTo(of(1));
    }

    @Test
    void nobodyComputesTheParityOfATaskThatIsAboutToAsk() {
        Ledger ledger = ofTwoStripes();
        started(ledger, 0, 1000);
        started(ledger, 3, 1000);
        assertThat(ledger.computed(0, 10, IDLE, 1200)).isEqualTo(new Help.Wait());
        assertThat(ledger.computed(1, 11, IDLE, 1200)).isEqualTo(new Help.Wait());
        for (int segment = 3; segment < 5; segment++) {
            ledger.computed(segment, 10 + segment, WAITING, 1200);
            ledger.succeeded(segment, 10 + segment);
        }
        assertThat(ledger.computed(5, 15, WAITING, 1400)).isEqualTo(Help.End.NONE);
        assertThat(ledger.help(5, 15, WAITING, 1499)).isEqualTo(Help.End.NONE);
        assertThat(ledger.help(5, 15, WAITING, 1500))
                .as("they have said nothing for 1.5 medians")
                .isEqualTo(of(0));
    }

    @Test
    void tasksThatWaitDoNotWaitForEachOther() {
        Ledger ledger = ledger(3, 1, 1.5, NEVER);
        ledger.start(0, 10, 1000);
        ledger.start(1, 11, 1000);
        assertThat(ledger.computed(0, 10, IDLE, 1200)).isEqualTo(new Help.Wait());
        assertThat(ledger.computed(1, 11, IDLE, 1200)).as("the other one waits").isEqualTo(Help.End.NONE);
    }

    /** Its other segments do not start before it has ended the first. */
    @Test
    void aTaskWithSeveralSegmentsDoesNotWaitForItsOwn() {
        Ledger ledger = ofTwoStripes();
        ledger.start(0, 10, 1000);
        ledger.start(3, 11, 1000);
        Others coalesced = new Others(false, 0, true);
        assertThat(ledger.computed(0, 10, coalesced, 1200)).isEqualTo(Help.End.NONE);
        for (int segment : new int[] {1, 2, 4}) {
            ledger.start(segment, 10, 1200);
            ledger.computed(segment, 10, coalesced, 1300);
        }
        ledger.start(5, 12, 1300);
        assertThat(ledger.computed(3, 11, coalesced, 1300))
                .as("nothing is left to start")
                .isEqualTo(new Help.Wait());
    }

    @Test
    void nobodyComputesParityWhileTasksWaitForSlotsAndNobodyIsLate() {
        Ledger ledger = started(ledger(2, 1, 1.5, NEVER), 0, 1000);
        assertThat(ledger.computed(0, 10, WAITING, 1200)).isEqualTo(Help.End.NONE);
        assertThat(ledger.computed(1, 11, WAITING, 1299)).isEqualTo(Help.End.NONE);
    }

    @Test
    void othersComputeTheParityOfTasksThatHaveEnded() {
        Ledger ledger = twoStripes();
        assertThat(ledger.computed(3, 13, WAITING, 1299)).as("nobody is late").isEqualTo(Help.End.NONE);
        assertThat(ledger.computed(4, 14, WAITING, 1400)).isEqualTo(of(0));
        assertThat(ledger.computed(5, 15, WAITING, 1400)).isEqualTo(of(1));
        assertThat(ledger.help(3, 13, WAITING, 1400)).as("no two do the same").isEqualTo(Help.End.NONE);
        parity(ledger, 0, 1);
        parity(ledger, 1, 1);
        assertThat(ledger.help(4, 14, WAITING, 1450)).isEqualTo(Help.End.NONE);
        assertThat(ledger.overdue(0, 1450)).containsExactly(12L);
        assertThat(ledger.start(2, 20, 1451)).isEqualTo(instruction(Mode.DECODE, 0b011, 1));
    }

    @Test
    void aParityWhoseTaskIsSilentIsComputedByAnother() {
        Ledger ledger = twoStripes();
        parity(ledger, 1, 1);
        assertThat(ledger.computed(4, 14, WAITING, 1400)).isEqualTo(of(0));
        assertThat(ledger.help(4, 14, WAITING, 1410)).as("it goes on").isEqualTo(of(0));
        ledger.computed(5, 15, WAITING, 1410);
        assertThat(ledger.computed(3, 13, WAITING, 1411)).isEqualTo(Help.End.NONE);
        assertThat(ledger.help(3, 13, WAITING, 1900)).isEqualTo(of(0));
    }

    @Test
    void aTaskThatFailsIsInDangerAtOnce() {
        Ledger ledger = started(ledger(2, 1, 1.5, NEVER), 0, 1000);
        assertThat(ledger.computed(0, 10, IDLE, 1200)).isEqualTo(new Help.Wait());
        ledger.failed(2, 12);
        assertThat(ledger.help(0, 10, IDLE, 1201)).isEqualTo(of(0));
    }

    @Test
    void aTaskThatFailsIsHelpedByThoseOfOtherStripes() {
        Ledger ledger = ofTwoStripes();
        started(ledger, 0, 1000);
        started(ledger, 3, 1000);
        for (int segment : new int[] {0, 1}) {
            ledger.computed(segment, 10 + segment, WAITING, 1200);
            ledger.succeeded(segment, 10 + segment);
        }
        assertThat(ledger.computed(3, 13, IDLE, 1202)).isEqualTo(new Help.Wait());
        ledger.failed(2, 12);
        assertThat(ledger.help(3, 13, IDLE, 1203)).isEqualTo(of(0));
    }

    /** A query with a limit asks for the first segment alone. */
    @Test
    void nobodyWaitsForSegmentsThatNobodyAskedFor() {
        Ledger ledger = ledger(2, 1, 1.5, NEVER);
        ledger.start(0, 10, 1000);
        assertThat(ledger.computed(0, 10, IDLE, 1200)).isEqualTo(Help.End.NONE);
        ledger.succeeded(0, 10);
        ledger.start(1, 11, 1300);
        assertThat(ledger.computed(1, 11, new Others(false, 1, false), 1500))
                .as("a task has not said a word")
                .isEqualTo(new Help.Wait());
        ledger.start(2, 12, 1500);
        assertThat(ledger.help(1, 11, IDLE, 1709)).isEqualTo(new Help.Wait());
        assertThat(ledger.help(1, 11, IDLE, 1710)).isEqualTo(of(1));
        parity(ledger, 1, 1);
        assertThat(ledger.help(1, 11, IDLE, 1800))
                .as("that of a task long ended")
                .isEqualTo(of(0));
        parity(ledger, 0, 1);
        assertThat(ledger.overdue(0, 1800)).containsExactly(12L);
    }

    /** Segments 0 to 2 have ended; a query with a limit asks for 3 and 4 then. 3 has ended at 1200, 4 is out since 1000. */
    private static Ledger secondRound(Placement placement) {
        Ledger ledger = started(
                new Ledger(new Layout(2, 1, 6, placement, 1), new Ledger.Policy(1.5, 0, NEVER), BLOCKS, 800), 0, 800);
        for (int segment = 0; segment < 3; segment++) {
            ledger.computed(segment, 10 + segment, IDLE, 1000);
            ledger.succeeded(segment, 10 + segment);
        }
        ledger.start(3, 13, 1000);
        ledger.start(4, 14, 1000);
        assertThat(ledger.computed(3, 13, IDLE, 1200)).isEqualTo(new Help.Wait());
        return ledger;
    }

    @Test
    void aLateSegmentIsDecodedThoughNobodyAskedForTheLastOfItsStripe() {
        Ledger ledger = secondRound(Placement.ROTATED);
        assertThat(ledger.help(3, 13, IDLE, 1209)).isEqualTo(new Help.Wait());
        assertThat(ledger.help(3, 13, IDLE, 1210)).isEqualTo(of(3));
        parity(ledger, 3, 1);
        Help data = ledger.help(3, 13, IDLE, 1230);
        assertThat(data).isEqualTo(new Help.Data(5));
        assertThat(ledger.help(3, 13, IDLE, 1240)).as("it goes on").isEqualTo(data);
        parity(ledger, 5, 0);
        assertThat(ledger.overdue(3, 1300)).as("there is no parity of it").isEmpty();
        assertThat(ledger.help(3, 13, IDLE, 1300)).isEqualTo(of(5));
        parity(ledger, 5, 1);
        assertThat(ledger.overdue(3, 1310)).containsExactly(14L);
        assertThat(ledger.start(4, 20, 1311)).isEqualTo(instruction(Mode.DECODE, 0b101, 1));
        assertThat(ledger.start(5, 15, 1400).mode()).as("a third round").isEqualTo(Mode.FETCH_COMPUTED);
    }

    /** It has started since somebody was told to predict its data, and hangs. */
    @Test
    void aLateSegmentIsReadThatAnotherHasPredicted() {
        Ledger ledger = secondRound(Placement.ROTATED);
        parity(ledger, 3, 1);
        assertThat(ledger.help(3, 13, IDLE, 1210)).isEqualTo(new Help.Data(5));
        assertThat(ledger.start(5, 15, 1220).mode()).isEqualTo(Mode.COMPUTE);
        parity(ledger, 5, 0);
        ledger.computed(4, 14, WAITING, 1230);
        assertThat(ledger.dueIn(3, 1230)).as("1.5 medians of 200").isEqualTo(290);
        assertThat(ledger.overdue(3, 1519)).isEmpty();
        assertThat(ledger.overdue(3, 1520)).containsExactly(15L);
        assertThat(ledger.start(5, 20, 1521).mode()).isEqualTo(Mode.FETCH_COMPUTED);
    }

    @Test
    void nobodyPredictsWhatOthersAreAboutToStart() {
        Ledger ledger = secondRound(Placement.ROTATED);
        assertThat(ledger.help(3, 13, WAITING, 1400)).isEqualTo(of(3));
        parity(ledger, 3, 1);
        assertThat(ledger.help(3, 13, WAITING, 1450)).isEqualTo(Help.End.NONE);
    }

    @Test
    void aLateSegmentIsDecodedThoughNobodyAskedForTheParityOfItsStripe() {
        Ledger ledger = secondRound(Placement.SEPARATE);
        assertThat(ledger.help(3, 13, IDLE, 1210)).isEqualTo(of(5));
        parity(ledger, 5, 1);
        assertThat(ledger.overdue(3, 1310)).containsExactly(14L);
        assertThat(ledger.start(4, 20, 1311)).isEqualTo(instruction(Mode.DECODE, 0b101, 1));
        assertThat(ledger.start(5, 15, 1400))
                .as("it has nothing to predict")
                .isEqualTo(instruction(Mode.COMPUTE, 0b101, 1));
    }

    /** With one parity more, what nobody has asked for is decoded rather than predicted. */
    @Test
    void parityStandsInForWhatNobodyAskedFor() {
        Ledger ledger =
                new Ledger(new Layout(2, 2, 4, Placement.ROTATED, 1), new Ledger.Policy(1.5, 0, NEVER), BLOCKS, 1000);
        started(ledger, 0, 1000);
        ledger.computed(0, 10, IDLE, 1200);
        ledger.computed(1, 11, IDLE, 1200);
        ledger.succeeded(1, 11);
        for (int parities = 0; parities < 4; parities++) {
            Help next = ledger.help(0, 10, IDLE, 1400);
            assertThat(next).isInstanceOf(Help.Parity.class);
            Help.Parity parity = (Help.Parity) next;
            parity(ledger, parity.segment(), parity.parities());
        }
        assertThat(ledger.overdue(0, 1400)).containsExactly(12L);
        assertThat(ledger.start(2, 20, 1401)).isEqualTo(instruction(Mode.DECODE, 0b0011, 2));
    }

    @Test
    void aLateSegmentOfARoundIsPredictedAgainWhereNobodyIsThereToComputeParity() {
        Ledger ledger = secondRound(Placement.ROTATED);
        ledger.succeeded(3, 13);
        assertThat(ledger.repeated(3, 1599)).isEmpty();
        assertThat(ledger.repeated(3, 1600)).containsExactly(14L);
    }

    @Test
    void segmentsWithoutRowsSayNothingOfHowLongOthersTake() {
        Ledger ledger = started(ledger(2, 1, 1.5, NEVER), 0, 1000);
        assertThat(ledger.foundNone(0, 10, IDLE, 1001)).isEqualTo(new Help.Wait());
        assertThat(ledger.computed(1, 11, IDLE, 1200)).isEqualTo(new Help.Wait());
        assertThat(ledger.help(0, 10, IDLE, 1209)).isEqualTo(new Help.Wait());
        assertThat(ledger.help(0, 10, IDLE, 1210)).isEqualTo(of(0));
    }

    @Test
    void aLateSegmentWithoutParityIsPredictedAgainOnce() {
        Ledger ledger = oneLateWithoutParity(ledger(2, 1, 1.5, NEVER));
        assertThat(ledger.dueIn(0, 1200)).isEqualTo(400);
        assertThat(ledger.repeated(0, 1599)).isEmpty();
        assertThat(ledger.overdue(0, 1600)).isEmpty();
        assertThat(ledger.repeated(0, 1600)).containsExactly(12L);
        assertThat(ledger.start(2, 20, 1601).mode()).isEqualTo(Mode.COMPUTE);
        assertThat(ledger.repeated(0, 9000)).isEmpty();
        assertThat(ledger.dueIn(0, 9000)).isNegative();
    }

    /** Segments 0 and 1 have ended without parity, at 1200; 2 is out since 1000. */
    private static Ledger oneLateWithoutParity(Ledger ledger) {
        started(ledger, 0, 1000);
        for (int segment = 0; segment < 2; segment++) {
            ledger.computed(segment, 10 + segment, WAITING, 1200);
            ledger.succeeded(segment, 10 + segment);
        }
        return ledger;
    }

    @Test
    void nothingIsPredictedAgainBeforeItIsKnownHowLongThatTakes() {
        Ledger ledger = started(ledger(2, 1, 1.5, NEVER), 0, 1000);
        ledger.foundNone(0, 10, WAITING, 1001);
        ledger.foundNone(1, 11, WAITING, 1001);
        assertThat(ledger.repeated(0, 9000)).isEmpty();
        assertThat(ledger.dueIn(0, 9000)).isNegative();
    }

    @Test
    void moreThanParityStandsForAreNotPredictedAgain() {
        Ledger ledger = started(ledger(2, 1, 1.5, NEVER), 0, 1000);
        ledger.computed(0, 10, WAITING, 1200);
        ledger.succeeded(0, 10);
        assertThat(ledger.repeated(0, 9000)).isEmpty();
    }

    @Test
    void nothingIsPredictedAgainAfterTheDeadline() {
        Ledger ledger = oneLateWithoutParity(ledger(2, 1, 1.5, 500));
        assertThat(ledger.repeated(0, 1600)).isEmpty();
        assertThat(ledger.overdue(0, 1600)).containsExactly(12L);
    }

    @Test
    void whatHasNoDataIsNotPredictedAgain() {
        Ledger ledger = started(
                new Ledger(new Layout(2, 1, 3, Placement.SEPARATE, 1), new Ledger.Policy(1.5, 0, NEVER), BLOCKS, 1000),
                0,
                1000);
        ledger.computed(0, 10, WAITING, 1200);
        ledger.succeeded(0, 10);
        assertThat(ledger.repeated(0, 1600)).as("not the parity").containsExactly(11L);
    }

    @Test
    void whoHasDeliveredIsNotPredictedAgain() {
        Ledger ledger = started(ledger(2, 1, 1.5, NEVER), 0, 1000);
        assertThat(ledger.computed(0, 10, IDLE, 1200)).isEqualTo(new Help.Wait());
        ledger.computed(1, 11, WAITING, 1200);
        ledger.succeeded(1, 11);
        assertThat(ledger.repeated(0, 1600)).containsExactly(12L);
    }

    @Test
    void aSegmentWithoutAnAttemptMayStillBePredictedAgain() {
        Ledger ledger = oneLateWithoutParity(ledger(2, 1, 1.5, NEVER));
        ledger.failed(2, 12);
        assertThat(ledger.repeated(0, 1600)).isEmpty();
        ledger.start(2, 20, 1700);
        assertThat(ledger.repeated(0, 2299)).isEmpty();
        assertThat(ledger.repeated(0, 2300)).containsExactly(20L);
    }

    @Test
    void aTaskThatEndsLeavesItsParityToOthers() {
        Ledger ledger = twoStripes();
        parity(ledger, 1, 1);
        assertThat(ledger.computed(4, 14, WAITING, 1400)).isEqualTo(of(0));
        ledger.computed(3, 13, WAITING, 1400);
        ledger.succeeded(4, 14);
        assertThat(ledger.help(3, 13, WAITING, 1401)).isEqualTo(of(0));
    }

    @Test
    void aTaskThatStaysForNobodyIsNotWaitedFor() {
        Ledger ledger = started(ledger(2, 1, 1.5, NEVER), 0, 1000);
        ledger.computed(0, 10, IDLE, 1200);
        ledger.computed(1, 11, IDLE, 1200);
        assertThat(ledger.computed(2, 12, IDLE, 1200)).isEqualTo(Help.End.NONE);
        assertThat(ledger.help(1, 11, IDLE, 1200)).as("it comes to ask").isEqualTo(Help.End.NONE);
        assertThat(ledger.dueIn(0, 1200)).isEqualTo(2 * 300 - 200);
        assertThat(ledger.overdue(0, 1599)).isEmpty();
        assertThat(ledger.overdue(0, 1600)).containsExactly(10L);
        assertThat(ledger.start(0, 20, 1700).mode()).isEqualTo(Instruction.Mode.FETCH_COMPUTED);
    }

    /** As where no row fulfils the condition of a query. */
    @Test
    void whoWaitsInAQueryWithoutRowsHasTimeToAsk() {
        Ledger ledger = started(
                new Ledger(new Layout(2, 1, 3, Placement.ROTATED, 1), new Ledger.Policy(1.5, 500, NEVER), BLOCKS, 1000),
                0,
                1000);
        assertThat(ledger.foundNone(0, 10, IDLE, 1001)).isEqualTo(new Help.Wait());
        assertThat(ledger.foundNone(1, 11, IDLE, 1001)).isEqualTo(new Help.Wait());
        assertThat(ledger.foundNone(2, 12, IDLE, 1002)).isEqualTo(Help.End.NONE);
        assertThat(ledger.overdue(0, 1003)).as("they come to ask").isEmpty();
        assertThat(ledger.dueIn(0, 1003)).as("twice the grace").isEqualTo(997);
        assertThat(ledger.overdue(0, 2000)).containsExactly(10L, 11L);
    }

    @Test
    void whatIsPredictedForOthersTellsHowLongItTakes() {
        Ledger ledger = new Ledger(
                new Layout(2, 1, 6, Placement.ROTATED, 1),
                new Ledger.Policy(1.5, 0, NEVER, ParityStart.IDLE),
                BLOCKS,
                1000);
        ledger.start(1, 11, 1000);
        ledger.start(3, 13, 1000);
        Help data = ledger.foundNone(3, 13, IDLE, 1010);
        assertThat(data).isEqualTo(new Help.Data(0));
        assertThat(ledger.help(3, 13, IDLE, 1100)).as("it goes on").isEqualTo(data);
        ledger.parity(0, 0, 13, 1210);
        assertThat(ledger.takeChanged()).as("others may be late").containsExactly(0, 3);
        assertThat(ledger.help(3, 13, IDLE, 1210)).isEqualTo(of(0));
        parity(ledger, 0, 1);
        parity(ledger, 2, 0);
        parity(ledger, 2, 1);
        for (int segment : new int[] {0, 2}) {
            assertThat(ledger.start(segment, 10 + segment, 1250).mode()).isEqualTo(Mode.FETCH_COMPUTED);
            ledger.computed(segment, 10 + segment, WAITING, 1260);
            ledger.succeeded(segment, 10 + segment);
        }
        assertThat(ledger.dueIn(0, 1270)).as("1.5 times of 200 after 1000").isEqualTo(30);
        assertThat(ledger.overdue(0, 1300)).containsExactly(11L);
        assertThat(ledger.start(1, 21, 1301).mode()).isEqualTo(Mode.DECODE);
    }

    @Test
    void parityOfItsOwnTellsHowLongItTakesWhereNothingElseDoes() {
        Ledger ledger = new Ledger(
                new Layout(2, 2, 4, Placement.SEPARATE, 1),
                new Ledger.Policy(1.5, 0, NEVER, ParityStart.IDLE),
                BLOCKS,
                1000);
        for (int segment = 0; segment < 4; segment++) {
            ledger.start(segment, 10 + segment, 1000);
        }
        for (int segment : new int[] {2, 3}) {
            assertThat(ledger.computed(segment, 10 + segment, IDLE, 1010)).isEqualTo(of(segment, segment - 2));
        }
        ledger.parity(2, 1, 12, 1210);
        ledger.parity(3, 2, 13, 1210);
        assertThat(ledger.dueIn(0, 1210)).isEqualTo(90);
        assertThat(ledger.overdue(0, 1300)).containsExactly(10L, 11L);
    }

    /** As where no row fulfils the condition of a query. */
    @Test
    void parityOfNothingIsNotWaitedFor() {
        Ledger ledger = started(
                new Ledger(
                        new Layout(2, 1, 3, Placement.SEPARATE, 1), new Ledger.Policy(1.5, 500, NEVER), BLOCKS, 1000),
                0,
                1000);
        ledger.foundNone(0, 10, WAITING, 1010);
        assertThat(ledger.dueIn(0, 1010)).isNegative();
        ledger.foundNone(1, 11, WAITING, 1010);
        assertThat(ledger.dueIn(0, 1010)).as("the grace").isEqualTo(490);
        assertThat(ledger.overdue(0, 1500)).containsExactly(12L);
    }

    /** The alarm may be heard before those who asked while the driver paused. */
    @Test
    void whoWaitsForOthersToStartIsNotTakenHoweverLongItIsNotHeard() {
        Ledger ledger = ledger(2, 1, 1.5, NEVER);
        Others oneStarts = new Others(false, 1, false);
        ledger.start(0, 10, 1000);
        ledger.start(1, 11, 1000);
        ledger.computed(0, 10, oneStarts, 1200);
        assertThat(ledger.computed(1, 11, oneStarts, 1200)).isEqualTo(new Help.Wait());
        assertThat(ledger.help(0, 10, oneStarts, 2000)).isEqualTo(new Help.Wait());
        assertThat(ledger.overdue(0, 9000)).isEmpty();
        ledger.start(2, 12, 9000);
        ledger.computed(2, 12, IDLE, 9100);
        assertThat(ledger.overdue(0, 9100)).as("everybody has its rows").containsExactly(10L, 11L);
    }

    /** Spark's speculation started the copy. */
    @Test
    void aLateSegmentIsTakenThoughACopyHasDeliveredIfTheCopyFailsThen() {
        Ledger ledger = oneLate(1.5, NEVER);
        assertThat(ledger.start(2, 13, 1250).mode()).isEqualTo(Mode.DECODE);
        ledger.decoded(2, 13);
        assertThat(ledger.dueIn(0, 1260)).as("the copy is about to end").isNegative();
        ledger.failed(2, 13);
        assertThat(ledger.dueIn(0, 1260)).isEqualTo(40);
        assertThat(ledger.overdue(0, 1300)).containsExactly(12L);
        assertThat(ledger.start(2, 14, 1310).mode()).isEqualTo(Mode.FETCH_DECODED);
    }

    /** What it does after its last row takes long, so that Spark's speculation started a copy. */
    @Test
    void aTaskThatHasDeliveredIsNotTakenForItsCopy() {
        Ledger ledger = started(ledger(2, 1, 1.5, NEVER), 0, 1000);
        ledger.computed(0, 10, WAITING, 1200);
        assertThat(ledger.start(0, 20, 1900).mode()).isEqualTo(Mode.FETCH_COMPUTED);
        assertThat(ledger.overdue(0, 9000)).isEmpty();
    }

    @Test
    void whoeverCouldBeLateIsLookedAtOnceADurationIsKnown() {
        Ledger ledger = started(started(ofTwoStripes(), 0, 1000), 3, 1000);
        assertThat(ledger.takeChanged()).containsExactly(0, 3);
        assertThat(ledger.takeChanged()).isEmpty();
        ledger.foundNone(4, 14, WAITING, 1001);
        assertThat(ledger.takeChanged()).containsExactly(3);
        ledger.computed(3, 13, WAITING, 1200);
        assertThat(ledger.takeChanged()).containsExactly(0, 3);
        ledger.succeeded(3, 13);
        assertThat(ledger.takeChanged()).containsExactly(3);
    }

    /** Its task may hang, so that no message tells of its own stripe. */
    @Test
    void whoComputesParityForAnotherStripeIsLookedAtWhenThatIsComplete() {
        Ledger ledger = twoStripes();
        parity(ledger, 1, 1);
        assertThat(ledger.computed(4, 14, WAITING, 1400)).isEqualTo(of(0));
        ledger.takeChanged();
        ledger.computed(2, 12, WAITING, 1410);
        assertThat(ledger.takeChanged()).containsExactly(0, 3);
        assertThat(ledger.overdue(3, 9000)).containsExactly(14L);
    }

    @Test
    void aSegmentThatHasNothingButParityIsNotWaitedFor() {
        Ledger ledger = started(
                new Ledger(new Layout(2, 1, 3, Placement.SEPARATE, 1), new Ledger.Policy(1.5, 0, NEVER), BLOCKS, 1000),
                0,
                1000);
        assertThat(ledger.computed(0, 10, WAITING, 1200)).as("it has no parity").isEqualTo(Help.End.NONE);
        assertThat(ledger.dueIn(0, 1200)).as("parity 2 may come yet").isEqualTo(400);
        assertThat(ledger.computed(1, 11, WAITING, 1200)).isEqualTo(Help.End.NONE);
        assertThat(ledger.dueIn(0, 1200)).isEqualTo(100);
        assertThat(ledger.overdue(0, 1300)).containsExactly(12L);
        ledger.failed(2, 12);
        assertThat(ledger.start(2, 20, 1310).mode()).isEqualTo(Mode.COMPUTE);
        assertThat(ledger.overdue(0, 1310)).as("it has just begun").isEmpty();
        assertThat(ledger.dueIn(0, 1310)).isEqualTo(300);
    }

    @Test
    void parityOfItsOwnBeginsWhenTheFirstIsLate() {
        Ledger ledger = started(
                new Ledger(new Layout(2, 1, 3, Placement.SEPARATE, 1), new Ledger.Policy(1.5, 0, NEVER), BLOCKS, 1000),
                0,
                1000);
        assertThat(ledger.computed(2, 12, IDLE, 1001)).isEqualTo(new Help.Wait());
        ledger.computed(0, 10, IDLE, 1200);
        assertThat(ledger.help(2, 12, IDLE, 1209)).isEqualTo(new Help.Wait());
        assertThat(ledger.help(2, 12, IDLE, 1210)).isEqualTo(of(2));
    }

    /** Whoever compares predictions with parity wants it, as long as it costs nobody a slot. */
    @Test
    void parityMayBeWantedWhereverASlotIsIdle() {
        Ledger ledger = started(
                new Ledger(
                        new Layout(2, 1, 3, Placement.ROTATED, 1),
                        new Ledger.Policy(1.5, 0, NEVER, ParityStart.IDLE),
                        BLOCKS,
                        1000),
                0,
                1000);
        assertThat(ledger.computed(0, 10, WAITING, 1200)).isEqualTo(Help.End.NONE);
        assertThat(ledger.computed(1, 11, IDLE, 1200)).isEqualTo(of(1));
        assertThat(ledger.computed(2, 12, IDLE, 1200)).isEqualTo(Help.End.NONE);
    }
}
