/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import io.paritas.erasure.CodeName;
import io.paritas.erasure.ErasureCode;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The codes of this JVM, with the plans that its tasks have made so far. Thread-safe. */
final class Codes {
    private static final Map<CodeName, ErasureCode> CODES = new ConcurrentHashMap<>();

    private Codes() {}

    static ErasureCode of(CodeName name) {
        return CODES.computeIfAbsent(name, CodeName::erasureCode);
    }
}
