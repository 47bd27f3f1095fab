/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.kernel.machine.CodeBuffer.Label;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class AssemblerTest {
    /** The file is what GNU as made of the same instructions: {@link Instructions}. */
    @ParameterizedTest
    @EnumSource(Architecture.class)
    void writesTheBytesOfGnuAs(Architecture architecture) throws IOException {
        try (InputStream golden = AssemblerTest.class.getResourceAsStream(Instructions.file(architecture))) {
            String expected = new String(golden.readAllBytes(), StandardCharsets.US_ASCII);
            String actual = Instructions.all(architecture).stream()
                    .map(instruction -> instruction.encoded() + ' ' + instruction.text() + '\n')
                    .collect(Collectors.joining());
            assertThat(actual.lines())
                    .containsExactlyElementsOf(expected.lines().toList());
        }
    }

    @Test
    void jumpsForwardAndBackward() {
        Label top = new Label();
        Label end = new Label();
        byte[] code = new X86Assembler(Width.BITS_256)
                .bind(top)
                .jump(Condition.NOT_ZERO, end)
                .jump(Condition.BELOW, top)
                .bind(end)
                .ret()
                .assemble();
        // jne +6; jb -12; ret; nops up to the constants, of which there are none.
        assertThat(HexFormat.of().formatHex(code, 0, 13)).isEqualTo("0f85060000000f82f4ffffffc3");
        assertThat(code).hasSize(64);
    }

    @Test
    void equalConstantsAreOneAndLieBehindTheCode() {
        Assembler assembler = new X86Assembler(Width.BITS_512);
        byte[] one = {1, 2, 3, 4, 5, 6, 7, 8};
        byte[] vector = new byte[64];
        vector[63] = 9;
        assertThat(assembler.constant(one)).isEqualTo(assembler.constant(one.clone()));
        byte[] code = assembler
                .load(0, assembler.constant(vector))
                .broadcast(1, assembler.constant(one))
                .ret()
                .assemble();
        // 6 + 4 bytes each, then the constants at 64 (aligned to 64: 128) and 64.
        assertThat(code).hasSize(64 + 64 + 64);
        assertThat(HexFormat.of().formatHex(code, 64, 72)).isEqualTo("0102030405060708");
        assertThat(code[64 + 64 + 63]).isEqualTo((byte) 9);
        assertThat(HexFormat.of().formatHex(code, 0, 20)).isEqualTo("62f1fe486f0576000000" + "62f2fd48590d2c000000");
    }

    @Test
    void jumpsOnEveryCondition() {
        Label here = new Label();
        Assembler assembler = new X86Assembler(Width.BITS_256).bind(here).jump(here);
        for (Condition condition : Condition.values()) {
            assembler.jump(condition, here);
        }
        // jmp -5; jb -11; je -17; jne -23; jl -29; jge -35: of objdump.
        assertThat(HexFormat.of().formatHex(assembler.assemble(), 0, 35))
                .isEqualTo("e9fbffffff" + "0f82f5ffffff" + "0f84efffffff" + "0f85e9ffffff" + "0f8ce3ffffff"
                        + "0f8dddffffff");
    }

    @Test
    void callsForward() {
        Label kernel = new Label();
        byte[] code =
                new X86Assembler(Width.BITS_256).call(kernel).ret().bind(kernel).assemble();
        // call +1; ret
        assertThat(HexFormat.of().formatHex(code, 0, 6)).isEqualTo("e801000000c3");
    }

    @Test
    void jumpsToTheAddressInARegister() {
        byte[] code = new X86Assembler(Width.BITS_256)
                .jump(X86Register.RDX)
                .jump(X86Register.R10)
                .assemble();
        assertThat(HexFormat.of().formatHex(code, 0, 5)).isEqualTo("ffe2" + "41ffe2");
    }

    @Test
    void pushesAndPopsHighRegisters() {
        byte[] code = new X86Assembler(Width.BITS_256)
                .push(X86Register.R15)
                .pop(X86Register.R15)
                .code();
        assertThat(HexFormat.of().formatHex(code)).isEqualTo("4157415f");
    }
}
