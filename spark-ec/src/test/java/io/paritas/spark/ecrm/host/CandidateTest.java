/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ec.LocalSpark;
import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.Message;
import io.paritas.spark.ecrm.protocol.RangeMessage.LockRange;
import io.paritas.spark.ecrm.protocol.RangeMessage.Step;
import io.paritas.spark.ecrm.protocol.RangeMessage.StepRange;
import io.paritas.spark.ecrm.protocol.ReadMessage.PullRows;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.protocol.ViewMessage.Appoint;
import io.paritas.spark.ecrm.protocol.ViewMessage.Failed;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fence;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fenced;
import io.paritas.spark.ecrm.protocol.ViewMessage.Hold;
import io.paritas.spark.ecrm.protocol.ViewMessage.Offer;
import io.paritas.spark.ecrm.protocol.ViewMessage.Save;
import io.paritas.spark.ecrm.protocol.ViewMessage.Saved;
import io.paritas.spark.ecrm.protocol.ViewMessage.Start;
import io.paritas.spark.ecrm.table.Initializer;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import io.paritas.spark.ecrm.table.TableSpec;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a candidate tells the driver, whose part the test plays. */
@Timeout(60)
class CandidateTest {
    private static final int ROWS = 1_000_000;
    /** Bytes of the versions and floats of the rows. */
    private static final long BYTES = ROWS * 5L * Integer.BYTES;

    private static final ModelSpec MODEL = new ModelSpec(
            1,
            Redundancy.none(),
            List.of(new TableSpec(ROWS, 4, new Optimizer.Sgd(1), new Initializer(0, 1, 1))),
            List.of());
    private static final Address SELF = Address.candidate(7);

    private final BlockingQueue<Message> heard = new LinkedBlockingQueue<>();
    private EventLoop driver;
    private EventLoop candidate;

    /** Notes what it hears. Answers by the connection of who asks. */
    private final class Listener implements Passive {
        @Override
        public void receive(Envelope envelope, long now) {
            heard.add(envelope.message());
        }
    }

    @BeforeEach
    void begin() {
        LocalSpark.session();
        HostOptions options = HostOptions.DEFAULT;
        driver = new EventLoop("driver", options.timing(), own -> new Listener());
        candidate = new EventLoop(
                "candidate",
                options.timing(),
                own -> new Candidate(MODEL, options, new Configuration(), SELF, 0, driver.endpoint(), own));
    }

    @AfterEach
    void end() {
        candidate.close();
        driver.close();
    }

    private void send(Address to, Message... messages) throws InterruptedException {
        driver.execute(() ->
                Stream.of(messages).forEach(message -> driver.send(new Envelope(Address.DRIVER, to, 1, message))));
    }

    private Message hear(Predicate<Message> which) throws InterruptedException {
        Message next;
        do {
            next = heard.poll(1, TimeUnit.MINUTES);
            assertThat(next).as("a message of the candidate").isNotNull();
        } while (!which.test(next));
        return next;
    }

    private <M extends Message> M hear(Class<M> type) throws InterruptedException {
        return type.cast(hear(type::isInstance));
    }

    /** Appoints the candidate as the only server; returns the view. */
    private View appoint(Start start, String folder) throws InterruptedException {
        View view = View.of(List.of(hear(Offer.class).endpoint()));
        send(SELF, new Appoint(0, view, start, folder, 1));
        return view;
    }

    private static boolean isHeartbeat(Message message, int epoch) {
        return message instanceof Fenced fenced && fenced.epoch() == epoch;
    }

    /** A message that does not fit into the driver's queue is dropped. */
    @Test
    void repeatsThatItHasNoStateUntilItIsReplaced(@TempDir Path empty) throws InterruptedException {
        View view = appoint(Start.CHECKPOINT, empty.toUri().toString());
        String why = hear(Failed.class).why();
        assertThat(why).startsWith("server 0 cannot restore a checkpoint: ");
        assertThat(hear(Failed.class).why()).isEqualTo(why);
        send(view.address(0), new Fence(view.without(0)));
        hear(Offer.class);
        heard.clear();
        appoint(Start.INITIAL, "");
        hear(message -> isHeartbeat(message, 1));
        assertThat(heard).noneMatch(Failed.class::isInstance);
    }

    /** No array is as long as this buffer for updates. */
    @Test
    void aServerWithoutMemoryForAStepAnswersNobody() throws InterruptedException {
        Address server = appoint(Start.INITIAL, "").address(0);
        hear(message -> isHeartbeat(message, 1));
        send(
                server,
                new LockRange(1, 0, 0, Integer.MAX_VALUE),
                new StepRange(1, Step.BUFFER),
                new PullRows(1, 0, new long[] {3}));
        assertThat(hear(Failed.class).why())
                .startsWith("server 0 cannot hold its part of the model (more servers, or more heap, may help): ");
        assertThat(hear(message -> !(message instanceof Fenced))).isInstanceOf(Failed.class);
    }

    private static long bytesOutsideTheHeap() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }

    /** All go back to a checkpoint. The next server needs the memory. */
    @Test
    void keepsNothingOfAServerThatHasWrittenACheckpoint(@TempDir Path folder) throws InterruptedException {
        View view = appoint(Start.INITIAL, "");
        Address server = view.address(0);
        hear(message -> isHeartbeat(message, 1));
        long full = bytesOutsideTheHeap();
        send(server, new Hold(1, List.of()));
        do {
            send(server, new Save(1, folder.toUri().toString()));
        } while (!(hear(message -> true) instanceof Saved));
        send(server, new Fence(view.rolledBack()));
        hear(Offer.class);
        while (bytesOutsideTheHeap() > full - BYTES / 2) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    private void write(Address server, Save save) throws InterruptedException {
        do {
            send(server, save);
        } while (!(hear(message -> true) instanceof Saved saved) || saved.number() != save.number());
        assertThat(saved.failure()).isEmpty();
    }

    /** It was repeated, and came after the next hold: the file would have the state of the next checkpoint. */
    @Test
    void aLateRequestDoesNotOverwriteTheCheckpointBefore(@TempDir Path folder) throws Exception {
        Address server = appoint(Start.INITIAL, "").address(0);
        hear(message -> isHeartbeat(message, 1));
        send(server, new Hold(1, List.of()));
        String name = folder.toUri().toString();
        write(server, new Save(1, name));
        write(server, new Save(2, name));
        Path part = folder.resolve("checkpoint-00000001/server-00000");
        Files.write(part, new byte[] {7});
        send(server, new Save(1, name));
        write(server, new Save(3, name));
        assertThat(part).hasBinaryContent(new byte[] {7});
    }
}
