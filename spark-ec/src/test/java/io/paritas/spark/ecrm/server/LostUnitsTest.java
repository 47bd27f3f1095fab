/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ecrm.placement.StripePlacement;
import io.paritas.spark.ecrm.protocol.Codec;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.protocol.ViewMessage.Recovered;
import io.paritas.spark.ecrm.table.Initializer;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import io.paritas.spark.ecrm.table.TableSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LostUnitsTest {
    @Test
    void eachUnitIsLostOnce() {
        StripePlacement placement = new StripePlacement(4, 2, 1);
        LostUnits lost = new LostUnits(placement, 1, 40);
        assertThat(lost.has(0)).isFalse();
        int added = 0;
        for (long stripe = 0; stripe < 40; stripe += 3) {
            if (placement.unitOn(1, stripe) >= 0) {
                lost.add(stripe);
                lost.add(stripe);
                added++;
            }
        }
        assertThat(lost.count()).isEqualTo(added);
        for (long stripe = 0; stripe < 40; stripe++) {
            assertThat(lost.has(stripe)).isEqualTo(stripe % 3 == 0 && placement.unitOn(1, stripe) >= 0);
        }
        lost.addAll();
        assertThat(lost.count()).isEqualTo(30);
        assertThat(lost.stripes()).hasSize(30).isSorted();
    }

    /** It would need megabytes for the numbers, again and again until the driver answers. */
    @Test
    void aReplacementThatLacksAllTellsSoInAShortMessage() {
        ModelSpec model = new ModelSpec(
                2,
                Redundancy.none(),
                List.of(new TableSpec(200_000, 2, new Optimizer.Sgd(1), new Initializer(3, -1, 1))),
                List.of());
        View view = View.of(List.of("", "")).without(0).with(0, "");
        List<Envelope> sent = new ArrayList<>();
        ShardServer server = new ShardServer(
                model, view.address(0), view, Timing.DEFAULT, RecoveryPace.DEFAULT, Optional.empty(), sent::add);
        server.start(0);
        server.tick(1000);
        assertThat(server.hasLost()).isTrue();
        assertThat(server.lostStripes(0)).hasSize(100_000);
        List<Envelope> reports = sent.stream()
                .filter(envelope -> envelope.message() instanceof Recovered)
                .toList();
        assertThat(reports)
                .isNotEmpty()
                .allMatch(report -> Codec.encode(report).remaining() < 100)
                .allMatch(report -> ((Recovered) report.message()).hasLost());
    }
}
