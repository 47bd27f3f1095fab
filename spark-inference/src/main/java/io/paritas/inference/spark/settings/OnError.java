/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.settings;

import io.paritas.PublicApi;

/** What happens to a row that cannot be predicted. */
@PublicApi
public enum OnError {
    /** It fails its task, and the job if that happens again. */
    FAIL,
    /** Its prediction is null. */
    NULL,
    /** Its prediction is null, and the field {@code error} says why. */
    COLUMN
}
