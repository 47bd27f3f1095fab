/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.bench;

import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.ErasureCode;
import io.paritas.erasure.Matrix;
import io.paritas.erasure.SystematicCode;
import io.paritas.erasure.kernel.KernelChoice;
import io.paritas.erasure.kernel.Regions;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.Stream;

/**
 * An encoded stripe to measure on.
 *
 * @param units all n units, data first
 * @param outputs r further units for decoding
 */
record Stripe(Shape shape, ByteBuffer[] units, ByteBuffer[] outputs) {
    /** Creates random data, and its parity by the plain kernel. */
    static Stripe random(Shape shape, Matrix generator, IntFunction<ByteBuffer> allocate) {
        return random(
                shape, ErasureCode.of(generator, KernelChoice.named("plain").provider()), allocate);
    }

    /** Creates random data, and its parity by a code. */
    static Stripe random(Shape shape, SystematicCode reference, IntFunction<ByteBuffer> allocate) {
        CodeParameters code = shape.code();
        ByteBuffer[] units = allocate(code.n(), shape.unitLength(), allocate);
        Random random = new Random(1);
        byte[] content = new byte[shape.unitLength()];
        for (ByteBuffer unit : Arrays.copyOf(units, code.k())) {
            random.nextBytes(content);
            unit.put(0, content);
        }
        Stripe stripe = new Stripe(shape, units, allocate(code.r(), shape.unitLength(), allocate));
        reference.encode(Regions.of(stripe.data()), Regions.of(stripe.parity()));
        return stripe;
    }

    private static ByteBuffer[] allocate(int count, int length, IntFunction<ByteBuffer> allocate) {
        return Stream.generate(() -> allocate.apply(length)).limit(count).toArray(ByteBuffer[]::new);
    }

    ByteBuffer[] data() {
        return Arrays.copyOf(units, shape.code().k());
    }

    ByteBuffer[] parity() {
        return Arrays.copyOfRange(units, shape.code().k(), shape.code().n());
    }

    /** Returns the units that the operation writes. */
    ByteBuffer[] written(Operation operation) {
        return operation == Operation.ENCODE ? parity() : Arrays.copyOf(outputs, operation.erased(shape.code()));
    }

    /** Returns a copy of the expected result. */
    ByteBuffer[] expected(Operation operation) {
        ByteBuffer[] source =
                operation == Operation.ENCODE ? parity() : Arrays.copyOf(units, operation.erased(shape.code()));
        return Arrays.stream(source)
                .map(unit -> ByteBuffer.allocate(unit.capacity()).put(0, unit, 0, unit.capacity()))
                .toArray(ByteBuffer[]::new);
    }

    /** Returns the arrays of buffers on the heap. */
    static byte[][] arrays(ByteBuffer... buffers) {
        return Arrays.stream(buffers).map(ByteBuffer::array).toArray(byte[][]::new);
    }
}
