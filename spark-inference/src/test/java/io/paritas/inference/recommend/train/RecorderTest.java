/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.recommend.train.TrainingCurve.Point;
import io.paritas.spark.ecrm.host.ServerState;
import io.paritas.spark.ecrm.protocol.Iteration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RecorderTest {
    private static final long SECOND = 1_000_000_000;

    private final Recorder recorder = new Recorder(3, 2 * SECOND);

    private static Iteration iteration(int number, float loss, long commitMillis) {
        return new Iteration(
                number, 100, loss, 1 + number % 2, 3_000_000, 1_000_000, commitMillis * 1_000_000, new int[] {10, 20, 30
                });
    }

    @Test
    void aCurveHasAPointForEachInterval() {
        recorder.add(iteration(0, 4, 5), SECOND);
        recorder.add(iteration(1, 2, 5), 3 * SECOND / 2);
        recorder.event(TrainingEvent.Kind.SERVER_LOST, "server \"2\" is lost", 5 * SECOND);
        recorder.add(iteration(2, 1, 5), 7 * SECOND);
        assertThat(recorder.endIntervals(8 * SECOND)).isEqualTo(4);
        TrainingCurve curve = recorder.curve();
        assertThat(curve.points())
                .containsExactly(
                        new Point(2, 200, 3, 100),
                        new Point(4, 200, Double.NaN, 0),
                        new Point(6, 200, Double.NaN, 0),
                        new Point(8, 300, 1, 50));
        assertThat(curve.losses())
                .as("losses, with four bytes each")
                .isInstanceOf(FloatList.class)
                .containsExactly(4f, 2f, 1f);
        assertThat(curve.toCsv()).isEqualTo("""
                seconds,samples,loss,samples_per_second,event
                2.000,200,3.000000,100.0,
                4.000,200,,0.0,
                5.000,,,,"server ""2"" is lost"
                6.000,200,,0.0,
                8.000,300,1.000000,50.0,
                """);
    }

    /** As errors of HDFS, which have a stack trace. */
    @Test
    void anEventOfSeveralLinesIsOneOfTheCurve() {
        recorder.event(
                TrainingEvent.Kind.CHECKPOINT_FAILED, "no checkpoint: safe mode\n\tat a.B\r\n\tat c.D\n", SECOND);
        assertThat(recorder.curve().toCsv()).endsWith("event\n1.000,,,,\"no checkpoint: safe mode at a.B at c.D \"\n");
    }

    @Test
    void progressHasTheLastLossThatThereWas() {
        ServerState healthy = new ServerState(List.of("0"), List.of(), 0, 0, true, 1);
        assertThat(recorder.progress(healthy)).isEqualTo(new TrainingProgress(0, 0, Double.NaN, 0, healthy));
        recorder.add(iteration(0, 0.5f, 5), SECOND);
        recorder.endIntervals(5 * SECOND);
        assertThat(recorder.progress(new ServerState(List.of("0"), List.of(), 0, 0, false, 0.4399)))
                .hasToString("4 s: 100 samples, loss 0.5000, 0 samples/s, a server is being recovered: 43 %");
    }

    @Test
    void figuresAreThoseOfAllIterations() {
        LongStream.rangeClosed(1, 100).forEach(i -> recorder.add(iteration((int) i, 1, i), SECOND + i * 100_000_000));
        TrainingMetrics metrics = recorder.metrics(8, 1, 4);
        assertThat(metrics.samples()).isEqualTo(10_000);
        assertThat(metrics.batches()).isEqualTo(100);
        assertThat(metrics.seconds()).isEqualTo(9.905);
        assertThat(metrics.batch().pullMillis()).isEqualTo(3);
        assertThat(metrics.batch().computeMillis()).isEqualTo(1);
        assertThat(metrics.batch().commitMedianMillis()).isEqualTo(50);
        assertThat(metrics.batch().commit99Millis()).isEqualTo(99);
        assertThat(metrics.batch().triesPerCommit()).isEqualTo(1.5);
        assertThat(metrics.servers().parityBytes()).as("of half of the updates").isEqualTo(3000 * 8);
        assertThat(metrics.servers().updated()).containsExactly(1000L, 2000L, 3000L);
        assertThat(metrics.servers().imbalance()).isEqualTo(3);
        assertThat(metrics).asString().startsWith("10000 samples in 100 batches in 9.9 s: 1010 samples/s");
    }

    @Test
    void figuresOfNoBatchAreNotShown() {
        assertThat(recorder.metrics(8, 1, 0)).hasToString("no batch was left to train");
    }

    @Test
    void whatThereIsNoneOfIsNoNumber() {
        assertThat(new Floats().quantile(0.5)).isNaN();
    }
}
