/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.io.erasurecode.rawcoder;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.apache.hadoop.classification.InterfaceAudience;
import org.apache.hadoop.io.erasurecode.ECChunk;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;

/**
 * A decoder for HDFS that leaves the arithmetic to a function. Given the erased indexes, it returns a function of (all
 * units, null if not read; units to reconstruct, in the order of the erased indexes), which moves no position. Defined
 * by Hadoop's class loader: see the package.
 *
 * <p>Thread-safe. HDFS shares one decoder among all positional reads of an open file. The methods of the base class
 * hold its lock while they decode; these do not.
 */
@InterfaceAudience.Private
final class ParitasRawDecoder extends RawErasureDecoder {
    private final Function<int[], BiConsumer<ByteBuffer[], ByteBuffer[]>> code;
    private final boolean prefersDirect;

    ParitasRawDecoder(
            ErasureCoderOptions options,
            Function<int[], BiConsumer<ByteBuffer[], ByteBuffer[]>> code,
            boolean prefersDirect) {
        super(options);
        this.code = code;
        this.prefersDirect = prefersDirect;
    }

    @Override
    public boolean preferDirectBuffer() {
        return prefersDirect;
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // the point of this override
    public void decode(ByteBuffer[] inputs, int[] erasedIndexes, ByteBuffer[] outputs) throws IOException {
        ByteBufferDecodingState state = new ByteBufferDecodingState(this, inputs, erasedIndexes, outputs);
        if (state.decodeLength == 0) {
            return;
        }
        doDecode(state);
        for (ByteBuffer input : inputs) {
            if (input != null) {
                input.position(input.limit()); // consumed; all inputs are equally long
            }
        }
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized")
    public void decode(byte[][] inputs, int[] erasedIndexes, byte[][] outputs) throws IOException {
        ByteArrayDecodingState state = new ByteArrayDecodingState(this, inputs, erasedIndexes, outputs);
        if (state.decodeLength > 0) {
            doDecode(state);
        }
    }

    /** The form that clients of HDFS call. */
    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized")
    public void decode(ECChunk[] inputs, int[] erasedIndexes, ECChunk[] outputs) throws IOException {
        decode(CoderUtil.toBuffers(inputs), erasedIndexes, CoderUtil.toBuffers(outputs));
    }

    @Override
    protected void doDecode(ByteBufferDecodingState state) throws IOException {
        ParitasRawEncoder.run(code.apply(state.erasedIndexes), state.inputs, state.outputs);
    }

    @Override
    protected void doDecode(ByteArrayDecodingState state) throws IOException {
        ParitasRawEncoder.run(
                code.apply(state.erasedIndexes),
                wrap(state.inputs, state.inputOffsets, state.decodeLength),
                wrap(state.outputs, state.outputOffsets, state.decodeLength));
    }

    /** Views ranges of arrays as buffers; a null array stays null. */
    static ByteBuffer[] wrap(byte[][] arrays, int[] offsets, int length) {
        ByteBuffer[] buffers = new ByteBuffer[arrays.length];
        for (int i = 0; i < arrays.length; i++) {
            buffers[i] = arrays[i] == null ? null : ByteBuffer.wrap(arrays[i], offsets[i], length);
        }
        return buffers;
    }
}
