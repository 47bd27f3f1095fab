/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/**
 * Every instruction of the assemblers with every kind of operand: its text for GNU as, and what the assembler here makes of it.
 *
 * <p>{@code main} asks GNU as for the bytes of each, which are kept beside the tests. On Debian it is in the packages {@code binutils} and
 * {@code binutils-aarch64-linux-gnu}:
 * {@code java -cp … io.paritas.erasure.kernel.machine.Instructions src/test/resources/io/paritas/erasure/kernel/machine}
 */
final class Instructions {
    /**
     * An instruction, or a few that belong together.
     *
     * @param source the same with hints for GNU as
     */
    record Instruction(String text, String source, Assembler written) {
        String encoded() {
            return HexFormat.of().formatHex(written.code());
        }
    }

    private Instructions() {}

    static List<Instruction> all(Architecture architecture) {
        return switch (architecture) {
            case X86_64 -> X86Instructions.all();
            case AARCH64 -> ArmInstructions.all();
        };
    }

    /** The file with what GNU as makes of them. */
    static String file(Architecture architecture) {
        return architecture.name().toLowerCase(Locale.ROOT) + ".txt";
    }

    /** @param arguments the folder to write to */
    public static void main(String... arguments) throws IOException, InterruptedException {
        for (Architecture architecture : Architecture.values()) {
            Files.writeString(Path.of(arguments[0], file(architecture)), golden(architecture));
        }
    }

    /** Each instruction is followed by a mark, as only the assembler knows how long it is. */
    private static String golden(Architecture architecture) throws IOException, InterruptedException {
        String tools = architecture.name().toLowerCase(Locale.ROOT) + "-linux-gnu-";
        String mark = "here an instruction ends";
        StringBuilder source = new StringBuilder(
                architecture == Architecture.X86_64 ? ".intel_syntax noprefix\n" : ".arch armv8.2-a+sha3\n");
        for (Instruction instruction : all(architecture)) {
            source.append(instruction.source).append("\n.ascii \"").append(mark).append("\"\n");
        }
        Path directory = Files.createTempDirectory("instructions");
        Path text = Files.writeString(directory.resolve("instructions.s"), source);
        Path object = directory.resolve("instructions.o");
        Path binary = directory.resolve("instructions");
        run(tools + "as", "-o", object.toString(), text.toString());
        run(tools + "objcopy", "-O", "binary", "-j", ".text", object.toString(), binary.toString());
        String all = HexFormat.of().formatHex(Files.readAllBytes(binary));
        String end = HexFormat.of().formatHex(mark.getBytes(StandardCharsets.US_ASCII));
        StringBuilder golden = new StringBuilder();
        int start = 0;
        for (Instruction instruction : all(architecture)) {
            int stop = all.indexOf(end, start);
            golden.append(all, start, stop).append(' ').append(instruction.text).append('\n');
            start = stop + end.length();
        }
        return golden.toString();
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + ": " + output);
        }
    }
}
