/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.io.erasurecode.rawcoder;

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
import java.util.Optional;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.junit.jupiter.api.Test;

/** A fault that a kernel finds in its own result reaches HDFS as the exception that HDFS expects of a coder. */
class CodingFaultTest {
    /** A processor that flips a bit in every operation, and a kernel that notices. */
    private static final class FaultyProcessor implements KernelProvider {
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
            return (inputs, outputs) -> {
                throw new CodingFaultException(program.inputs(), program.outputs());
            };
        }
    }

    private final ErasureCoderOptions options = new ErasureCoderOptions(3, 2);
    private final ErasureCode code =
            ErasureCode.of(Generators.hdfsCauchy(new CodeParameters(3, 2)), new FaultyProcessor());

    /** So that HDFS takes the next coder of its list, before anything is stored. */
    @Test
    void aMachineThatComputesWrongGetsNoCoder() {
        KernelChoice choice = new KernelChoice(new FaultyProcessor(), "a test", Optional.empty(), Optional.empty());
        ParitasCoders coders = new ParitasCoders("faulty", Generators::hdfsCauchy, () -> choice);
        assertThatThrownBy(() -> coders.encoder(options)).isInstanceOf(CodingFaultException.class);
        assertThatThrownBy(() -> coders.decoder(options)).isInstanceOf(CodingFaultException.class);
    }

    @Test
    void encodingEndsWithAnIoException() {
        RawErasureEncoder encoder = ParitasCoders.encoder(options, code);
        assertThatThrownBy(() -> encoder.encode(new byte[3][64], new byte[2][64]))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("coding 3 units to 2 went wrong in this process")
                .hasCauseInstanceOf(CodingFaultException.class);
        assertThatThrownBy(() -> encoder.encode(buffers(3), buffers(2))).isInstanceOf(IOException.class);
    }

    @Test
    void decodingEndsWithAnIoException() {
        RawErasureDecoder decoder = ParitasCoders.decoder(options, code);
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
