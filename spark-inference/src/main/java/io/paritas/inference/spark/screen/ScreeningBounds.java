/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import io.paritas.inference.parity.PredictionCode;
import io.paritas.inference.parity.ResidualBound;
import io.paritas.inference.parity.ResidualDistribution;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.SparkConf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What an application compares, and how far sound predictions may be apart. */
public final class ScreeningBounds {
    private static final Logger LOG = LoggerFactory.getLogger(ScreeningBounds.class);
    private static final Set<String> WARNED = ConcurrentHashMap.newKeySet();

    private ScreeningBounds() {}

    /** How far answers to an image in two places of a stack may be apart; infinite if they are not compared. */
    public static double agreement(Optional<ResidualDistribution> turns, SparkConf conf) {
        ScreenSettings settings = ScreenSettings.of(conf);
        return settings.mode().folds() && turns.isPresent()
                ? turns.get().threshold(settings.falseAlarms())
                : Double.POSITIVE_INFINITY;
    }

    /** The bound of a model's groups; {@link ResidualBound#NONE} if they are not compared, or nobody has calibrated them. */
    public static ResidualBound bound(PredictionCode parity, SparkConf conf) {
        ScreenSettings settings = ScreenSettings.of(conf);
        if (!settings.mode().residuals()) {
            return ResidualBound.NONE;
        }
        ResidualBound bound = parity.residualBound(settings.falseAlarms());
        if (!bound.isKnown() && WARNED.add(parity.bundle().deployedSha256())) {
            LOG.warn(
                    "Paritas: the parity models of the model with SHA-256 {} were not calibrated, so that their groups are not"
                            + " compared. Run paritas train calibrate",
                    parity.bundle().deployedSha256());
        }
        return bound;
    }
}
