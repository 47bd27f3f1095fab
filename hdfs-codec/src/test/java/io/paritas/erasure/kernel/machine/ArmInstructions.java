/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import io.paritas.erasure.kernel.machine.Instructions.Instruction;
import io.paritas.erasure.kernel.machine.Memory.At;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** Every instruction of the assembler for AArch64 with every kind of operand. */
final class ArmInstructions {
    private static final Register[] SOME = {ArmRegister.X0, ArmRegister.X7, ArmRegister.X16, ArmRegister.X28};
    private static final int[] VECTORS = {0, 5, 8, 16, 30};
    private static final int[] NUMBERS = {0, 1, 16, 4095};

    private final List<Instruction> all = new ArrayList<>();

    private ArmInstructions() {}

    static List<Instruction> all() {
        ArmInstructions instructions = new ArmInstructions();
        instructions.general();
        instructions.vectors();
        return instructions.all;
    }

    private void add(Function<ArmAssembler, Assembler> write, String text, Object... operands) {
        String line = text.formatted(operands);
        all.add(new Instruction(line, line, write.apply(new ArmAssembler())));
    }

    private static String name(Register register) {
        return register.toString().toLowerCase(Locale.ROOT);
    }

    private void general() {
        for (Register one : SOME) {
            String to = name(one);
            for (Register other : SOME) {
                add(code -> code.mov(one, other), "mov %s, %s", to, name(other));
                add(code -> code.add(one, other), "add %s, %s, %s", to, to, name(other));
                add(code -> code.subtract(one, other), "sub %s, %s, %s", to, to, name(other));
            }
            for (int number : NUMBERS) {
                add(code -> code.add(one, number), "add %s, %s, %d", to, to, number);
                add(code -> code.subtract(one, number), "sub %s, %s, %d", to, to, number);
                add(code -> code.compare(one, number), "cmp %s, %d", to, number);
                add(code -> code.and(one, number), "mov x17, %d; and %s, %s, x17", number, to, to);
                add(code -> code.and(one, -number - 1), "mov x17, %d; and %s, %s, x17", -number - 1, to, to);
                add(code -> code.test(one, number), "mov x17, %d; tst %s, x17", number, to);
            }
            for (Register base : new Register[] {ArmRegister.X5, ArmRegister.X28, ArmRegister.SP}) {
                for (int displacement : new int[] {0, 8, 120, 32_760}) {
                    At at = new At(base, null, displacement);
                    String place = "[" + name(base) + ", " + displacement + "]";
                    add(code -> code.load(one, at), "ldr %s, %s", to, place);
                    add(code -> code.store(at, one), "str %s, %s", to, place);
                    add(code -> code.compare(one, at), "ldr x17, %s; cmp %s, x17", place, to);
                    add(code -> code.subtract(one, at), "ldr x17, %s; sub %s, %s, x17", place, to, to);
                }
            }
            add(code -> code.clear(one), "mov %s, 0", to);
            add(code -> code.negate(one), "neg %s, %s", to, to);
            add(code -> code.jump(one), "br %s", to);
        }
        add(code -> code.add(ArmRegister.SP, 48), "add sp, sp, 48");
        add(code -> code.subtract(ArmRegister.SP, 48), "sub sp, sp, 48");
        add(ArmAssembler::ret, "ret");
        add(
                ArmAssembler::save,
                "stp x19, x20, [sp, -16]!; stp x21, x22, [sp, -16]!; stp x23, x24, [sp, -16]!;"
                        + " stp x25, x26, [sp, -16]!; stp x27, x28, [sp, -16]!; stp d8, d9, [sp, -16]!;"
                        + " stp d10, d11, [sp, -16]!; stp d12, d13, [sp, -16]!; stp d14, d15, [sp, -16]!");
        add(
                ArmAssembler::restore,
                "ldp d14, d15, [sp], 16; ldp d12, d13, [sp], 16; ldp d10, d11, [sp], 16; ldp d8, d9, [sp], 16;"
                        + " ldp x27, x28, [sp], 16; ldp x25, x26, [sp], 16; ldp x23, x24, [sp], 16;"
                        + " ldp x21, x22, [sp], 16; ldp x19, x20, [sp], 16");
        add(ArmAssembler::saveReturn, "stp x29, x30, [sp, -16]!");
        add(ArmAssembler::restoreReturn, "ldp x29, x30, [sp], 16");
    }

    private void vectors() {
        for (int a : VECTORS) {
            for (Register base : SOME) {
                At indexed = new At(base, ArmRegister.X9, 0);
                String place = "[" + name(base) + ", x9]";
                add(code -> code.load(a, indexed), "ldr q%d, %s", a, place);
                add(code -> code.store(indexed, a), "str q%d, %s", a, place);
                add(code -> code.xor(a, 3, indexed), "ldr q31, %s; eor v%d.16b, v3.16b, v31.16b", place, a);
                add(
                        code -> code.xorBoth(a, 3, indexed),
                        "ldr q31, %s; eor3 v%d.16b, v%d.16b, v3.16b, v31.16b",
                        place,
                        a,
                        a);
            }
            for (int displacement : new int[] {0, 16, 65_520}) {
                At at = new At(ArmRegister.SP, null, displacement);
                add(code -> code.load(a, at), "ldr q%d, [sp, %d]", a, displacement);
                add(code -> code.store(at, a), "str q%d, [sp, %d]", a, displacement);
            }
            for (int b : VECTORS) {
                add(code -> code.upperNibbles(a, b, 7), "ushr v%d.16b, v%d.16b, 4", a, b);
                add(code -> code.turn(a, b), "ext v%d.16b, v%d.16b, v%d.16b, 1", a, b, b);
                for (int c : VECTORS) {
                    add(code -> code.xor(a, b, c), "eor v%d.16b, v%d.16b, v%d.16b", a, b, c);
                    add(code -> code.or(a, b, c), "orr v%d.16b, v%d.16b, v%d.16b", a, b, c);
                    add(code -> code.and(a, b, c), "and v%d.16b, v%d.16b, v%d.16b", a, b, c);
                    add(code -> code.xorBoth(a, b, c), "eor3 v%d.16b, v%d.16b, v%d.16b, v%d.16b", a, a, b, c);
                    add(code -> code.lookUp(a, b, c), "tbl v%d.16b, {v%d.16b}, v%d.16b", a, b, c);
                }
            }
            add(code -> code.testZero(a), "umaxv b31, v%d.16b; umov w17, v31.b[0]; cmp x17, 0", a);
        }
    }
}
