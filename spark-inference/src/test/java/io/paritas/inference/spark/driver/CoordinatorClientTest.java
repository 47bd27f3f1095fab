/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.recommend.LocalSpark;
import io.paritas.inference.spark.driver.Instruction.Mode;
import io.paritas.inference.spark.driver.Layout.Placement;
import io.paritas.inference.spark.driver.TaskMessage.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.executor.TaskMetrics;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class CoordinatorClientTest {
    private static final Layout LAYOUT = new Layout(3, 2, 15, Placement.SEPARATE, 0.3);

    private final RecordingLine line = new RecordingLine(CoordinatorClientTest::answer);
    private final List<Long> waited = new ArrayList<>();
    private final CoordinatorClient coordinator = client(line, "42");

    private CoordinatorClient client(PluginContext line, String execution) {
        return new CoordinatorClient(
                line,
                Attempt.of(task(execution), 7, 11),
                LAYOUT,
                new LatePolicy(1.25, Duration.ofSeconds(5)),
                waited::add);
    }

    /** Instructions come with an epoch. */
    @BeforeAll
    static void start() {
        LocalSpark.session();
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

    private static long[] answer(long... message) {
        Kind kind = TaskMessage.decode(message).kind();
        return kind == Kind.START || kind == Kind.LOST
                ? new long[] {Mode.DECODE.ordinal(), 9, 0b10110, 2, 1}
                : new long[] {10 + kind.ordinal(), 12};
    }

    @Test
    void everyMessageSaysWhoSpeaksOfWhat() {
        coordinator.start();
        coordinator.computed();
        coordinator.made(new Help.Parity(14, 1));
        coordinator.help();
        coordinator.lost(4);
        coordinator.decoded();
        coordinator.foundNone();
        coordinator.succeeded();
        coordinator.failed();
        List<TaskMessage> said = line.said().stream().map(TaskMessage::decode).toList();
        assertThat(said)
                .extracting(TaskMessage::kind)
                .containsExactly(
                        Kind.START,
                        Kind.COMPUTED,
                        Kind.PARITY,
                        Kind.NEXT,
                        Kind.LOST,
                        Kind.DECODED,
                        Kind.COMPUTED,
                        Kind.END,
                        Kind.END);
        assertThat(said).extracting(TaskMessage::argument).containsExactly(0, 0, 2, 0, 4, 0, 1, 1, 0);
        assertThat(said).extracting(TaskMessage::subject).containsExactly(11, 11, 14, 11, 11, 11, 11, 11, 11);
        assertThat(said).extracting(TaskMessage::attempt).containsOnly(new Attempt(7, 42, 5, 11, 1L << 40));
        assertThat(said).extracting(TaskMessage::layout).containsOnly(LAYOUT);
        assertThat(said).extracting(TaskMessage::late).containsOnly(new LatePolicy(1.25, Duration.ofSeconds(5)));
        assertThat(waited).as("questions").hasSize(7).allMatch(nanos -> nanos >= 0);
    }

    @Test
    void aTaskOutsideOfQueriesHasNoExecution() {
        client(line, null).computed();
        assertThat(TaskMessage.decode(line.said().get(0)).attempt().execution()).isEqualTo(-1);
    }

    @Test
    void answersAreHandedOn() {
        Instruction instruction = new Instruction(Mode.DECODE, 9, 0b10110, 2);
        assertThat(coordinator.start()).isEqualTo(instruction);
        assertThat(coordinator.lost(1)).isEqualTo(instruction);
        assertThat(coordinator.computed()).isEqualTo(new Help.Parity(12, 10 + Kind.COMPUTED.ordinal()));
        assertThat(coordinator.made(new Help.Data(14))).isEqualTo(new Help.Parity(12, 10 + Kind.PARITY.ordinal()));
        assertThat(coordinator.help()).isEqualTo(new Help.Parity(12, 10 + Kind.NEXT.ordinal()));
        assertThat(coordinator.decoded()).isEqualTo(new Help.Parity(12, 10 + Kind.DECODED.ordinal()));
    }

    @Test
    void aDriverThatDoesNotAnswerIsNamed() {
        CoordinatorClient alone = client(
                new RecordingLine(message -> {
                    throw new IllegalStateException("the driver is gone");
                }),
                "42");
        assertThatThrownBy(alone::computed)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the driver is gone");
    }

    /** Spark throws the exception although its Scala code does not declare it. */
    @Test
    void anInterruptedTaskStaysInterrupted() {
        CoordinatorClient interrupted = client(
                new RecordingLine(message -> {
                    throw CoordinatorClientTest.<RuntimeException>undeclared(new InterruptedException());
                }),
                "42");
        assertThatThrownBy(interrupted::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the task was interrupted while it asked the coordinator");
        assertThat(Thread.interrupted()).isTrue();
    }

    @SuppressWarnings("unchecked")
    private static <E extends Exception> E undeclared(Exception e) throws E {
        throw (E) e;
    }
}
