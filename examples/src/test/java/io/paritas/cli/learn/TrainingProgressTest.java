/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.train.Epoch;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TrainingProgressTest {
    private final StringWriter text = new StringWriter();
    private final AtomicLong seconds = new AtomicLong();

    /** Of a large network it takes an hour. */
    @Test
    void aLongEpochTellsItsBatchesOnceAMinute() {
        try (TrainingProgress progress = progress()) {
            progress.started("a training", 1, 0);
            for (int batch = 1; batch <= 130; batch++) {
                seconds.incrementAndGet();
                progress.batch(1, batch, 130, 0.5);
            }
            progress.epoch(new Epoch(1, 0.25, 0.75, 130), Optional.empty());
        }
        assertThat(text.toString().lines())
                .containsExactly(
                        "epoch 1/1, batch 60/130: loss 0.5000",
                        "epoch 1/1, batch 120/130: loss 0.5000",
                        "epoch 1/1: loss 0.2500, score 0.7500 in 130.0 s");
    }

    /** Trains for some of 30 epochs, each of one batch and 3 s. */
    private void trainOf30(TrainingProgress progress, int epochs) {
        progress.started("a training", 30, 0);
        for (int epoch = 1; epoch <= epochs; epoch++) {
            seconds.addAndGet(3);
            progress.batch(epoch, 1, 1, 0.5);
            progress.epoch(new Epoch(epoch, 0.25, 0.75, 3), Optional.empty());
        }
    }

    @Test
    void shortEpochsAreTold() {
        try (TrainingProgress progress = progress()) {
            trainOf30(progress, 30);
        }
        assertThat(text.toString().lines().map(line -> line.substring(0, line.indexOf(':'))))
                .as("every 10 s, and the last")
                .containsExactly(
                        "epoch 4/30",
                        "epoch 8/30",
                        "epoch 12/30",
                        "epoch 16/30",
                        "epoch 20/30",
                        "epoch 24/30",
                        "epoch 28/30",
                        "epoch 30/30");
    }

    /** A line of a batch just before its end takes nothing from an epoch: only its own line has the score. */
    @Test
    void eachEpochOfAMinuteIsTold() {
        try (TrainingProgress progress = progress()) {
            progress.started("a training", 5, 0);
            for (int epoch = 1; epoch <= 5; epoch++) {
                for (int batch = 1; batch <= 62; batch++) {
                    seconds.incrementAndGet();
                    progress.batch(epoch, batch, 62, 0.5);
                }
                progress.epoch(new Epoch(epoch, 0.25, 0.75, 62), Optional.empty());
            }
        }
        assertThat(text.toString().lines().filter(line -> line.contains("score")))
                .hasSize(5);
    }

    @Test
    void theLastEpochIsToldOfATrainingThatStopsEarly() {
        try (TrainingProgress progress = progress()) {
            trainOf30(progress, 6);
        }
        assertThat(text.toString().lines())
                .containsExactly(
                        "epoch 4/30: loss 0.2500, score 0.7500 in 3.0 s",
                        "epoch 6/30: loss 0.2500, score 0.7500 in 3.0 s");
    }

    private TrainingProgress progress() {
        return new TrainingProgress(new PrintWriter(text), () -> TimeUnit.SECONDS.toNanos(seconds.get()));
    }
}
