/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.bench;

import io.paritas.erasure.CodeParameters;

/** An operation that coders are measured at. */
enum Operation {
    ENCODE("encode"),
    DECODE_ONE("decode 1 data unit"),
    DECODE_ALL("decode r data units");

    final String title;

    Operation(String title) {
        this.title = title;
    }

    /** Returns how many data units, the first ones, are lost. */
    int erased(CodeParameters code) {
        return switch (this) {
            case ENCODE -> 0;
            case DECODE_ONE -> 1;
            case DECODE_ALL -> Math.min(code.k(), code.r());
        };
    }
}
