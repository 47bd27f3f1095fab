/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.bench;

import io.paritas.erasure.CodeParameters;
import java.util.Arrays;
import java.util.Random;

/**
 * One stripe to measure on.
 *
 * @param units all n units, data first
 * @param outputs r further units, for what is decoded
 */
record Stripe(CodeParameters code, byte[][] units, byte[][] outputs) {
    static Stripe random(CodeParameters code, int unitLength) {
        byte[][] units = new byte[code.n()][unitLength];
        Random random = new Random(1);
        Arrays.stream(units).forEach(random::nextBytes);
        return new Stripe(code, units, new byte[code.r()][unitLength]);
    }

    byte[][] data() {
        return Arrays.copyOf(units, code.k());
    }

    byte[][] parity() {
        return Arrays.copyOfRange(units, code.k(), code.n());
    }

    /** Bytes of data: k units, whatever is computed of them. */
    long dataBytes() {
        return (long) code.k() * units[0].length;
    }

    /** What the operation writes. */
    byte[][] written(Operation operation) {
        return operation == Operation.ENCODE ? parity() : Arrays.copyOf(outputs, operation.erased(code.r()));
    }

    /** What it must write there, of a stripe that is encoded: a copy. */
    byte[][] expected(Operation operation) {
        byte[][] source = operation == Operation.ENCODE ? parity() : Arrays.copyOf(units, operation.erased(code.r()));
        return Arrays.stream(source).map(byte[]::clone).toArray(byte[][]::new);
    }
}
