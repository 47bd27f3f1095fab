/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.ml;

import io.paritas.inference.train.Epoch;
import io.paritas.inference.train.Progress;
import java.util.Locale;

/** Logs every epoch: a training holds the driver for long. */
final class LoggedProgress implements Progress {
    private static final System.Logger LOG = System.getLogger(LoggedProgress.class.getName());

    private final String stage;
    private int epochs;
    private Epoch best;

    /** @param stage the uid of what trains */
    LoggedProgress(String stage) {
        this.stage = stage;
    }

    @Override
    public void started(String what, int count, int resumedAfter) {
        epochs = count;
        best = null;
        log("%s trains %s%s", stage, what, resumedAfter > 0 ? ", going on after epoch " + resumedAfter : "");
    }

    @Override
    public void epoch(Epoch epoch, boolean isBest) {
        best = isBest ? epoch : best;
        log(
                "%s: epoch %d of %d: loss %.4g, score %.4f in %.1f s%s",
                stage,
                epoch.number(),
                epochs,
                epoch.loss(),
                epoch.score(),
                epoch.seconds(),
                best == null ? "" : String.format(Locale.ROOT, "; best %.4f in epoch %d", best.score(), best.number()));
    }

    private static void log(String format, Object... values) {
        LOG.log(System.Logger.Level.INFO, () -> "Paritas: " + String.format(Locale.ROOT, format, values));
    }
}
