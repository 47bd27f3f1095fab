/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import io.paritas.erasure.kernel.machine.Memory.At;
import io.paritas.erasure.kernel.machine.Memory.Constant;
import io.paritas.erasure.kernel.machine.ProductProgram.Load;
import io.paritas.erasure.kernel.machine.ProductProgram.LookUp;
import io.paritas.erasure.kernel.machine.ProductProgram.Nibble;
import io.paritas.erasure.kernel.machine.ProductProgram.Statement;
import io.paritas.erasure.kernel.machine.ProductProgram.Store;
import io.paritas.erasure.kernel.machine.ProductProgram.Times;
import io.paritas.erasure.kernel.machine.ProductProgram.Xor;
import java.util.List;
import java.util.Optional;

/** A program's statements once, for a vector of each unit at some distance from the index, or for the folds. */
final class Body {
    /** What a body does for the folds. */
    enum Folding {
        /** Nothing: there are none. */
        NONE,
        /** It adds its vectors. */
        EACH,
        /** It leaves its vectors to the next body. */
        LATER,
        /** It adds its vectors and those of the body before it, one vector further on. */
        BOTH,
        /** It runs over the folds, and replaces each output's fold by the difference to it. */
        COMPARE
    }

    /**
     * What the code of a kernel shares.
     *
     * @param constants makes the constants of the program's products
     */
    record Shared(Assembler code, Tier tier, Frame frame, VectorRegisters vectors, ProductConstants constants) {}

    private final Assembler code;
    private final Tier tier;
    private final Frame frame;
    private final VectorRegisters vectors;
    private final ProductConstants constants;
    private final ProductProgram program;
    private final Folding folding;
    private final int distance;
    private final RegisterFile registers;

    Body(Shared shared, ProductProgram program, Folding folding, int distance) {
        this.code = shared.code;
        this.tier = shared.tier;
        this.frame = shared.frame;
        this.vectors = shared.vectors;
        this.constants = shared.constants;
        this.program = program;
        this.folding = folding;
        this.distance = distance;
        registers = new RegisterFile(program, vectors.temporaries());
    }

    void write() {
        frame.forgetAddress();
        List<Statement> statements = program.statements();
        for (int i = 0; i < statements.size(); i++) {
            write(statements.get(i), i);
            registers.after(i);
        }
        frame.forgetAddress();
    }

    /** The registers that the results took, all if they were too few. Known when the body is written. */
    int need() {
        return registers.hasEvicted() ? vectors.temporaries().size() : registers.most();
    }

    private void write(Statement statement, int position) {
        if (statement instanceof Load load) {
            write(load);
        } else if (statement instanceof Times times) {
            write(times);
        } else if (statement instanceof Nibble nibble) {
            write(nibble);
        } else if (statement instanceof LookUp lookUp) {
            write(lookUp);
        } else if (statement instanceof Xor xor) {
            write(xor, position);
        } else if (statement instanceof Store store) {
            write(store);
        }
    }

    private void write(Load load) {
        Optional<Integer> fold = vectors.fold(load.input());
        if (folding == Folding.COMPARE && fold.isPresent()) {
            registers.adopt(load.to(), fold.get());
            return;
        }
        int to = registers.make(load.to(), load);
        code.load(to, input(load.input()));
        fold(load.input(), to, load);
    }

    private void write(Times times) {
        int from = use(times.value(), times);
        int to = registers.make(times.to(), times);
        Constant matrix = constants.matrix(times);
        vectors.constant(matrix)
                .ifPresentOrElse(register -> code.affine(to, from, register), () -> code.affine(to, from, matrix));
    }

    private void write(Nibble nibble) {
        int from = use(nibble.value(), nibble);
        int to = registers.make(nibble.to(), nibble);
        if (nibble.isUpper()) {
            code.upperNibbles(to, from, vectors.nibbleMask());
        } else {
            code.and(to, from, vectors.nibbleMask());
        }
    }

    private void write(LookUp lookUp) {
        int from = use(lookUp.nibble(), lookUp);
        int to = registers.make(lookUp.to(), lookUp);
        Constant table = constants.table(lookUp);
        Optional<Integer> register = vectors.constant(table);
        if (register.isEmpty()) {
            code.load(to, table);
        }
        code.lookUp(to, register.orElse(to), from);
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
            compare(from, unit, store);
        } else {
            code.store(frame.unit(unit, distance), from);
            fold(unit, from, store);
        }
    }

    private void compare(int from, int unit, Statement user) {
        Optional<Integer> fold = vectors.fold(unit);
        if (fold.isPresent()) {
            code.xor(fold.get(), fold.get(), from);
            return;
        }
        int difference = registers.take(user);
        code.xor(difference, from, frame.fold(unit)).store(frame.fold(unit), difference);
        registers.give(difference);
    }

    private At input(int input) {
        return folding == Folding.COMPARE ? frame.fold(input) : frame.unit(input, distance);
    }

    private int use(int value, Statement user) {
        return registers.of(value, user, (register, input) -> code.load(register, input(input)));
    }

    private void fold(int unit, int value, Statement user) {
        if (folding != Folding.EACH && folding != Folding.BOTH) {
            return;
        }
        Optional<Integer> fold = vectors.fold(unit);
        if (fold.isEmpty()) {
            foldInMemory(unit, value, user);
        } else if (folding == Folding.BOTH) {
            code.xorBoth(fold.get(), value, before(unit));
        } else {
            code.xor(fold.get(), fold.get(), value);
        }
    }

    /** The register that is taken may be the value's own, if that is an input that was given up for it. */
    private void foldInMemory(int unit, int value, Statement user) {
        int sum = registers.take(user);
        code.xor(sum, value, frame.fold(unit));
        if (folding == Folding.BOTH) {
            code.xor(sum, sum, before(unit));
        }
        code.store(frame.fold(unit), sum);
        registers.give(sum);
    }

    /** The vector of the body before this one. */
    private At before(int unit) {
        return frame.unit(unit, distance + code.width().bytes);
    }
}
