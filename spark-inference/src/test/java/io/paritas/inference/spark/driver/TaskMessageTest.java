/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.spark.driver.Instruction.Mode;
import io.paritas.inference.spark.driver.Layout.Placement;
import io.paritas.inference.spark.driver.TaskMessage.Kind;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TaskMessageTest {
    private static final Attempt ATTEMPT = new Attempt(7, 42, 5, 11, 1L << 40);

    @ParameterizedTest
    @EnumSource(Placement.class)
    void isReadAsItWasWritten(Placement placement) {
        for (Kind kind : Kind.values()) {
            for (double number : new double[] {0, 0.1, 1.0 / 3, 1}) {
                for (long deadline : new long[] {0, 1, Long.MAX_VALUE}) {
                    TaskMessage message = new TaskMessage(
                            kind,
                            12,
                            13,
                            ATTEMPT,
                            new Layout(20, 11, 31_000, placement, number),
                            new LatePolicy(
                                    1 + number,
                                    Duration.ofNanos(deadline),
                                    number == 0 ? ParityStart.IDLE : ParityStart.LATE));
                    assertThat(TaskMessage.decode(message.encode())).isEqualTo(message);
                }
            }
        }
    }

    @Test
    void everyNumberHasItsPlace() {
        Layout layout = new Layout(3, 2, 15, Placement.SEPARATE, 0.3);
        LatePolicy late = new LatePolicy(1.25, Duration.ofSeconds(5));
        assertThat(new TaskMessage(Kind.LOST, 4, 10, ATTEMPT, layout, late).encode())
                .containsExactly(
                        3,
                        7,
                        42,
                        11,
                        1L << 40,
                        4,
                        3,
                        2,
                        15,
                        Double.doubleToLongBits(0.3),
                        Double.doubleToLongBits(1.25),
                        5_000_000_000L,
                        5,
                        1,
                        10,
                        0);
        assertThat(Kind.values())
                .containsExactly(Kind.START, Kind.COMPUTED, Kind.PARITY, Kind.LOST, Kind.DECODED, Kind.NEXT, Kind.END);
    }

    /** Deadlines of centuries are as good as any other. */
    @Test
    void theLongestDeadlineCrosses() {
        Layout layout = new Layout(2, 1, 3, Placement.ROTATED, 1);
        LatePolicy late = new LatePolicy(1, Duration.ofDays(1_000_000));
        TaskMessage crossed = TaskMessage.decode(new TaskMessage(Kind.START, 0, 11, ATTEMPT, layout, late).encode());
        assertThat(crossed.late().deadline()).isEqualTo(Duration.ofNanos(Long.MAX_VALUE));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 15, 17})
    void otherLengthsAreRefused(int length) {
        assertThatThrownBy(() -> TaskMessage.decode(new long[length]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("messages to the coordinator must be 16 numbers, got " + length
                        + " numbers: use one version of Paritas on the driver and all executors");
    }

    @Test
    void otherThingsAreRefused() {
        assertThatThrownBy(() -> TaskMessage.decode("hello"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("messages to the coordinator must be 16 numbers, got hello: ");
        assertThatThrownBy(() -> TaskMessage.decode(null)).hasMessageContaining("got null: ");
    }

    @Test
    void repliesAreReadAsTheyWereWritten() {
        Instructed instructed = new Instructed(new Instruction(Mode.DECODE, 9, 0b10110, 2), 1L << 50);
        assertThat(instructed.encode()).containsExactly(1, 9, 0b10110, 2, 1L << 50);
        assertThat(Instructed.decode(instructed.encode())).isEqualTo(instructed);
        for (Help next :
                new Help[] {Help.End.NONE, Help.End.OVER, new Help.Wait(), new Help.Data(17), new Help.Parity(17, 3)}) {
            assertThat(Help.decode(next.encode())).isEqualTo(next);
        }
        assertThat(Help.End.NONE.encode()).containsExactly(-1, -1);
        assertThat(Help.End.OVER.encode()).containsExactly(-2, -1);
        assertThat(new Help.Wait().encode()).containsExactly(-3, -1);
        assertThat(new Help.Data(17).encode()).containsExactly(-1, 17);
        assertThat(new Help.Parity(17, 3).encode()).containsExactly(3, 17);
        assertThatThrownBy(() -> Help.decode(5, -1)).hasMessage("no help has the number 5");
    }
}
