/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import io.paritas.inference.screen.Difference;
import io.paritas.inference.screen.Ledger;
import io.paritas.inference.screen.Suspicion;
import io.paritas.inference.screen.Verdict;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A batch that an executor predicted wrongly.
 *
 * @param time when it was found
 * @param gpus the GPUs that predicted it; empty if none did
 * @param layers the layers that were wrong, if checks of layers found it
 * @param obstacle why the executor ought to be ended, and is not
 */
record Finding(
        Instant time,
        String executor,
        String gpus,
        Ledger.Entry entry,
        Verdict verdict,
        Difference difference,
        List<String> layers,
        Optional<String> obstacle) {

    /** What the executor is called: faulty only if nothing keeps it. */
    Suspicion suspicion() {
        return obstacle.isPresent() ? Suspicion.SUSPECT : entry.suspicion();
    }
}
