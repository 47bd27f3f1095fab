/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.spark.CodedInferencePlugin;
import io.paritas.inference.spark.driver.Instruction.Mode;
import io.paritas.inference.spark.driver.Layout.Placement;
import java.util.Properties;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.executor.TaskMetrics;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class MessagesTest {
    private static final Layout LAYOUT = new Layout(3, 2, 15, Placement.SEPARATE, 0.3);

    private final RecordingLine line = new RecordingLine(MessagesTest::answer);
    private final Messages messages = new Messages(line, 7, LAYOUT, 1.25, 5_000_000_000L, 11, task("42"));

    /** Instructions come with an epoch. */
    @BeforeAll
    static void start() {
        SparkContext.getOrCreate(new SparkConf()
                .setMaster("local[2]")
                .setAppName("tests of messages")
                .set("spark.plugins", CodedInferencePlugin.class.getName())
                .set("spark.ui.enabled", "false")
                .set("spark.driver.host", "localhost")
                .set("spark.driver.bindAddress", "127.0.0.1"));
    }

    private static TaskContextImpl task(String execution) {
        Properties properties = new Properties();
        if (execution != null) {
            properties.setProperty("spark.sql.execution.id", execution);
        }
        return new TaskContextImpl(
                5,
                0,
                11,
                1L << 40,
                0,
                15,
                null,
                properties,
                null,
                TaskMetrics.empty(),
                1,
                scala.collection.immutable.Map$.MODULE$.empty());
    }

    private static long[] answer(long[] message) {
        return message[Messages.KIND] == Messages.START || message[Messages.KIND] == Messages.LOST
                ? new long[] {Mode.DECODE.ordinal(), 9, 0b10110, 2, 1}
                : new long[] {10 + message[Messages.KIND]};
    }

    private long[] last() {
        return Messages.read(line.said().get(line.said().size() - 1));
    }

    @Test
    void everyMessageSaysWhoSpeaksOfWhat() {
        messages.start();
        messages.computed();
        messages.parity(2);
        messages.nextParity();
        messages.lost(4);
        messages.decoded();
        messages.end(true);
        messages.end(false);
        assertThat(line.said())
                .extracting(message -> message[Messages.KIND])
                .containsExactly(0L, 1L, 2L, 5L, 3L, 4L, 6L, 6L);
        assertThat(line.said())
                .extracting(message -> message[Messages.ARGUMENT])
                .containsExactly(0L, 0L, 2L, 0L, 4L, 0L, 1L, 0L);
        for (long[] message : line.said()) {
            assertThat(message[Messages.OPERATOR]).isEqualTo(7);
            assertThat(message[Messages.EXECUTION]).isEqualTo(42);
            assertThat(message[Messages.UNIT]).isEqualTo(11);
            assertThat(message[Messages.TASK]).isEqualTo(1L << 40);
            assertThat(message[Messages.STAGE]).isEqualTo(5);
        }
    }

    @ParameterizedTest
    @EnumSource(Placement.class)
    void theLayoutAndThePolicyAreReadAsTheyWereWritten(Placement placement) {
        for (double number : new double[] {0, 0.1, 1.0 / 3, 1}) {
            Layout layout = new Layout(20, 11, 31_000, placement, number);
            new Messages(line, 0, layout, 1 + number, Long.MAX_VALUE, 0, task("42")).computed();
            assertThat(Messages.layout(last())).isEqualTo(layout);
            assertThat(Messages.policy(last(), 3)).isEqualTo(new Ledger.Policy(1 + number, 3, Long.MAX_VALUE));
        }
    }

    @Test
    void aTaskOutsideOfQueriesHasNoExecution() {
        new Messages(line, 7, LAYOUT, 1, 0, 11, task(null)).computed();
        assertThat(last()[Messages.EXECUTION]).isEqualTo(-1);
    }

    @Test
    void answersAreHandedOn() {
        Instruction instruction = new Instruction(Mode.DECODE, 9, 0b10110, 2);
        assertThat(messages.start()).isEqualTo(instruction);
        assertThat(messages.lost(1)).isEqualTo(instruction);
        assertThat(messages.computed()).isEqualTo(10 + Messages.COMPUTED);
        assertThat(messages.parity(1)).isEqualTo(10 + Messages.PARITY);
        assertThat(messages.nextParity()).isEqualTo(10 + Messages.NEXT);
        assertThat(messages.decoded()).isEqualTo(10 + Messages.DECODED);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 13, 15})
    void otherLengthsAreRefused(int length) {
        assertThatThrownBy(() -> Coordinator.running().orElseThrow().receive(new long[length]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the driver's coordinator hears messages of 14 numbers, got " + length
                        + " numbers: the driver and all executors must have the same version of Paritas");
    }

    @Test
    void otherThingsAreRefused() {
        assertThatThrownBy(() -> Messages.read("hello"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("the driver's coordinator hears messages of 14 numbers, got hello: ");
        assertThatThrownBy(() -> Messages.read(null)).hasMessageContaining("got null: ");
    }

    @Test
    void aDriverThatDoesNotAnswerIsNamed() {
        Messages alone = new Messages(
                new RecordingLine(message -> {
                    throw new IllegalStateException("the driver is gone");
                }),
                7,
                LAYOUT,
                1,
                0,
                11,
                task("42"));
        assertThatThrownBy(alone::computed)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the driver is gone");
    }
}
