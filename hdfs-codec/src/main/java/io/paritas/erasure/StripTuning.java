/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import io.paritas.erasure.kernel.xor.StripSchedules;

/** What a {@link io.paritas.erasure.kernel.Tuner} measures of a {@link StripCode}, in the layout of whole strips. */
public final class StripTuning {
    private StripTuning() {}

    /** The schedules of encoding. */
    public static StripSchedules encoding(StripCode code) {
        return code.schedules(code.generator());
    }

    /** The schedules of reconstructing these units of the others. */
    public static StripSchedules decoding(StripCode code, Erasures missing) {
        return code.schedules(code.repairMatrix(missing));
    }
}
