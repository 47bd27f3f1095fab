/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.screen.RecentBatches.Kept;
import io.paritas.inference.screen.RecentBatches.Place;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RecentBatchesTest {
    private final RecentBatches recent = new RecentBatches(100);

    /** Three rows, of two inputs and one output. */
    private static Kept batch(int number, long bytes) {
        return new Kept("sha options", 3, bytes, () -> new float[] {number, 0, number, 1, number, 2}, new float[] {
            number, number + 1, number + 2
        });
    }

    @Test
    void suspectRowsOfAGroupAreFound() {
        recent.add(new Place(7, 1, 0), batch(10, 30));
        recent.add(new Place(7, 1, 2), batch(20, 30));
        recent.add(new Place(7, 2, 0), batch(30, 30));

        List<Sample> samples = recent.of(new Suspect(7, 1, List.of(2, 0, 5)));

        assertThat(samples).hasSize(2);
        Sample second = samples.get(1);
        assertThat(second.inputs()).containsExactly(20, 2, 20, 0);
        assertThat(second.outputs()).containsExactly(22, 20);
        assertThat(second.rows()).isEqualTo(2);
        assertThat(second.whole()).isFalse();
        assertThat(second.reason()).isEqualTo(Reason.RESIDUAL);
        assertThat(recent.of(new Suspect(8, 1, List.of(0)))).isEmpty();
        assertThat(recent.of(new Suspect(7, 2, List.of(3)))).isEmpty();
    }

    @Test
    void theOldestAreForgottenWhereThereIsNoRoom() {
        recent.add(new Place(7, 1, 0), batch(10, 60));
        recent.add(new Place(7, 2, 0), batch(20, 60));
        recent.add(new Place(7, 3, 0), batch(30, 40));

        assertThat(recent.of(new Suspect(7, 1, List.of(0)))).isEmpty();
        assertThat(recent.of(new Suspect(7, 2, List.of(0)))).hasSize(1);
        assertThat(recent.of(new Suspect(7, 3, List.of(0)))).hasSize(1);

        recent.add(new Place(7, 3, 0), batch(40, 200));

        assertThat(recent.of(new Suspect(7, 3, List.of(0)))).isEmpty();
        recent.add(new Place(7, 4, 0), batch(50, 100));
        assertThat(recent.of(new Suspect(7, 4, List.of(0)))).hasSize(1);
    }

    @Test
    void comparisonsAreCountedUntilTheyAreTaken() {
        IntStream.range(0, 100).forEach(group -> recent.compared(10, 3, List.of(new Suspect(1, group, List.of(0, 1)))));

        RecentBatches.Compared compared = recent.take();

        assertThat(compared.groups()).isEqualTo(1000);
        assertThat(compared.batches()).isEqualTo(300);
        assertThat(compared.found()).isEqualTo(200);
        assertThat(compared.suspects()).hasSize(64);
        assertThat(recent.take()).isEqualTo(new RecentBatches.Compared(0, 0, 0, List.of()));
    }

    @Test
    void ofManySuspectRowsAFewAreAudited() {
        recent.compared(10, 3, List.of(new Suspect(1, 2, List.of(9, 8, 7, 6, 5))));

        RecentBatches.Compared compared = recent.take();

        assertThat(compared.found()).isEqualTo(5);
        assertThat(compared.suspects()).containsExactly(new Suspect(1, 2, List.of(9, 8, 7, 6)));
    }

    @Test
    void nothingIsRememberedWithoutRoom() {
        assertThat(Screens.current().recent().isOn()).isFalse();
        assertThat(recent.isOn()).isTrue();
    }
}
