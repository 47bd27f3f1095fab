/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import io.paritas.erasure.kernel.machine.Memory.At;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Every instruction of the assembler with every kind of operand: its text for GNU as, and the call that writes it.
 *
 * <p>{@code main} asks GNU as and objdump for the bytes of each, which are kept beside the tests:
 * {@code java -cp … io.paritas.erasure.kernel.machine.Instructions src/test/resources/io/paritas/erasure/kernel/machine/instructions.txt}
 */
final class Instructions {
    /** An instruction in the syntax of GNU as (Intel's operands), and its encoder. */
    record Instruction(String text, Width width, UnaryOperator<Assembler> write) {}

    private static final Register[] SOME = {
        Register.RAX,
        Register.RBX,
        Register.RSP,
        Register.RBP,
        Register.RDI,
        Register.R8,
        Register.R12,
        Register.R13,
        Register.R15
    };
    private static final int[] DISPLACEMENTS = {0, 8, 64, 127, 128, -128, 512, 4096, 70_000};

    private final List<Instruction> all = new ArrayList<>();

    private Instructions() {}

    static List<Instruction> all() {
        Instructions instructions = new Instructions();
        instructions.general();
        instructions.vectors(Width.BITS_256);
        instructions.vectors(Width.BITS_512);
        return instructions.all;
    }

    private void add(Width width, UnaryOperator<Assembler> write, String text, Object... operands) {
        all.add(new Instruction(text.formatted(operands), width, write));
    }

    private void add(UnaryOperator<Assembler> write, String text, Object... operands) {
        add(Width.BITS_256, write, text, operands);
    }

    private static String name(Register register) {
        return register.name().toLowerCase(Locale.ROOT);
    }

    /** With a displacement size, as the assembler here has no form without a displacement. */
    private static String name(At at) {
        return "[%s%s%+d]"
                .formatted(name(at.base()), at.index() == null ? "" : "+" + name(at.index()), at.displacement());
    }

    private static List<At> places() {
        List<At> places = new ArrayList<>();
        for (Register base : SOME) {
            for (int displacement : DISPLACEMENTS) {
                places.add(new At(base, Register.RAX, displacement));
            }
            places.add(new At(base, Register.R9, 64));
            places.add(new At(base, null, 64));
            places.add(new At(base, null, -4096));
        }
        return places;
    }

    private void general() {
        for (Register one : SOME) {
            for (Register other : SOME) {
                add(code -> code.mov(one, other), "mov %s, %s", name(one), name(other));
                add(code -> code.add(one, other), "add %s, %s", name(one), name(other));
                add(code -> code.subtract(one, other), "sub %s, %s", name(one), name(other));
            }
            add(code -> code.clear(one), "xor %s, %s", name(one), name(one));
            add(code -> code.negate(one), "neg %s", name(one));
            if (one != Register.RAX) { // which has shorter forms in GNU as
                add(code -> code.add(one, 70_000), "add %s, 70000", name(one));
                add(code -> code.subtract(one, 70_000), "sub %s, 70000", name(one));
                add(code -> code.compare(one, 70_000), "cmp %s, 70000", name(one));
                add(code -> code.test(one, 4095), "test %s, 4095", name(one));
                add(code -> code.and(one, 4095), "and %s, 4095", name(one));
            }
            add(code -> code.push(one), "push %s", name(one));
            add(code -> code.pop(one), "pop %s", name(one));
        }
        for (Register one : List.of(Register.RBX, Register.R13)) {
            for (At at : places()) {
                add(code -> code.load(one, at), "mov %s, %s", name(one), name(at));
                add(code -> code.store(at, one), "mov %s, %s", name(at), name(one));
                add(code -> code.subtract(one, at), "sub %s, %s", name(one), name(at));
                add(code -> code.compare(one, at), "cmp %s, %s", name(one), name(at));
            }
        }
        places().forEach(at -> add(code -> code.prefetch(at), "prefetcht0 %s", name(at)));
        add(Assembler::ret, "ret");
        add(Assembler::leaveVectors, "vzeroupper");
    }

    private void vectors(Width width) {
        boolean is512 = width == Width.BITS_512;
        String q = is512 ? "q" : "";
        String move = is512 ? "vmovdqu64" : "vmovdqu";
        int[] registers = is512 ? new int[] {0, 7, 15, 16, 31} : new int[] {0, 7, 15};
        UnaryOperator<String> vector = number -> (is512 ? "zmm" : "ymm") + number;
        for (int a : registers) {
            String to = vector.apply("" + a);
            for (At at : a % 16 != 15 ? List.<At>of() : places()) {
                add(width, code -> code.load(a, at), "%s %s, %s", move, to, name(at));
                add(width, code -> code.store(at, a), "%s %s, %s", move, name(at), to);
                add(width, code -> code.xor(a, 3, at), "vpxor%s %s, %s, %s", q, to, vector.apply("3"), name(at));
                if (is512) {
                    add(
                            width,
                            code -> code.xorBoth(a, 3, at),
                            "vpternlogq %s, %s, %s, 0x96",
                            to,
                            vector.apply("3"),
                            name(at));
                }
            }
            for (int b : registers) {
                String one = vector.apply("" + b);
                add(width, code -> code.shiftRightByFour(a, b), "vpsrlq %s, %s, 4", to, one);
                add(width, code -> code.turn(a, b), "vpalignr %s, %s, %s, 1", to, one, one);
                for (int c : registers) {
                    String other = vector.apply("" + c);
                    add(width, code -> code.xor(a, b, c), "vpxor%s %s, %s, %s", q, to, one, other);
                    add(width, code -> code.or(a, b, c), "vpor%s %s, %s, %s", q, to, one, other);
                    add(width, code -> code.and(a, b, c), "vpand%s %s, %s, %s", q, to, one, other);
                    add(width, code -> code.lookUp(a, b, c), "vpshufb %s, %s, %s", to, one, other);
                    add(width, code -> code.affine(a, b, c), "vgf2p8affineqb %s, %s, %s, 0", to, one, other);
                    if (is512) {
                        add(width, code -> code.xorBoth(a, b, c), "vpternlogq %s, %s, %s, 0x96", to, one, other);
                    }
                }
            }
            if (is512) {
                add(width, code -> code.testZero(a), "vptestmq k1, %s, %s; kortestb k1, k1", to, to);
            } else {
                add(width, code -> code.testZero(a), "vptest %s, %s", to, to);
            }
        }
    }

    /** @param arguments the file to write */
    public static void main(String... arguments) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("instructions");
        Path source = directory.resolve("instructions.s");
        Path object = directory.resolve("instructions.o");
        StringBuilder text = new StringBuilder(".intel_syntax noprefix\n");
        List<Instruction> all = all();
        for (int i = 0; i < all.size(); i++) {
            // Long VEX prefixes and displacements always, as the assembler here writes them.
            String line = all.get(i).text;
            boolean isVex = all.get(i).width == Width.BITS_256 && line.startsWith("v") && line.contains(" ");
            text.append(
                    "i%d: %s%s%s\n".formatted(i, isVex ? "{vex3} " : "", line.contains("[") ? "{disp8} " : "", line));
        }
        Files.writeString(source, text);
        run("as", "-o", object.toString(), source.toString());
        String listing = run("objdump", "-d", "-w", "--no-addresses", object.toString());
        Map<Integer, StringBuilder> bytes = new LinkedHashMap<>();
        int current = -1;
        for (String line : listing.lines().toList()) {
            if (line.startsWith("<i")) {
                current = Integer.parseInt(line.substring(2, line.indexOf('>')));
                bytes.put(current, new StringBuilder());
            } else if (current >= 0 && line.startsWith("\t")) {
                bytes.get(current).append(line.split("\t", -1)[1].replace(" ", ""));
            }
        }
        StringBuilder golden = new StringBuilder();
        bytes.forEach((i, hex) ->
                golden.append(hex).append(' ').append(all.get(i).text).append('\n'));
        Files.writeString(Path.of(arguments[0]), golden);
    }

    private static String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + ": " + output);
        }
        return output;
    }

    static String encode(Instruction instruction) {
        return HexFormat.of()
                .formatHex(instruction
                        .write
                        .apply(new Assembler(instruction.width))
                        .code());
    }
}
