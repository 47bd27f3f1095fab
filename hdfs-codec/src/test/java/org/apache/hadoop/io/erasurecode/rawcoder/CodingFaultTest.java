/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.io.erasurecode.rawcoder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.ErasureCode;
import io.paritas.erasure.Generators;
import io.paritas.erasure.kernel.CodingFaultException;
import io.paritas.erasure.kernel.Kernel;
import io.paritas.erasure.kernel.KernelChoice;
import io.paritas.erasure.kernel.KernelProvider;
import io.paritas.erasure.kernel.Program;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.junit.jupiter.api.Test;

/** After a fault in its own result a kernel computes once more. A second one reaches HDFS as the exception that it expects of a coder. */
class CodingFaultTest {
    /** A processor that flips a bit in its first operations, and a kernel that notices. */
    private static final class FaultyProcessor implements KernelProvider {
        private final AtomicInteger faults;

        FaultyProcessor(int faults) {
            this.faults = new AtomicInteger(faults);
        }

        @Override
        public String name() {
            return "faulty";
        }

        @Override
        public Optional<String> unavailable() {
            return Optional.empty();
        }

        @Override
        public String description() {
            return "a processor that flips bits";
        }

        @Override
        public Kernel compile(Program program) {
            Kernel sound = KernelChoice.current().provider().compile(program);
            return (inputs, outputs) -> {
                if (faults.getAndDecrement() > 0) {
                    throw new CodingFaultException(program.inputs(), program.outputs());
                }
                sound.apply(inputs, outputs);
            };
        }
    }

    private final ErasureCoderOptions options = new ErasureCoderOptions(3, 2);

    private static ErasureCode faulty(int faults) {
        return ErasureCode.of(Generators.hdfsCauchy(new CodeParameters(3, 2)), new FaultyProcessor(faults));
    }

    /** So that HDFS takes the next coder of its list, before anything is stored. */
    @Test
    void aMachineThatComputesWrongGetsNoCoder() {
        KernelChoice choice = new KernelChoice(new FaultyProcessor(2), "a test", Optional.empty(), Optional.empty());
        ParitasCoders coders = new ParitasCoders("faulty", Generators::hdfsCauchy, () -> choice);
        assertThatThrownBy(() -> coders.encoder(options)).isInstanceOf(CodingFaultException.class);
        assertThatThrownBy(() -> coders.decoder(options)).isInstanceOf(CodingFaultException.class);
    }

    /** HDFS gives up the whole file that it writes if its encoder fails. */
    @Test
    void afterOneFaultTheResultIsComputedOnceMore() throws IOException {
        byte[][] units = new byte[5][64];
        for (int unit = 0; unit < 3; unit++) {
            new Random(unit).nextBytes(units[unit]);
        }
        byte[][] data = Arrays.copyOf(units, 3);
        byte[][] parity = Arrays.copyOfRange(units, 3, 5);
        ParitasCoders.encoder(options, faulty(1), false).encode(data, parity);
        byte[][] expected = new byte[2][64];
        new RSRawEncoder(options).encode(data, expected);
        assertThat(parity).isDeepEqualTo(expected);

        byte[][] read = units.clone();
        read[1] = null;
        byte[][] lost = new byte[1][64];
        ParitasCoders.decoder(options, faulty(1), false).decode(read, new int[] {1}, lost);
        assertThat(lost[0]).isEqualTo(units[1]);
    }

    @Test
    void encodingEndsWithAnIoException() {
        RawErasureEncoder encoder = ParitasCoders.encoder(options, faulty(Integer.MAX_VALUE), false);
        assertThatThrownBy(() -> encoder.encode(new byte[3][64], new byte[2][64]))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("coding 3 units to 2 went wrong in this process")
                .hasCauseInstanceOf(CodingFaultException.class);
        assertThatThrownBy(() -> encoder.encode(buffers(3), buffers(2))).isInstanceOf(IOException.class);
    }

    @Test
    void decodingEndsWithAnIoException() {
        RawErasureDecoder decoder = ParitasCoders.decoder(options, faulty(Integer.MAX_VALUE), false);
        byte[][] inputs = new byte[5][64];
        inputs[1] = null;
        assertThatThrownBy(() -> decoder.decode(inputs, new int[] {1}, new byte[1][64]))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("check the machine");
        ByteBuffer[] direct = buffers(5);
        direct[1] = null;
        assertThatThrownBy(() -> decoder.decode(direct, new int[] {1}, buffers(1)))
                .isInstanceOf(IOException.class);
    }

    private static ByteBuffer[] buffers(int count) {
        ByteBuffer[] buffers = new ByteBuffer[count];
        for (int i = 0; i < count; i++) {
            buffers[i] = ByteBuffer.allocateDirect(64);
        }
        return buffers;
    }
}
