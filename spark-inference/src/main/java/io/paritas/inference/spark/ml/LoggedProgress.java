/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.ml;

import io.paritas.inference.train.Epoch;
import io.paritas.inference.train.Progress;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs every epoch, because training occupies the driver for long. */
final class LoggedProgress implements Progress {
    private static final Logger LOG = LoggerFactory.getLogger(LoggedProgress.class);

    private final String stage;
    private int epochs;

    /** @param stage uid of the estimator */
    LoggedProgress(String stage) {
        this.stage = stage;
    }

    @Override
    public void started(String what, int count, int resumedAfter) {
        epochs = count;
        log("%s trains %s%s", stage, what, resumedAfter > 0 ? ", going on after epoch " + resumedAfter : "");
    }

    @Override
    public void epoch(Epoch epoch, Optional<Epoch> best) {
        log(
                "%s: epoch %d of %d: loss %.4g, score %.4f in %.1f s%s",
                stage,
                epoch.number(),
                epochs,
                epoch.loss(),
                epoch.score(),
                epoch.seconds(),
                best.map(it -> String.format(Locale.ROOT, "; best %.4f in epoch %d", it.score(), it.number()))
                        .orElse(""));
    }

    private static void log(String format, Object... values) {
        if (LOG.isInfoEnabled()) {
            LOG.info("Paritas: {}", String.format(Locale.ROOT, format, values));
        }
    }
}
