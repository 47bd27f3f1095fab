/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.screen.Jury;
import io.paritas.inference.screen.LayerScreen;
import io.paritas.inference.screen.Reason;
import io.paritas.inference.screen.RecentBatches;
import io.paritas.inference.screen.Sample;
import io.paritas.inference.screen.Suspect;
import io.paritas.inference.spark.screen.ScreenMessage.Compared;
import io.paritas.inference.spark.screen.ScreenMessage.Predicted;
import io.paritas.inference.spark.screen.ScreenMessage.Speaker;
import io.paritas.inference.spark.screen.ScreenMessage.Work;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ScreenMessageTest {
    private static final Speaker SELF = new Speaker("3", "host", "cpu", "");
    private static final List<Suspect> SUSPECTS =
            List.of(new Suspect(7, -9_000_000_000L, List.of(1, 5)), new Suspect(8, 2, List.of(0)));

    @Test
    void whatWasComparedCrosses() {
        Compared compared = new Compared(SELF, new RecentBatches.Compared(100, 9, 3, SUSPECTS));

        assertThat(ScreenMessage.decode(compared.encode())).isEqualTo(compared);
    }

    @Test
    void wrongLayersCross() {
        ScreenMessage.Layers layers =
                new ScreenMessage.Layers(SELF, new LayerScreen.WrongBatch("model", 4, List.of("Conv a", "Gemm b")));

        assertThat(ScreenMessage.decode(layers.encode())).isEqualTo(layers);
    }

    @Test
    void checkedStacksCross() {
        ScreenMessage.Next next = new ScreenMessage.Next(SELF, 12);

        assertThat(ScreenMessage.decode(next.encode())).isEqualTo(next);
    }

    @Test
    void anAnswerCrossesWithTheGpuThatPredicted() {
        Speaker onGpu = new Speaker("3", "host", "NVIDIA H100", "GPU-8b1f");
        ScreenMessage.Answer answer = new ScreenMessage.Answer(onGpu, 7, "model", Optional.empty());

        assertThat(ScreenMessage.decode(answer.encode())).isEqualTo(answer);
    }

    @Test
    void whyABatchIsAuditedCrosses() {
        Sample sample = new Sample("model", 1, false, 1, new float[] {1}, new float[] {2}, Reason.RESIDUAL);

        assertThat(((Predicted) ScreenMessage.decode(new Predicted(SELF, sample).encode())).sample())
                .isEqualTo(sample);
    }

    @Test
    void suspectsCrossWithAndWithoutAQuestion() {
        Work idle = new Work(0.5, SUSPECTS, Optional.empty());
        Work busy = new Work(0, List.of(), Optional.of(new Jury.Question(4, "model", 2, 1, new float[] {1})));

        assertThat(Work.decode(idle.encode())).isEqualTo(idle);
        assertThat(Work.decode(busy.encode())).isEqualTo(busy);
    }

    @Test
    void othersAreRefused() {
        assertThatThrownBy(() -> ScreenMessage.decode(new Object[] {"hello", new String[] {"1", "host", "cpu", ""}}))
                .hasMessage(
                        "a message of screening must begin with sample, next, answer, compared or layers, got hello: use"
                                + " one version of Paritas on the driver and all executors");
        assertThatThrownBy(() -> ScreenMessage.decode(new Object[] {ScreenMessage.NEXT, "1", "host", "cpu", 7L}))
                .hasMessage(
                        "a message of screening must say which executor, host, platform and GPUs it is from, got 1: use"
                                + " one version of Paritas on the driver and all executors");
    }

    @Test
    void everyExecutorSeesASuspectOnce() {
        Suspects suspects = new Suspects();
        suspects.add(SUSPECTS);

        assertThat(suspects.unseen("1")).isEqualTo(SUSPECTS);
        assertThat(suspects.unseen("1")).isEmpty();
        suspects.add(List.of(new Suspect(9, 9, List.of(9))));
        assertThat(suspects.unseen("1")).containsExactly(new Suspect(9, 9, List.of(9)));
        assertThat(suspects.unseen("2")).hasSize(3);
        suspects.add(LongStream.range(0, 1000)
                .mapToObj(group -> new Suspect(10, group, List.of(0)))
                .toList());
        assertThat(suspects.unseen("1")).hasSize(256).last().isEqualTo(new Suspect(10, 999, List.of(0)));
    }
}
