/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import io.paritas.erasure.kernel.machine.Instructions.Instruction;
import io.paritas.erasure.kernel.machine.Memory.At;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Every instruction of the assembler for x86-64 with every kind of operand, in Intel's syntax. */
final class X86Instructions {
    private static final Register[] SOME = {
        X86Register.RAX,
        X86Register.RBX,
        X86Register.RSP,
        X86Register.RBP,
        X86Register.RDI,
        X86Register.R8,
        X86Register.R12,
        X86Register.R13,
        X86Register.R15
    };
    private static final int[] DISPLACEMENTS = {0, 8, 64, 127, 128, -128, 512, 4096, 70_000};

    private final List<Instruction> all = new ArrayList<>();

    private X86Instructions() {}

    static List<Instruction> all() {
        X86Instructions instructions = new X86Instructions();
        instructions.general();
        instructions.vectors(Width.BITS_256);
        instructions.vectors(Width.BITS_512);
        return instructions.all;
    }

    private void add(Width width, Function<X86Assembler, Assembler> write, String text, Object... operands) {
        String line = text.formatted(operands);
        // Long VEX prefixes and displacements always, as the assembler here writes them.
        boolean isVex = width == Width.BITS_256 && line.startsWith("v") && line.contains(" ");
        String forms = (isVex ? "{vex3} " : "") + (line.contains("[") ? "{disp8} " : "");
        all.add(new Instruction(line, forms + line, write.apply(new X86Assembler(width))));
    }

    private void add(Function<X86Assembler, Assembler> write, String text, Object... operands) {
        add(Width.BITS_256, write, text, operands);
    }

    private static String name(Register register) {
        return register.toString().toLowerCase(Locale.ROOT);
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
                places.add(new At(base, X86Register.RAX, displacement));
            }
            places.add(new At(base, X86Register.R9, 64));
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
            if (one != X86Register.RAX) { // which has shorter forms in GNU as
                add(code -> code.add(one, 70_000), "add %s, 70000", name(one));
                add(code -> code.subtract(one, 70_000), "sub %s, 70000", name(one));
                add(code -> code.compare(one, 70_000), "cmp %s, 70000", name(one));
                add(code -> code.test(one, 4095), "test %s, 4095", name(one));
                add(code -> code.and(one, 4095), "and %s, 4095", name(one));
            }
            add(code -> code.push(one), "push %s", name(one));
            add(code -> code.pop(one), "pop %s", name(one));
        }
        for (Register one : List.of(X86Register.RBX, X86Register.R13)) {
            for (At at : places()) {
                add(code -> code.load(one, at), "mov %s, %s", name(one), name(at));
                add(code -> code.store(at, one), "mov %s, %s", name(at), name(one));
                add(code -> code.subtract(one, at), "sub %s, %s", name(one), name(at));
                add(code -> code.compare(one, at), "cmp %s, %s", name(one), name(at));
            }
        }
        places().forEach(at -> add(code -> code.prefetch(at), "prefetcht0 %s", name(at)));
        add(X86Assembler::ret, "ret");
        add(X86Assembler::leaveVectors, "vzeroupper");
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
}
