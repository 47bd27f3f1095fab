/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.io.erasurecode.rawcoder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.Erasures;
import io.paritas.erasure.Stripes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.HadoopIllegalArgumentException;
import org.apache.hadoop.io.erasurecode.ECChunk;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What HDFS does with a raw coder, and Hadoop's own suites do not try. */
class HdfsContractTest {
    private static final int LENGTH = 3000;
    private static final CodeParameters CODE = new CodeParameters(6, 3);
    private static final ErasureCoderOptions OPTIONS = new ErasureCoderOptions(6, 3);

    private final RawErasureEncoder encoder = new ParitasRSRawErasureCoderFactory().createEncoder(OPTIONS);
    private final RawErasureDecoder decoder = new ParitasRSRawErasureCoderFactory().createDecoder(OPTIONS);
    private final byte[][] units = Stripes.units(9, LENGTH, Stripes.random("hdfs"));

    @BeforeEach
    void encode() throws IOException {
        encoder.encode(Arrays.copyOf(units, 6), Arrays.copyOfRange(units, 6, 9));
    }

    /** Pooled buffers are larger than asked for, dirty, and stand at any position. */
    @Test
    void dirtyOversizedBuffersOfBothKindsDecode() throws IOException {
        for (boolean direct : new boolean[] {false, true}) {
            ByteBuffer[] inputs = new ByteBuffer[9];
            for (int unit : new int[] {1, 2, 3, 5, 6, 8}) {
                inputs[unit] = pooled(direct, units[unit]);
            }
            ByteBuffer[] outputs = {pooled(direct, new byte[LENGTH]), pooled(direct, new byte[LENGTH])};
            ByteBuffer[] before = {outputs[0].duplicate(), outputs[1].duplicate()};
            decoder.decode(inputs, new int[] {0, 7}, outputs);
            assertThat(outputs[0]).isEqualTo(ByteBuffer.wrap(units[0]));
            assertThat(outputs[1]).isEqualTo(ByteBuffer.wrap(units[7]));
            assertThat(outputs[0].position()).as("outputs are ready to read").isEqualTo(before[0].position());
            assertThat(inputs[1].remaining()).as("inputs are consumed").isZero();
            assertThat(outputs[0].clear().get(before[0].position() - 1))
                    .as("bytes before")
                    .isEqualTo((byte) 0x33);
            assertThat(outputs[0].get(before[0].limit())).as("bytes behind").isEqualTo((byte) 0x33);
        }
    }

    /** As Hadoop's coder in Java has it. */
    @Test
    void nothingErasedIsDecodedToNothing() throws IOException {
        for (boolean direct : new boolean[] {false, true}) {
            ByteBuffer[] inputs =
                    Arrays.stream(units).map(u -> pooled(direct, u)).toArray(ByteBuffer[]::new);
            decoder.decode(inputs, new int[0], new ByteBuffer[0]);
            assertThat(inputs[1].remaining()).as("inputs are consumed").isZero();
        }
        decoder.decode(units, new int[0], new byte[0][]);
    }

    private static ByteBuffer pooled(boolean direct, byte[] content) {
        int capacity = content.length + 100;
        ByteBuffer buffer = direct ? ByteBuffer.allocateDirect(capacity) : ByteBuffer.allocate(capacity);
        while (buffer.hasRemaining()) {
            buffer.put((byte) 0x33);
        }
        buffer.position(17);
        buffer.put(content);
        return buffer.flip().position(17);
    }

    @Test
    void encodingConsumesInputsAndLeavesOutputsReadyToRead() throws IOException {
        for (boolean direct : new boolean[] {false, true}) {
            ByteBuffer[] data = Arrays.stream(Arrays.copyOf(units, 6))
                    .map(u -> pooled(direct, u))
                    .toArray(ByteBuffer[]::new);
            ByteBuffer[] parity = {
                pooled(direct, new byte[LENGTH]), pooled(direct, new byte[LENGTH]), pooled(direct, new byte[LENGTH])
            };
            encoder.encode(data, parity);
            assertThat(data).allMatch(buffer -> !buffer.hasRemaining());
            assertThat(parity[2]).isEqualTo(ByteBuffer.wrap(units[8]));
        }
    }

    /** A stateful read keeps the data cells of a stripe in one array, and decodes into it. */
    @Test
    void inputsAndOutputsMayBeSlicesOfOneArray() throws IOException {
        byte[] stripe = new byte[9 * LENGTH];
        ByteBuffer[] cells = new ByteBuffer[9];
        for (int unit = 0; unit < 9; unit++) {
            System.arraycopy(units[unit], 0, stripe, unit * LENGTH, LENGTH);
            cells[unit] = ByteBuffer.wrap(stripe, unit * LENGTH, LENGTH).slice();
        }
        Arrays.fill(stripe, LENGTH, 2 * LENGTH, (byte) 1);
        Arrays.fill(stripe, 4 * LENGTH, 5 * LENGTH, (byte) 1);
        ByteBuffer[] outputs = {cells[1], cells[4]};
        ByteBuffer[] inputs = cells.clone();
        inputs[1] = null;
        inputs[4] = null;
        inputs[8] = null;
        decoder.decode(inputs, new int[] {1, 4}, outputs);
        for (int unit = 0; unit < 9; unit++) {
            assertThat(Arrays.copyOfRange(stripe, unit * LENGTH, (unit + 1) * LENGTH))
                    .isEqualTo(units[unit]);
        }
    }

    @Test
    void unsortedErasuresKeepTheirOutputs() throws IOException {
        byte[][] inputs = units.clone();
        inputs[7] = null;
        inputs[0] = null;
        inputs[3] = null;
        byte[][] outputs = new byte[3][LENGTH];
        decoder.decode(inputs, new int[] {7, 0, 3}, outputs);
        assertThat(outputs).isDeepEqualTo(new byte[][] {units[7], units[0], units[3]});
    }

    @Test
    void moreThanKInputsAndFewerErasuresThanNulls() throws IOException {
        byte[][] inputs = units.clone();
        inputs[2] = null;
        byte[][] one = new byte[1][LENGTH];
        decoder.decode(inputs, new int[] {2}, one);
        assertThat(one[0]).isEqualTo(units[2]);
        inputs[5] = null;
        inputs[6] = null;
        decoder.decode(inputs, new int[] {5}, one);
        assertThat(one[0]).isEqualTo(units[5]);
    }

    /** The checksum of a block group may list a lost block as a source that lives. */
    @Test
    void anErasedUnitIsNotReadWhenOthersSuffice() throws IOException {
        byte[][] inputs = units.clone();
        inputs[0] = new byte[LENGTH]; // claimed to be there, and wrong
        byte[][] outputs = new byte[1][LENGTH];
        decoder.decode(inputs, new int[] {0}, outputs);
        assertThat(outputs[0]).isEqualTo(units[0]);
    }

    @Test
    void anErasedUnitIsCopiedWhenItIsOneOfJustK() throws IOException {
        byte[][] inputs = units.clone();
        inputs[6] = null;
        inputs[7] = null;
        inputs[8] = null;
        byte[][] outputs = new byte[2][LENGTH];
        decoder.decode(inputs, new int[] {7, 0}, outputs);
        assertThat(outputs).isDeepEqualTo(new byte[][] {units[7], units[0]});
    }

    @Test
    void oneEncoderAndOneDecoderServeManyThreads() throws Exception {
        List<Callable<Void>> tasks = new ArrayList<>();
        for (Erasures missing : Stripes.allErasures(CODE).toList()) {
            tasks.add(() -> {
                byte[][] copy = Stripes.damaged(units, missing);
                byte[][] inputs = copy.clone();
                missing.stream().forEach(unit -> inputs[unit] = null);
                byte[][] outputs = missing.stream().mapToObj(unit -> copy[unit]).toArray(byte[][]::new);
                decoder.decode(inputs, missing.toArray(), outputs);
                assertThat(copy).isDeepEqualTo(units);
                byte[][] parity = new byte[3][LENGTH];
                encoder.encode(Arrays.copyOf(units, 6), parity);
                assertThat(parity).isDeepEqualTo(Arrays.copyOfRange(units, 6, 9));
                return null;
            });
        }
        ExecutorService pool = Executors.newFixedThreadPool(8);
        try {
            for (Future<Void> task : pool.invokeAll(tasks)) {
                task.get();
            }
        } finally {
            pool.shutdown();
        }
    }

    /** All positional reads of an open file share a decoder, whose lock its base class holds. */
    @Test
    void noFormOfDecodingWaitsForTheDecodersLock() throws Exception {
        byte[][] inputs = units.clone();
        inputs[0] = null;
        ECChunk[] chunks = Arrays.stream(inputs)
                .map(unit -> unit == null ? null : new ECChunk(unit))
                .toArray(ECChunk[]::new);
        ByteBuffer[] buffers = Arrays.stream(inputs)
                .map(unit -> unit == null ? null : ByteBuffer.wrap(unit))
                .toArray(ByteBuffer[]::new);
        byte[][] read = new byte[3][LENGTH];
        int[] erased = {0};
        ExecutorService reader = Executors.newSingleThreadExecutor();
        try {
            synchronized (decoder) {
                Callable<Void> reads = () -> {
                    decoder.decode(inputs, erased, new byte[][] {read[0]});
                    decoder.decode(buffers, erased, new ByteBuffer[] {ByteBuffer.wrap(read[1])});
                    decoder.decode(chunks, erased, new ECChunk[] {new ECChunk(read[2])});
                    return null;
                };
                reader.submit(reads).get(1, TimeUnit.MINUTES);
            }
        } finally {
            reader.shutdown();
        }
        assertThat(read).isDeepEqualTo(new byte[][] {units[0], units[0], units[0]});
    }

    @Test
    void badCallsGetHadoopsExceptions() {
        byte[][] inputs = units.clone();
        assertThatThrownBy(() -> decoder.decode(inputs, new int[] {0, 1, 2, 3}, new byte[4][LENGTH]))
                .isInstanceOf(HadoopIllegalArgumentException.class)
                .hasMessage("Too many erased, not recoverable");
        Arrays.fill(inputs, 0, 4, null);
        assertThatThrownBy(() -> decoder.decode(inputs, new int[] {0}, new byte[1][LENGTH]))
                .isInstanceOf(HadoopIllegalArgumentException.class)
                .hasMessage("No enough valid inputs are provided, not recoverable");
    }

    @Test
    void whatCannotWorkFailsWhenTheCoderIsCreated() {
        ErasureCoderOptions tooWide = new ErasureCoderOptions(200, 57);
        assertThatThrownBy(() -> new ParitasRSRawErasureCoderFactory().createEncoder(tooWide))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("k + r <= 256");
        ErasureCoderOptions twoParities = new ErasureCoderOptions(4, 2);
        assertThatThrownBy(() -> new ParitasXORRawErasureCoderFactory().createDecoder(twoParities))
                .hasMessage("the codec xor has one parity unit, got (4,2)");
    }

    @Test
    void heapBuffersArePreferred() {
        assertThat(encoder.preferDirectBuffer()).isFalse();
        assertThat(decoder.preferDirectBuffer()).isFalse();
    }
}
