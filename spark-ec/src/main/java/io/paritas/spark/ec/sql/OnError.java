/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.sql;

import io.paritas.spark.ec.EcSetting;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** What a row does that cannot be computed. */
enum OnError {
    /** It fails its task, and the job when that happens again. */
    FAIL,
    /** Its result is null. */
    NULL;

    /** The one with that name; case does not matter. */
    static Optional<OnError> named(String name) {
        return Arrays.stream(values())
                .filter(constant -> constant.name().equalsIgnoreCase(name.trim()))
                .findFirst();
    }

    /** All names, for messages. */
    static String names() {
        return Arrays.stream(values())
                .map(constant -> constant.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(", "));
    }

    /**
     * The result of a row that cannot be computed.
     *
     * @return null
     * @throws IllegalArgumentException if such rows fail
     */
    <T> T result(Signature function, IllegalArgumentException reason) {
        if (this == FAIL) {
            throw new IllegalArgumentException(
                    function.function() + " cannot compute a row: " + reason.getMessage() + "; SET "
                            + EcSetting.ON_ERROR.key() + "=null gives NULL for such rows",
                    reason);
        }
        return null;
    }
}
