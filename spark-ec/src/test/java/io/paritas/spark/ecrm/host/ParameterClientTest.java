/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ec.LocalSpark;
import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.AttemptOutcome;
import io.paritas.spark.ecrm.protocol.CommitMessage.Finished;
import io.paritas.spark.ecrm.protocol.CommitMessage.Stage;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.Message;
import io.paritas.spark.ecrm.protocol.MessageVisitor;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.protocol.ViewMessage.Connected;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fenced;
import io.paritas.spark.ecrm.protocol.ViewMessage.Leave;
import io.paritas.spark.ecrm.table.Initializer;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import io.paritas.spark.ecrm.table.TableSpec;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a client says to a driver and a server whose clock is a day ahead of its own. All answers of the driver but one are late. */
class ParameterClientTest {
    private static final long AHEAD = TimeUnit.DAYS.toMillis(1);
    private static final long LATE = TimeUnit.HOURS.toMillis(1);
    private static final ModelSpec MODEL = new ModelSpec(
            1,
            Redundancy.none(),
            List.of(new TableSpec(10, 1, new Optimizer.Sgd(1), new Initializer(0, 1, 1))),
            List.of());

    /** The driver, and its only server. */
    private static final class Others implements Passive {
        private final EventLoop loop;
        /** When the client connected, and what it says of when it began its last push. */
        volatile long connected;

        volatile long age;
        /** How often the client has heard of the time. */
        volatile int answers;

        volatile boolean left;

        Others(EventLoop loop) {
            this.loop = loop;
        }

        static long time() {
            return EventLoop.now() + AHEAD;
        }

        @Override
        public void receive(Envelope envelope, long now) {
            View view = View.of(List.of(loop.endpoint()));
            envelope.message().accept(new MessageVisitor() {
                private void answer(Address self, Message answer) {
                    loop.send(new Envelope(self, envelope.from(), view.epoch(), answer));
                }

                @Override
                public void fenced(Fenced hello) {
                    connected = connected == 0 ? time() : connected;
                    int before = answers;
                    answer(Address.DRIVER, new Connected(view, time() - (before == 1 ? 0 : LATE)));
                    answers = before + 1;
                }

                @Override
                public void leave(Leave message) {
                    left = true;
                }

                @Override
                public void stage(Stage stage) {
                    age = stage.age();
                    answer(view.address(0), new Finished(stage.tx(), AttemptOutcome.COMMITTED));
                }
            });
        }
    }

    @Test
    @Timeout(120)
    void theAgeOfAPushIsByTheDriversClock() throws Exception {
        LocalSpark.session();
        HostOptions options = HostOptions.DEFAULT;
        Others[] others = new Others[1];
        try (EventLoop loop = new EventLoop("others", options.timing(), own -> others[0] = new Others(own));
                ParameterClient client =
                        ParameterClient.connect(new ParameterServers.Location(MODEL, options, loop.endpoint()), 7)) {
            while (others[0].answers < 4 || others[0].age < others[0].connected) {
                push(client);
            }
            push(client);
            assertThat(others[0].age).isBetween(others[0].connected, Others.time());
        }
    }

    /** Servers remember those that do not. */
    @Test
    @Timeout(120)
    void leavesWhenItIsClosed() throws Exception {
        LocalSpark.session();
        HostOptions options = HostOptions.DEFAULT;
        Others[] others = new Others[1];
        try (EventLoop loop = new EventLoop("others", options.timing(), own -> others[0] = new Others(own))) {
            try (ParameterClient client =
                    ParameterClient.connect(new ParameterServers.Location(MODEL, options, loop.endpoint()), 8)) {
                push(client);
                assertThat(others[0].left).isFalse();
            }
            while (!others[0].left) {
                Thread.sleep(5);
            }
        }
    }

    private static void push(ParameterClient client) throws InterruptedException {
        client.push(List.of(new RowGradients(0, new long[] {3}, new float[] {1})), List.of());
    }
}
