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
 * convention. The length is that of a vector or more. The result is not 0 if the code noticed that it made a mistake.
 *
 * <p>The loop takes two vectors of each unit a turn, at places where the first unit is aligned to vectors. What it leaves is
 * done before, a vector at a time: the end, which overlaps the loop's share, one vector more if their number is odd, and the start.
 * To compute bytes twice is harmless.
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
 * this once more and compares. Where one instruction xors three vectors, the second vector of a turn is folded together with
 * the first one, which is read again: half as many instructions.
 */
final class KernelWriter {
    /** Vectors after which the folds are turned, so that two equal mistakes do not cancel. */
    private static final int TILE = 64;

    /** Vectors of a unit in a turn of the loop. */
    private static final int TURN = 2;

    /** How far ahead of the loop inputs are asked for in the first-level cache, in bytes. */
    private static final int AHEAD = 512;

    /** Outputs are asked for, too, where units leave room in a set of the first-level cache, which has 12 or 8 ways. */
    private static final int FEW = 11;

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
    /** The bytes of folds at the bottom of the frame; the places of the loop lie above. */
    private final int foldBytes;

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
        foldBytes = check == Check.FOLD ? units * vector : 0;
        frame = foldBytes + Place.values().length * Long.BYTES;
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
        writeEdges();
        writeLoop();
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

    // The order of vectors.

    /** Where vectors start that the code asks for: in the frame. */
    private enum Place {
        /** The first one that is aligned. */
        FIRST,
        /** The last one of the loop. */
        LAST,
        /** The last one of all. */
        END
    }

    private At at(Place place) {
        return new At(Register.RSP, null, foldBytes + place.ordinal() * Long.BYTES);
    }

    /** Finds the places: the index is the length now, and the registers of pointers that come on the stack are still free. */
    private void findPlaces() {
        Register first = Register.RBX;
        Register last = Register.RBP;
        code.subtract(INDEX, vector).store(at(Place.END), INDEX);
        code.mov(first, POINTERS[0]).negate(first).and(first, vector - 1).store(at(Place.FIRST), first);
        code.mov(last, INDEX).subtract(last, first).and(last, -vector).add(last, first);
        code.store(at(Place.LAST), last);
    }

    /** Computes what the loop does not: one body, run for up to three places. */
    private void writeEdges() {
        Label edge = new Label();
        Label odd = new Label();
        Label start = new Label();
        Label loop = new Label();
        code.load(INDEX, at(Place.END)).compare(INDEX, at(Place.LAST)).jump(Condition.NOT_ZERO, edge);
        code.bind(odd).load(INDEX, at(Place.LAST)).subtract(INDEX, at(Place.FIRST));
        code.test(INDEX, vector).jump(Condition.NOT_ZERO, start);
        code.load(INDEX, at(Place.LAST)).subtract(INDEX, vector).store(at(Place.LAST), INDEX);
        code.add(INDEX, vector).bind(edge);
        new Body(program, Folding.EACH, 0).write();
        code.compare(INDEX, 0).jump(Condition.ZERO, loop);
        code.compare(INDEX, at(Place.END)).jump(Condition.ZERO, odd);
        code.bind(start).load(INDEX, at(Place.FIRST)).compare(INDEX, 0).jump(Condition.ZERO, loop);
        code.clear(INDEX).jump(edge).bind(loop);
    }

    private void writeLoop() {
        Label top = new Label();
        Label end = new Label();
        code.load(INDEX, at(Place.LAST)).compare(INDEX, at(Place.FIRST)).jump(Condition.LESS, end);
        code.align().bind(top);
        for (int i = 0; i < TURN; i++) {
            for (int unit = 0; unit < (units <= FEW ? units : program.inputs()); unit++) {
                code.prefetch(unit(unit, -AHEAD - i * vector));
            }
        }
        boolean together = tier.xorTerms() > 2;
        new Body(program, together ? Folding.LATER : Folding.EACH, 0).write();
        new Body(program, together ? Folding.BOTH : Folding.EACH, -vector).write();
        turnFolds();
        code.subtract(INDEX, TURN * vector).compare(INDEX, at(Place.FIRST)).jump(Condition.NOT_LESS, top);
        code.bind(end);
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
        Body body = rehearsal.new Body(program, Folding.EACH, 0);
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
        findPlaces();
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
        code.test(INDEX, (TILE - TURN) * vector).jump(Condition.NOT_ZERO, rest);
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
        new Body(expected, Folding.COMPARE, 0).write();
        int sum = temporaries.peek();
        int next = temporaries.peekLast();
        code.load(sum, fold(program.inputs()));
        for (int output = 1; output < program.outputs(); output++) {
            code.load(next, fold(program.inputs() + output)).or(sum, sum, next);
        }
        code.clear(Register.RAX).testZero(sum).jump(Condition.NOT_ZERO, fault);
    }

    /** What a body does for the folds. */
    private enum Folding {
        /** It adds its vectors. */
        EACH,
        /** It leaves its vectors to the next body. */
        LATER,
        /** It adds its vectors and those of the body before it, one vector further on. */
        BOTH,
        /** It runs over the folds, and replaces each output's fold by the difference to it. */
        COMPARE
    }

    /** The statements once, at some distance from the index. */
    private final class Body {
        private final List<Statement> statements;
        private final Folding folding;
        private final int distance;
        private final RegisterFile registers;

        Body(ProductProgram program, Folding folding, int distance) {
            this.statements = program.statements();
            this.folding = folding;
            this.distance = distance;
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
            if (folding == Folding.COMPARE) {
                int difference = registers.take(store);
                code.xor(difference, from, KernelWriter.this.fold(unit))
                        .store(KernelWriter.this.fold(unit), difference);
                registers.give(difference);
            } else {
                code.store(unit(unit, distance), from);
                fold(unit, from, store);
            }
        }

        private At input(int input) {
            return folding == Folding.COMPARE ? KernelWriter.this.fold(input) : unit(input, distance);
        }

        private int use(int value, Statement user) {
            return registers.of(value, user, (register, input) -> code.load(register, input(input)));
        }

        private void fold(int unit, int value, Statement user) {
            if (check == Check.NONE || folding == Folding.LATER || folding == Folding.COMPARE) {
                return;
            }
            Integer register = foldRegisters.get(unit);
            if (register == null) {
                // The register that is taken may be the value's own, if that is an input that was given up for it.
                int sum = registers.take(user);
                code.xor(sum, value, KernelWriter.this.fold(unit));
                if (folding == Folding.BOTH) {
                    code.xor(sum, sum, unit(unit, distance + vector));
                }
                code.store(KernelWriter.this.fold(unit), sum);
                registers.give(sum);
            } else if (folding == Folding.BOTH) {
                code.xorBoth(register, value, unit(unit, distance + vector));
            } else {
                code.xor(register, register, value);
            }
        }
    }
}
