/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.settings;

import io.paritas.PublicApi;

/** What is logged about plans. */
@PublicApi
public enum Explain {
    /** Nothing. */
    NONE,
    /** Why a plan is not coded. */
    UNCODED,
    /** Also how a plan is coded. */
    ALL
}
