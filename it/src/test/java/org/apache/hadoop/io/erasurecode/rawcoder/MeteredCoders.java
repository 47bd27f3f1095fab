/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.io.erasurecode.rawcoder;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;

/**
 * The raw coders of another factory, with a meter: the processor time of the threads that call them, while they do. For
 * benchmarks. In this package because the methods of raw coders have parameters that are private to it.
 */
public final class MeteredCoders implements RawErasureCoderFactory {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final RawErasureCoderFactory factory;
    private final LongAdder nanos = new LongAdder();
    private final LongAdder calls = new LongAdder();
    private final LongAdder directCalls = new LongAdder();

    public MeteredCoders(RawErasureCoderFactory factory) {
        this.factory = factory;
    }

    /** Processor time of all calls so far, in nanoseconds. */
    public long nanos() {
        return nanos.sum();
    }

    /** All calls so far. */
    public long calls() {
        return calls.sum();
    }

    /** The calls on direct buffers. */
    public long directCalls() {
        return directCalls.sum();
    }

    private interface Call {
        void run() throws IOException;
    }

    private void measure(ByteBuffer[] outputs, Call call) throws IOException {
        if (outputs[0].isDirect()) {
            directCalls.increment();
        }
        measure(call);
    }

    private void measure(Call call) throws IOException {
        calls.increment();
        long start = THREADS.getCurrentThreadCpuTime();
        try {
            call.run();
        } finally {
            nanos.add(THREADS.getCurrentThreadCpuTime() - start);
        }
    }

    @Override
    public RawErasureEncoder createEncoder(ErasureCoderOptions options) {
        RawErasureEncoder encoder = factory.createEncoder(options);
        return new RawErasureEncoder(options) {
            @Override
            public void encode(ByteBuffer[] inputs, ByteBuffer[] outputs) throws IOException {
                measure(outputs, () -> encoder.encode(inputs, outputs));
            }

            @Override
            public void encode(byte[][] inputs, byte[][] outputs) throws IOException {
                measure(() -> encoder.encode(inputs, outputs));
            }

            @Override
            protected void doEncode(ByteBufferEncodingState state) throws IOException {
                encoder.doEncode(state);
            }

            @Override
            protected void doEncode(ByteArrayEncodingState state) throws IOException {
                encoder.doEncode(state);
            }

            @Override
            public boolean preferDirectBuffer() {
                return encoder.preferDirectBuffer();
            }

            @Override
            public void release() {
                encoder.release();
            }
        };
    }

    @Override
    public RawErasureDecoder createDecoder(ErasureCoderOptions options) {
        RawErasureDecoder decoder = factory.createDecoder(options);
        return new RawErasureDecoder(options) {
            @Override
            @SuppressWarnings("UnsynchronizedOverridesSynchronized") // the coder behind it locks what it needs
            public void decode(ByteBuffer[] inputs, int[] erased, ByteBuffer[] outputs) throws IOException {
                measure(outputs, () -> decoder.decode(inputs, erased, outputs));
            }

            @Override
            @SuppressWarnings("UnsynchronizedOverridesSynchronized")
            public void decode(byte[][] inputs, int[] erased, byte[][] outputs) throws IOException {
                measure(() -> decoder.decode(inputs, erased, outputs));
            }

            @Override
            protected void doDecode(ByteBufferDecodingState state) throws IOException {
                decoder.doDecode(state);
            }

            @Override
            protected void doDecode(ByteArrayDecodingState state) throws IOException {
                decoder.doDecode(state);
            }

            @Override
            public boolean preferDirectBuffer() {
                return decoder.preferDirectBuffer();
            }

            @Override
            public void release() {
                decoder.release();
            }
        };
    }

    @Override
    public String getCoderName() {
        return factory.getCoderName() + "_metered";
    }

    @Override
    public String getCodecName() {
        return factory.getCodecName();
    }
}
