/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import io.paritas.erasure.kernel.machine.Body.Folding;
import io.paritas.erasure.kernel.machine.CodeBuffer.Label;
import io.paritas.erasure.kernel.machine.Frame.Place;
import io.paritas.erasure.kernel.machine.MachineCode.Check;
import io.paritas.erasure.kernel.machine.Memory.At;
import java.util.List;
import java.util.Optional;

/**
 * Writes a program as a loop of machine code: {@code int kernel(long length, inputs…, outputs…)} by the calling
 * convention of Linux. The length is that of a vector or more. The result is not 0 if the code noticed that it made a mistake.
 *
 * <p>The loop takes two vectors of each unit a turn, at places where the first unit is aligned to vectors. What it leaves is
 * done before, a vector at a time: the end, which overlaps the loop's share, one vector more if their number is odd, and the start.
 * To compute bytes twice is harmless.
 *
 * <p>The loop runs from the end to the start. Arrays that were allocated one after the other lie a few bytes more than a
 * multiple of a page apart. Upwards, the next loads would follow stores to the same place of another page, and a processor
 * takes them for loads of what was just stored, and waits.
 *
 * <p>The check: a fold is the xor of a unit's vectors, turned by a byte after every {@link #TILE} vectors. A program is linear
 * and works byte by byte, so that its outputs' folds are what it makes of the inputs' folds. The end of the code computes
 * this once more, on the registers of the folds, and compares. It takes the same constants for it, so those are compared with copies
 * of theirs. Where the {@link Target} says so, the second vector of a turn is
 * folded together with the first one.
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

    /** Registers for a sum of differences and for both sides of one. */
    private static final int COMPARED = 3;

    private final Target target;
    private final ProductProgram program;
    /** What the check computes: the program itself, but in tests. */
    private final ProductProgram expected;

    private final Check check;
    private final Assembler code;
    private final Frame frame;
    private final Register index;
    private final VectorRegisters vectors;
    private final Body.Shared shared;
    private final int units;
    private final int vector;

    private KernelWriter(Target target, ProductProgram program, ProductProgram expected, Check check) {
        Tier tier = target.tier();
        this.target = target;
        this.program = program;
        this.expected = expected;
        this.check = check;
        this.units = program.inputs() + program.outputs();
        this.vector = tier.width.bytes;
        int folded = check == Check.FOLD ? units : 0;
        code = tier.assembler();
        frame = new Frame(code, tier.architecture.convention, units, folded);
        index = frame.index();
        ProductConstants constants = new ProductConstants(code, tier);
        vectors = new VectorRegisters(tier, need(), folded, constants.of(program));
        shared = new Body.Shared(code, tier, frame, vectors, constants);
    }

    /** The registers that the results take, found by writing a body once for nothing, but enough to compare with. */
    private int need() {
        Tier tier = target.tier();
        Assembler nothing = tier.assembler();
        VectorRegisters all = new VectorRegisters(tier, VectorRegisters.available(tier), 0, List.of());
        Body.Shared rehearsal = new Body.Shared(
                nothing,
                tier,
                new Frame(nothing, tier.architecture.convention, units, units),
                all,
                new ProductConstants(nothing, tier));
        Body body = new Body(rehearsal, program, folding(Folding.EACH), 0);
        body.write();
        return Math.max(COMPARED, body.need());
    }

    /**
     * Returns the code of a program.
     *
     * @throws RegisterFile.TooFewException if the processor has too few registers for the program
     */
    static byte[] write(Target target, ProductProgram program, Check check) {
        return write(target, program, program, check);
    }

    /** Returns code that computes a program and checks it by another one, which tests make differ. */
    static byte[] write(Target target, ProductProgram program, ProductProgram expected, Check check) {
        Tier tier = target.tier();
        return new KernelWriter(target, tier.lowered(program), tier.lowered(expected), check).write();
    }

    private byte[] write() {
        frame.enter();
        shared.constants().load(vectors);
        clearFolds();
        writeEdges();
        writeLoop();
        Label fault = new Label();
        if (check == Check.FOLD) {
            compareFolds(fault);
        } else {
            code.clear(index);
        }
        frame.leave();
        code.bind(fault).add(index, 1);
        frame.leave();
        return code.assemble();
    }

    private void writeBody(Folding folding, int distance) {
        new Body(shared, program, folding(folding), distance).write();
    }

    private Folding folding(Folding wanted) {
        return check == Check.FOLD ? wanted : Folding.NONE;
    }

    /** Computes what the loop does not: one body, run for up to three places. */
    private void writeEdges() {
        Label edge = new Label();
        Label odd = new Label();
        Label start = new Label();
        Label loop = new Label();
        code.load(index, frame.at(Place.END))
                .compare(index, frame.at(Place.LAST))
                .jump(Condition.NOT_ZERO, edge);
        code.bind(odd).load(index, frame.at(Place.LAST)).subtract(index, frame.at(Place.FIRST));
        code.test(index, vector).jump(Condition.NOT_ZERO, start);
        code.load(index, frame.at(Place.LAST)).subtract(index, vector).store(frame.at(Place.LAST), index);
        code.add(index, vector).bind(edge);
        writeBody(Folding.EACH, 0);
        code.compare(index, 0).jump(Condition.ZERO, loop);
        code.compare(index, frame.at(Place.END)).jump(Condition.ZERO, odd);
        code.bind(start).load(index, frame.at(Place.FIRST)).compare(index, 0).jump(Condition.ZERO, loop);
        code.clear(index).jump(edge).bind(loop);
    }

    private void writeLoop() {
        Label top = new Label();
        Label end = new Label();
        code.load(index, frame.at(Place.LAST))
                .compare(index, frame.at(Place.FIRST))
                .jump(Condition.LESS, end);
        code.align().bind(top);
        if (target.asksAhead()) {
            askAhead();
        }
        writeBody(target.foldsPairs() ? Folding.LATER : Folding.EACH, 0);
        int left = TURN * vector;
        if (target.tier().architecture.displaces) {
            writeBody(target.foldsPairs() ? Folding.BOTH : Folding.EACH, -vector);
        } else {
            code.subtract(index, vector);
            left -= vector;
            writeBody(Folding.EACH, 0);
        }
        turnFolds();
        code.subtract(index, left).compare(index, frame.at(Place.FIRST)).jump(Condition.NOT_LESS, top);
        code.bind(end);
    }

    private void askAhead() {
        for (int i = 0; i < TURN; i++) {
            for (int unit = 0; unit < (units <= FEW ? units : program.inputs()); unit++) {
                code.prefetch(frame.unit(unit, -AHEAD - i * vector));
            }
        }
    }

    // Folds.

    private void clearFolds() {
        if (check == Check.NONE) {
            return;
        }
        int zero = vectors.temporaries().peek();
        code.xor(zero, zero, zero);
        for (int unit = 0; unit < units; unit++) {
            int place = unit;
            vectors.fold(unit)
                    .ifPresentOrElse(
                            register -> code.xor(register, register, register),
                            () -> code.store(frame.fold(place), zero));
        }
    }

    private void turnFolds() {
        if (check == Check.NONE) {
            return;
        }
        Label rest = new Label();
        code.test(index, (TILE - TURN) * vector).jump(Condition.NOT_ZERO, rest);
        int temporary = vectors.temporaries().peek();
        for (int unit = 0; unit < units; unit++) {
            At fold = frame.fold(unit);
            vectors.fold(unit)
                    .ifPresentOrElse(register -> code.turn(register, register), () -> code.load(temporary, fold)
                            .turn(temporary, temporary)
                            .store(fold, temporary));
        }
        code.bind(rest);
    }

    /** Inputs' folds go to memory, too, in case that their registers are needed for results. Nothing waits for that. */
    private void compareFolds(Label fault) {
        for (int input = 0; input < program.inputs(); input++) {
            At fold = frame.fold(input);
            vectors.fold(input).ifPresent(register -> code.store(fold, register));
        }
        new Body(shared, expected, Folding.COMPARE, 0).write();
        int sum = vectors.temporaries().peek();
        int next = vectors.temporaries().peekLast();
        int other = vectors.temporaries().stream().skip(1).findFirst().orElseThrow();
        code.xor(sum, sum, sum);
        for (int output = program.inputs(); output < units; output++) {
            Optional<Integer> register = vectors.fold(output);
            if (register.isEmpty()) {
                code.load(next, frame.fold(output));
            }
            code.or(sum, sum, register.orElse(next));
        }
        shared.constants().compare(program, vectors, sum, next, other);
        code.clear(index).testZero(sum).jump(Condition.NOT_ZERO, fault);
    }
}
