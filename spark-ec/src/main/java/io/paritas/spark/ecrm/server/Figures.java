/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

/**
 * What one server has done since it began, and what it lacks.
 *
 * @param updatedRows how often a row of it was updated
 * @param parityBytes of differences that it added to its parities, of rows and states
 * @param recoveredUnits rows and parities that it decoded from those of others
 * @param missingUnits those that it does not have yet, or has lost
 */
public record Figures(long updatedRows, long parityBytes, long recoveredUnits, long missingUnits) {
    public static final Figures NONE = new Figures(0, 0, 0, 0);

    Figures plus(Figures other) {
        return new Figures(
                updatedRows + other.updatedRows,
                parityBytes + other.parityBytes,
                recoveredUnits + other.recoveredUnits,
                missingUnits + other.missingUnits);
    }
}
