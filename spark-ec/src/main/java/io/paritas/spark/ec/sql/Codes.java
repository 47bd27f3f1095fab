/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.sql;

import io.paritas.erasure.CodeName;
import io.paritas.erasure.ErasureCode;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The codes of this JVM. Thread-safe. */
final class Codes {
    /** Tasks deserialise their expressions, and none of them has to compile a code's kernels again. */
    private static final Map<CodeName, ErasureCode> CODES = new ConcurrentHashMap<>();

    private Codes() {}

    static ErasureCode get(CodeName name) {
        return CODES.computeIfAbsent(name, CodeName::erasureCode);
    }
}
