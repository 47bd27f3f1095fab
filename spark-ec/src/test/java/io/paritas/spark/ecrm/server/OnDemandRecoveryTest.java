/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.Message;
import io.paritas.spark.ecrm.protocol.ReadMessage.Parameters;
import io.paritas.spark.ecrm.protocol.ReadMessage.PullRows;
import io.paritas.spark.ecrm.protocol.ReadMessage.ReadUnits;
import io.paritas.spark.ecrm.protocol.ReadMessage.Units;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fence;
import io.paritas.spark.ecrm.table.Initializer;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import io.paritas.spark.ecrm.table.TableSpec;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A replacement alone; the test plays all others. */
class OnDemandRecoveryTest {
    private static final int WIDTH = 300_000;
    private static final int ROWS = 60;
    private static final ModelSpec MODEL = new ModelSpec(
            5,
            Redundancy.coded(3),
            List.of(new TableSpec(ROWS, WIDTH, new Optimizer.Sgd(1), new Initializer(0, 0, 0))),
            List.of());
    private static final View VIEW =
            View.of(Collections.nCopies(5, "")).without(0).with(0, "");
    private static final Address WORKER = Address.worker(7);

    private final Deque<Envelope> sent = new ArrayDeque<>();
    private final ShardServer replacement = new ShardServer(
            MODEL, VIEW.address(0), VIEW, Timing.DEFAULT, RecoveryPace.DEFAULT, Optional.empty(), sent::add);

    private void hears(Address from, Message message) {
        replacement.receive(new Envelope(from, VIEW.address(0), VIEW.epoch(), message), 0);
    }

    /** The others have what they answer in memory, all at the same time. */
    @Test
    void whatALargePullWaitsForIsReadInParts() {
        replacement.start(0);
        hears(
                WORKER,
                new PullRows(
                        1,
                        0,
                        LongStream.range(0, ROWS)
                                .filter(row -> MODEL.stripes().owner(row) == 0)
                                .toArray()));
        Map<Address, Integer> open = new HashMap<>();
        int answers = 0;
        while (!sent.isEmpty()) {
            List<Envelope> questions = List.copyOf(sent);
            sent.clear();
            open.clear();
            for (Envelope question : questions) {
                if (question.message() instanceof ReadUnits read) {
                    assertThat(read.stripes()).as("4 MiB").hasSizeLessThanOrEqualTo(3);
                    assertThat(open.merge(question.to(), 1, Integer::sum))
                            .as("reads at a time")
                            .isLessThanOrEqualTo(2);
                    hears(
                            question.to(),
                            new Units(read.request(), new long[0], new int[read.stripes().length * (3 + WIDTH)]));
                } else if (question.message() instanceof Parameters parameters) {
                    assertThat(parameters.values()).hasSize(ROWS / 5 * WIDTH).containsOnly(0);
                    answers++;
                }
            }
        }
        assertThat(answers).isEqualTo(1);
    }

    /** What it has asked a server that fails is asked others. */
    @Test
    void aPullIsAnsweredThoughAServerFailsThatWasAsked() {
        ModelSpec model = new ModelSpec(
                5,
                Redundancy.coded(2, 2),
                List.of(new TableSpec(20, 1, new Optimizer.Sgd(1), new Initializer(0, 0, 0))),
                List.of());
        ShardServer server = new ShardServer(
                model, VIEW.address(0), VIEW, Timing.DEFAULT, RecoveryPace.DEFAULT, Optional.empty(), sent::add);
        long row = LongStream.range(0, 20)
                .filter(each -> model.stripes().owner(each) == 0)
                .findFirst()
                .orElseThrow();
        server.start(0);
        server.receive(new Envelope(WORKER, VIEW.address(0), VIEW.epoch(), new PullRows(1, 0, new long[] {row})), 0);
        List<Envelope> asked = reads();
        assertThat(asked).hasSize(3);
        sent.clear();

        View newer = VIEW.without(asked.get(0).to().id());
        server.receive(new Envelope(Address.DRIVER, VIEW.address(0), newer.epoch(), new Fence(newer)), 0);
        List<Envelope> again = reads();
        assertThat(again)
                .extracting(Envelope::to)
                .hasSize(2)
                .doesNotContain(asked.get(0).to())
                .allMatch(newer::has);
        again.forEach(envelope -> server.receive(
                new Envelope(
                        envelope.to(),
                        VIEW.address(0),
                        newer.epoch(),
                        new Units(((ReadUnits) envelope.message()).request(), new long[0], new int[2 + 2])),
                0));

        assertThat(sent).extracting(Envelope::message).anySatisfy(answer -> assertThat(answer)
                .isInstanceOf(Parameters.class));
    }

    private List<Envelope> reads() {
        return sent.stream()
                .filter(envelope -> envelope.message() instanceof ReadUnits)
                .toList();
    }
}
