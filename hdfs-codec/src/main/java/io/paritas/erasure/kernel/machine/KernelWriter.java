/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import io.paritas.erasure.kernel.machine.Assembler.At;
import io.paritas.erasure.kernel.machine.Assembler.Condition;
import io.paritas.erasure.kernel.machine.Assembler.Constant;
import io.paritas.erasure.kernel.machine.Assembler.Label;
import io.paritas.erasure.kernel.machine.Assembler.Register;
import io.paritas.erasure.kernel.machine.MachineCode.Check;
import io.paritas.erasure.kernel.machine.ProductProgram.Load;
import io.paritas.erasure.kernel.machine.ProductProgram.LookUp;
import io.paritas.erasure.kernel.machine.ProductProgram.Nibble;
import io.paritas.erasure.kernel.machine.ProductProgram.Statement;
import io.paritas.erasure.kernel.machine.ProductProgram.Store;
import io.paritas.erasure.kernel.machine.ProductProgram.Times;
import io.paritas.erasure.kernel.machine.ProductProgram.Xor;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Writes a program as a loop of machine code: {@code int kernel(long length, inputs…, outputs…)} by the System V calling
 * convention. The length is a positive multiple of a vector. The result is not 0 if the code noticed that it made a mistake.
 *
 * <p>The loop runs from the end to the start. Arrays that were allocated one after the other lie a few bytes more than a
 * multiple of a page apart. Upwards, the next loads would follow stores to the same place of another page, and a processor
 * takes them for loads of what was just stored, and waits.
 *
 * <p>Registers: rax is the place in the units; every unit has a general register for its address as long as there are any. Of
 * the vector registers, the results of the statements get as many as they need, then the folds, then the constants.
 *
 * <p>The check: a fold is the xor of a unit's vectors, turned by a byte after every {@link #TILE} vectors. A program is linear
 * and works byte by byte, so that its outputs' folds are what it makes of the inputs' folds. The end of the code computes
 * this once more and compares.
 */
final class KernelWriter {
    /** Vectors after which the folds are turned, so that two equal mistakes do not cancel. */
    private static final int TILE = 64;

    /** How far ahead of the loop inputs are asked for in the first-level cache, in bytes. */
    private static final int AHEAD = 512;

    private static final Register[] POINTERS = {
        Register.RSI, Register.RDX, Register.RCX, Register.R8, Register.R9, Register.R10, Register.R11,
        Register.RBX, Register.RBP, Register.R12, Register.R13, Register.R14, Register.R15, Register.RDI
    };
    /** The units whose addresses arrive in registers; the first argument is the length. */
    private static final int IN_REGISTERS = 5;

    private static final Register[] SAVED = {
        Register.RBX, Register.RBP, Register.R12, Register.R13, Register.R14, Register.R15
    };
    private static final Register INDEX = Register.RAX;
    /** Holds the address of a unit that has no register; where each has one, a unit's. */
    private static final Register SCRATCH = Register.RDI;

    private final Tier tier;
    private final ProductProgram program;
    /** What the check computes: the program itself, but in tests. */
    private final ProductProgram expected;

    private final Check check;
    private final Assembler code;
    private final int units;
    private final int vector;
    private final int frame;
    private final Deque<Integer> temporaries = new ArrayDeque<>();
    /** The register of a unit's fold, if it has one; its place in the frame otherwise. */
    private final Map<Integer, Integer> foldRegisters = new HashMap<>();
    /** Registers of constants: products by them, or half of such. */
    private final Map<Constant, Integer> constantRegisters = new HashMap<>();

    private int nibbleMask;
    private int scratchUnit = -1;

    private KernelWriter(Tier tier, ProductProgram program, ProductProgram expected, Check check) {
        this.tier = tier;
        this.program = program;
        this.expected = expected;
        this.check = check;
        code = new Assembler(tier.width);
        units = program.inputs() + program.outputs();
        vector = tier.width.bytes;
        frame = check == Check.FOLD ? units * vector : 0;
    }

    /**
     * Returns the code of a program.
     *
     * @throws RegisterFile.TooFewException if the processor has too few registers for the program
     */
    static byte[] write(Tier tier, ProductProgram program, Check check) {
        return write(tier, program, program, check);
    }

    /** Returns code that computes a program and checks it by another one, which tests make differ. */
    static byte[] write(Tier tier, ProductProgram program, ProductProgram expected, Check check) {
        return new KernelWriter(tier, tier.lowered(program), tier.lowered(expected), check).write();
    }

    private byte[] write() {
        assignRegisters();
        enter();
        Label top = new Label();
        code.align().bind(top).subtract(INDEX, vector);
        for (int input = 0; input < program.inputs(); input++) {
            code.prefetch(unit(input, -AHEAD));
        }
        new Body(program, false).write();
        turnFolds();
        code.compare(INDEX, 0).jump(Condition.NOT_ZERO, top);
        Label fault = new Label();
        if (check == Check.FOLD) {
            compareFolds(fault);
        } else {
            code.clear(Register.RAX);
        }
        leave();
        code.bind(fault).add(Register.RAX, 1);
        leave();
        return code.assemble();
    }

    // Registers.

    private void assignRegisters() {
        int all = tier.registers();
        int reserved = tier.hasProducts ? 0 : 1;
        int results = Math.min(all - reserved, need(all - reserved));
        IntStream.range(0, results).forEach(temporaries::add);
        int next = results;
        if (reserved > 0) {
            nibbleMask = next++;
        }
        for (int unit = 0; check == Check.FOLD && unit < units && next < all; unit++) {
            foldRegisters.put(unit, next++);
        }
        for (Constant constant : constants()) {
            if (next < all) {
                constantRegisters.put(constant, next++);
            }
        }
    }

    /** The registers that the results take, at most all: found by writing the loop once for nothing. */
    private int need(int all) {
        KernelWriter rehearsal = new KernelWriter(tier, program, program, check);
        IntStream.range(0, all).forEach(rehearsal.temporaries::add);
        Body body = rehearsal.new Body(program, false);
        body.write();
        return body.registers.hasEvicted() ? all : body.registers.most();
    }

    private Set<Constant> constants() {
        Set<Constant> constants = new LinkedHashSet<>();
        for (Statement statement : program.statements()) {
            if (statement instanceof Times times) {
                constants.add(matrix(times.constant()));
            } else if (statement instanceof LookUp lookUp) {
                constants.add(table(lookUp));
            }
        }
        return constants;
    }

    /** One matrix, or, for an instruction that copies none, a vector of it. */
    private Constant matrix(int constant) {
        byte[] matrix = Bytes.matrix(constant);
        if (tier.width == Assembler.Width.BITS_512) {
            return code.constant(matrix);
        }
        byte[] copies = new byte[vector];
        for (int i = 0; i < vector; i++) {
            copies[i] = matrix[i % matrix.length];
        }
        return code.constant(copies);
    }

    private Constant table(LookUp lookUp) {
        return code.constant(Bytes.table(lookUp.constant(), lookUp.isUpper() ? 4 : 0, vector));
    }

    // Entry and exit.

    private void enter() {
        Arrays.stream(SAVED).forEach(code::push);
        code.subtract(Register.RSP, frame).mov(INDEX, Register.RDI);
        for (int unit = IN_REGISTERS; unit < units && hasPointer(unit); unit++) {
            code.load(POINTERS[unit], argument(unit));
        }
        if (!tier.hasProducts) {
            byte[] mask = new byte[vector];
            Arrays.fill(mask, (byte) 0x0f);
            code.load(nibbleMask, code.constant(mask));
        }
        constantRegisters.forEach((constant, register) -> {
            if (tier.width == Assembler.Width.BITS_512 && tier.hasProducts) {
                code.broadcast(register, constant);
            } else {
                code.load(register, constant);
            }
        });
        clearFolds();
    }

    private void leave() {
        code.leaveVectors().add(Register.RSP, frame);
        for (int i = SAVED.length - 1; i >= 0; i--) {
            code.pop(SAVED[i]);
        }
        code.ret();
    }

    /** An argument that arrived on the stack: above the frame, the saved registers and the return address. */
    private At argument(int unit) {
        return new At(Register.RSP, null, frame + Long.BYTES * (SAVED.length + 1 + unit - IN_REGISTERS));
    }

    private boolean hasPointer(int unit) {
        return unit < (units <= POINTERS.length ? POINTERS.length : POINTERS.length - 1);
    }

    /** The current vector of a unit, or one at some distance. */
    private At unit(int unit, int distance) {
        if (hasPointer(unit)) {
            return new At(POINTERS[unit], INDEX, distance);
        }
        if (scratchUnit != unit) {
            code.load(SCRATCH, argument(unit));
            scratchUnit = unit;
        }
        return new At(SCRATCH, INDEX, distance);
    }

    // Folds.

    private At fold(int unit) {
        return new At(Register.RSP, null, unit * vector);
    }

    private void clearFolds() {
        if (check == Check.NONE) {
            return;
        }
        foldRegisters.values().forEach(register -> code.xor(register, register, register));
        int zero = temporaries.peek();
        code.xor(zero, zero, zero);
        for (int unit = 0; unit < units; unit++) {
            if (!foldRegisters.containsKey(unit)) {
                code.store(fold(unit), zero);
            }
        }
    }

    private void turnFolds() {
        if (check == Check.NONE) {
            return;
        }
        Label rest = new Label();
        code.test(INDEX, TILE * vector - 1).jump(Condition.NOT_ZERO, rest);
        int temporary = temporaries.peek();
        for (int unit = 0; unit < units; unit++) {
            Integer register = foldRegisters.get(unit);
            if (register != null) {
                code.turn(register, register);
            } else {
                code.load(temporary, fold(unit)).turn(temporary, temporary).store(fold(unit), temporary);
            }
        }
        code.bind(rest);
    }

    private void compareFolds(Label fault) {
        foldRegisters.forEach((unit, register) -> code.store(fold(unit), register));
        temporaries.addAll(foldRegisters.values());
        new Body(expected, true).write();
        int sum = temporaries.peek();
        int next = temporaries.peekLast();
        code.load(sum, fold(program.inputs()));
        for (int output = 1; output < program.outputs(); output++) {
            code.load(next, fold(program.inputs() + output)).or(sum, sum, next);
        }
        code.clear(Register.RAX).testZero(sum).jump(Condition.NOT_ZERO, fault);
    }

    /** The statements once: over the units, or over the folds, where each output is replaced by its difference to the fold. */
    private final class Body {
        private final List<Statement> statements;
        private final boolean overFolds;
        private final RegisterFile registers;

        Body(ProductProgram program, boolean overFolds) {
            this.statements = program.statements();
            this.overFolds = overFolds;
            registers = new RegisterFile(program, temporaries);
        }

        void write() {
            scratchUnit = -1;
            for (int i = 0; i < statements.size(); i++) {
                write(statements.get(i), i);
                registers.after(i);
            }
            scratchUnit = -1;
        }

        private void write(Statement statement, int position) {
            if (statement instanceof Load load) {
                int to = registers.make(load.to(), load);
                code.load(to, input(load.input()));
                fold(load.input(), to, load);
            } else if (statement instanceof Times times) {
                int from = use(times.value(), times);
                int to = registers.make(times.to(), times);
                Constant matrix = matrix(times.constant());
                Integer register = constantRegisters.get(matrix);
                if (register == null) {
                    code.affine(to, from, matrix);
                } else {
                    code.affine(to, from, register);
                }
            } else if (statement instanceof Nibble nibble) {
                int from = use(nibble.value(), nibble);
                int to = registers.make(nibble.to(), nibble);
                if (nibble.isUpper()) {
                    code.shiftRightByFour(to, from).and(to, to, nibbleMask);
                } else {
                    code.and(to, from, nibbleMask);
                }
            } else if (statement instanceof LookUp lookUp) {
                int from = use(lookUp.nibble(), lookUp);
                int to = registers.make(lookUp.to(), lookUp);
                Integer table = constantRegisters.get(table(lookUp));
                if (table == null) {
                    code.load(to, table(lookUp));
                }
                code.lookUp(to, table == null ? to : table, from);
            } else if (statement instanceof Xor xor) {
                write(xor, position);
            } else if (statement instanceof Store store) {
                write(store);
            }
        }

        private void write(Xor xor, int position) {
            List<Integer> terms = xor.terms();
            if (terms.isEmpty()) {
                int to = registers.make(xor.to(), xor);
                code.xor(to, to, to);
                return;
            }
            int[] from = terms.stream().mapToInt(term -> use(term, xor)).toArray();
            if (from.length == 3 && tier.xorTerms() == 3) {
                for (int i = 0; i < from.length; i++) {
                    if (registers.isLastUse(terms.get(i), position)) {
                        int to = registers.inherit(xor.to(), terms.get(i));
                        code.xorBoth(to, from[(i + 1) % 3], from[(i + 2) % 3]);
                        return;
                    }
                }
            }
            int to = registers.make(xor.to(), xor);
            code.xor(to, from[0], from[1]);
            if (from.length == 3) {
                code.xor(to, to, from[2]);
            }
        }

        private void write(Store store) {
            int from = use(store.value(), store);
            int unit = program.inputs() + store.output();
            if (overFolds) {
                int difference = registers.take(store);
                code.xor(difference, from, KernelWriter.this.fold(unit))
                        .store(KernelWriter.this.fold(unit), difference);
                registers.give(difference);
            } else {
                code.store(unit(unit, 0), from);
                fold(unit, from, store);
            }
        }

        private At input(int input) {
            return overFolds ? KernelWriter.this.fold(input) : unit(input, 0);
        }

        private int use(int value, Statement user) {
            return registers.of(value, user, (register, input) -> code.load(register, input(input)));
        }

        private void fold(int unit, int value, Statement user) {
            if (check == Check.NONE || overFolds) {
                return;
            }
            Integer register = foldRegisters.get(unit);
            if (register != null) {
                code.xor(register, register, value);
            } else {
                int sum = registers.take(user);
                code.xor(sum, value, KernelWriter.this.fold(unit)).store(KernelWriter.this.fold(unit), sum);
                registers.give(sum);
            }
        }
    }
}
