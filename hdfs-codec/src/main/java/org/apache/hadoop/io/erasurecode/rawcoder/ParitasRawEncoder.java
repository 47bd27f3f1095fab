/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.io.erasurecode.rawcoder;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.function.BiConsumer;
import org.apache.hadoop.classification.InterfaceAudience;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;

/**
 * An encoder for HDFS that leaves the arithmetic to a function of (data units, parity units), which moves no position.
 * Defined by Hadoop's class loader: see the package. Thread-safe.
 */
@InterfaceAudience.Private
final class ParitasRawEncoder extends RawErasureEncoder {
    private final BiConsumer<ByteBuffer[], ByteBuffer[]> code;
    private final boolean prefersDirect;

    ParitasRawEncoder(ErasureCoderOptions options, BiConsumer<ByteBuffer[], ByteBuffer[]> code, boolean prefersDirect) {
        super(options);
        this.code = code;
        this.prefersDirect = prefersDirect;
    }

    @Override
    public boolean preferDirectBuffer() {
        return prefersDirect;
    }

    @Override
    protected void doEncode(ByteBufferEncodingState state) throws IOException {
        run(code, state.inputs, state.outputs);
    }

    @Override
    protected void doEncode(ByteArrayEncodingState state) throws IOException {
        run(
                code,
                ParitasRawDecoder.wrap(state.inputs, state.inputOffsets, state.encodeLength),
                ParitasRawDecoder.wrap(state.outputs, state.outputOffsets, state.encodeLength));
    }

    /** @throws IOException if the kernel detects that its result is wrong */
    static void run(BiConsumer<ByteBuffer[], ByteBuffer[]> code, ByteBuffer[] inputs, ByteBuffer[] outputs)
            throws IOException {
        try {
            code.accept(inputs, outputs);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
