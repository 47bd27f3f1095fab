/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.erasure;

import io.paritas.erasure.kernel.Program.Operation;
import io.paritas.gpu.erasure.StraightLineProgram.Step;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Writes straight-line code as PTX: an entry whose threads compute a column each, all values in registers.
 *
 * <p>One {@code lop3} xors three words. Multiplying the four bytes of a word by x takes a shift, a {@code prmt} that spreads the
 * high bit of each byte to a mask, and two {@code lop3}, the first of which adds another term for free. Units
 * are loaded where they are first used; the assembler moves loads up as far as registers allow.
 *
 * <p>Parameters of an entry: {@code units}, the addresses of the units that are read and then of those that are written;
 * {@code strip}, the distance of two strips of a unit; {@code columns}, how many there are.
 */
final class PtxWriter {
    /** The header of every module: for all GPUs since Turing, and drivers since CUDA 12.0. */
    static final String HEADER = ".version 8.0\n.target sm_75\n.address_size 64\n";

    private static final String DOUBLED = "0xfefefefe";
    private static final String POLYNOMIAL = "0x1d1d1d1d";
    private static final String HIGH_BITS = "0xba98";

    /** The tables of lop3 for a xor b xor c and for (a and b) xor c. */
    private static final String XOR_3 = "0x96";

    private static final String AND_XOR = "0x6a";

    /**
     * The layout of strips.
     *
     * @param inputs the units that are read
     * @param outputs the units that are written
     * @param w the strips of each unit
     * @param firstOutput the output strip that the code computes first
     */
    record Layout(int inputs, int outputs, int w, int firstOutput) {}

    private final StraightLineProgram code;
    private final Layout layout;
    /** The words of a column, or 0 for a single byte. */
    private final int words;

    private final int[] uses;
    /** The first register of each value, or -1 while it has none. */
    private final int[] registerOf;

    private final List<String> lines = new ArrayList<>();
    private int registers;
    private int longs;

    private PtxWriter(StraightLineProgram code, Layout layout, int words) {
        this.code = code;
        this.layout = layout;
        this.words = words;
        this.uses = code.uses();
        this.registerOf = new int[uses.length];
        Arrays.fill(registerOf, -1);
    }

    /**
     * Returns the text of an entry.
     *
     * @param words the 32-bit words of a column: 1, 2 or 4; or 0 for columns of one byte
     */
    static String entry(String name, StraightLineProgram code, Layout layout, int words) {
        return new PtxWriter(code, layout, words).write(name);
    }

    private String write(String name) {
        beginColumn();
        for (int input = 0; input < code.inputs(); input++) {
            storeOutputs(input);
        }
        for (int i = 0; i < code.steps().size(); i++) {
            int value = code.inputs() + i;
            if (!isFused(value)) {
                registerOf[value] = compute(code.steps().get(i));
                storeOutputs(value);
            }
        }
        storeOutputs(StraightLineProgram.ZERO);
        return "\n.visible .entry " + name + "(\n\t.param .align 8 .b8 units["
                + (layout.inputs + layout.outputs) * Long.BYTES
                + "],\n\t.param .u64 strip,\n\t.param .u64 columns\n)\n.maxntid " + ColumnKernel.THREADS + ", 1, 1\n{\n"
                + "\t.reg .pred %p;\n\t.reg .b32 %r<" + Math.max(1, registers) + ">;\n\t.reg .b64 %rd<" + longs
                + ">;\n"
                + lines.stream().map(line -> "\t" + line + ";\n").collect(Collectors.joining())
                + "DONE:\n\tret;\n}\n";
    }

    /** Computes the offset of the thread's column into %rd0. */
    private void beginColumn() {
        int block = words(3);
        longs = 2;
        line("mov.u32 %%r%d, %%ctaid.x", block);
        line("mov.u32 %%r%d, %%ntid.x", block + 1);
        line("mov.u32 %%r%d, %%tid.x", block + 2);
        line("mul.wide.u32 %%rd0, %%r%d, %%r%d", block, block + 1);
        line("cvt.u64.u32 %%rd1, %%r%d", block + 2);
        line("add.u64 %%rd0, %%rd0, %%rd1");
        line("ld.param.u64 %%rd1, [columns]");
        line("setp.ge.u64 %%p, %%rd0, %%rd1");
        line("@%%p bra DONE");
        if (words > 0) {
            line("shl.b64 %%rd0, %%rd0, %d", Integer.numberOfTrailingZeros(words * Integer.BYTES));
        }
        line("ld.param.u64 %%rd1, [strip]");
    }

    private void line(String format, Object... values) {
        lines.add(String.format(Locale.ROOT, format, values));
    }

    private int words(int count) {
        int first = registers;
        registers += count;
        return first;
    }

    /** The registers of one value. */
    private int fresh() {
        return words(Math.max(1, words));
    }

    /** Fuses a product by x that only one sum needs with that sum. */
    private boolean isFused(int value) {
        return isTimesX(value)
                && uses[value] == 1
                && Arrays.stream(code.outputs()).noneMatch(output -> output == value)
                && code.steps().stream()
                        .anyMatch(step -> step.operation() == Operation.XOR
                                && step.operands().length > 1
                                && Arrays.stream(step.operands()).anyMatch(operand -> operand == value));
    }

    private boolean isTimesX(int value) {
        return value >= code.inputs() && code.steps().get(value - code.inputs()).operation() == Operation.TIMES_X;
    }

    /** Computes a step; returns its registers. */
    private int compute(Step step) {
        if (step.operation() == Operation.TIMES_X) {
            return timesX(register(step.operands()[0]), StraightLineProgram.ZERO);
        }
        List<Integer> terms = new ArrayList<>();
        List<Integer> doubled = new ArrayList<>();
        for (int operand : step.operands()) {
            if (isFused(operand)) {
                doubled.add(register(code.steps().get(operand - code.inputs()).operands()[0]));
            } else {
                terms.add(register(operand));
            }
        }
        for (int value : doubled) {
            int term = terms.isEmpty() ? StraightLineProgram.ZERO : terms.remove(terms.size() - 1);
            terms.add(timesX(value, term));
        }
        return sum(terms);
    }

    /** Xors terms three at a time; an even number starts with two. */
    private int sum(List<Integer> registersOfTerms) {
        List<Integer> terms = new ArrayList<>(registersOfTerms);
        while (terms.size() > 1) {
            int count = terms.size() % 2 == 0 ? 2 : 3;
            List<Integer> some = List.copyOf(terms.subList(0, count));
            terms.subList(0, count).clear();
            terms.add(0, xor(some));
        }
        return terms.get(0);
    }

    private int xor(List<Integer> terms) {
        int result = fresh();
        for (int word = 0; word < Math.max(1, words); word++) {
            int w = word;
            String operands = terms.stream().map(term -> "%r" + (term + w)).collect(Collectors.joining(", "));
            if (terms.size() == 2) {
                line("xor.b32 %%r%d, %s", result + word, operands);
            } else {
                line("lop3.b32 %%r%d, %s, %s", result + word, operands, XOR_3);
            }
        }
        return result;
    }

    /** Computes a value times x, plus a term that may be zero. */
    private int timesX(int value, int term) {
        int result = fresh();
        int shifted = fresh();
        int mask = fresh();
        for (int word = 0; word < Math.max(1, words); word++) {
            line("shl.b32 %%r%d, %%r%d, 1", shifted + word, value + word);
            line("prmt.b32 %%r%d, %%r%d, 0, %s", mask + word, value + word, HIGH_BITS);
            if (term == StraightLineProgram.ZERO) {
                line("and.b32 %%r%d, %%r%d, %s", mask + word, mask + word, POLYNOMIAL);
            } else {
                line(
                        "lop3.b32 %%r%d, %%r%d, %s, %%r%d, %s",
                        mask + word, mask + word, POLYNOMIAL, term + word, AND_XOR);
            }
            line("lop3.b32 %%r%d, %%r%d, %s, %%r%d, %s", result + word, shifted + word, DOUBLED, mask + word, AND_XOR);
        }
        return result;
    }

    /** Returns the registers of a value; loads an input at its first use. */
    private int register(int value) {
        if (registerOf[value] < 0) {
            registerOf[value] = fresh();
            int address = address(value / layout.w, value % layout.w);
            line("ld.global.nc%s, [%%rd%d]", vector(registerOf[value]), address);
        }
        return registerOf[value];
    }

    private void storeOutputs(int value) {
        IntStream.range(0, code.outputs().length)
                .filter(output -> code.outputs()[output] == value)
                .forEach(output -> store(output, value));
    }

    private void store(int output, int value) {
        int from = value == StraightLineProgram.ZERO ? zero() : register(value);
        int strip = layout.firstOutput + output;
        int address = address(layout.inputs + strip / layout.w, strip % layout.w);
        String[] typeAndRegisters = vector(from).split(" ", 2);
        line("st.global%s [%%rd%d], %s", typeAndRegisters[0], address, typeAndRegisters[1]);
    }

    private int zero() {
        int zero = fresh();
        for (int word = 0; word < Math.max(1, words); word++) {
            line("mov.u32 %%r%d, 0", zero + word);
        }
        return zero;
    }

    /** The type of an access to memory and its registers, such as {@code .v2.u32 {%r4, %r5}}. */
    private String vector(int first) {
        if (words == 0) {
            return ".u8 %r" + first;
        }
        String registersOfValue =
                IntStream.range(first, first + words).mapToObj(r -> "%r" + r).collect(Collectors.joining(", "));
        return words == 1 ? ".u32 " + registersOfValue : ".v" + words + ".u32 {" + registersOfValue + "}";
    }

    /** The 64-bit register with the address of the thread's column in a strip. */
    private int address(int unit, int strip) {
        int address = longs++;
        line("ld.param.u64 %%rd%d, [units+%d]", address, unit * Long.BYTES);
        line("add.u64 %%rd%d, %%rd%d, %%rd0", address, address);
        if (strip > 0) {
            line("mad.lo.u64 %%rd%d, %%rd1, %d, %%rd%d", address, strip, address);
        }
        return address;
    }
}
