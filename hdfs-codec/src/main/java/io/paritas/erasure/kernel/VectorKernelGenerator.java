/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import static org.objectweb.asm.Opcodes.*;

import io.paritas.erasure.kernel.Program.Definition;
import io.paritas.erasure.kernel.Program.Operation;
import io.paritas.erasure.kernel.bytecode.GeneratedClass;
import java.lang.invoke.MethodHandles;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;

/**
 * Writes the class of one {@link VectorMethod}: a loop over the vectors of a tile, whose body is a program as
 * straight-line calls of the Vector API. Each input is loaded once per vector. Every value is a local variable, which
 * C2 keeps in a register.
 *
 * <pre>
 * for (x = 0; x &lt; size; x += LANES) {
 *     v0 = ByteVector.fromArray(SPECIES, a0, o0 + x); ...
 *     v6 = v3.lanewise(XOR, v4); ...
 *     v7 = v6.add(v6).lanewise(XOR, ...); ...         // times x
 *     v9.intoArray(t0, p0 + x); ...
 * }
 * </pre>
 *
 * <p>The code calls the API directly: C2 inlines it without limit, but would stop inlining helper methods in between.
 * Loads and stores of {@code byte[]} are the same on JDK 17 and later; for direct memory, {@link Access} has both
 * forms. If the machine has an instruction for the xor of three vectors (AVX-512), C2 uses it.
 */
final class VectorKernelGenerator {
    /** What the code does in addition to computing its outputs. */
    enum Feature {
        /** Adds the result to the outputs instead of overwriting them. */
        ADD,
        /** Folds the vectors that are loaded of each input. */
        FOLD_INPUTS,
        /** Folds the vectors that are stored in each output. */
        FOLD_OUTPUTS
    }

    /** How the code accesses the bytes of units. */
    enum Access {
        ARRAYS("[B", "Array", "I", ""),
        /** Direct buffers, on JDK 17 and 18. */
        BUFFERS("java/nio/ByteBuffer", "ByteBuffer", "I", BYTE_ORDER),
        /** Memory segments over direct buffers, on JDK 19 and newer. */
        SEGMENTS("java/lang/foreign/MemorySegment", "MemorySegment", "J", BYTE_ORDER);

        final String type;
        private final String suffix;
        private final String index;
        private final String order;

        Access(String type, String suffix, String index, String order) {
            this.type = type;
            this.suffix = suffix;
            this.index = index;
            this.order = order;
        }

        private String descriptor() {
            return type.startsWith("[") ? type : "L" + type + ";";
        }

        /** Replaces species, memory and index on the stack by the vector. */
        void writeLoad(MethodVisitor code) {
            writeOrder(code);
            code.visitMethodInsn(
                    INVOKESTATIC,
                    VECTOR,
                    "from" + suffix,
                    "(" + SPECIES + descriptor() + index + order + ")" + A_VECTOR,
                    false);
        }

        /** Takes vector, memory and index from the stack. */
        void writeStore(MethodVisitor code) {
            writeOrder(code);
            code.visitMethodInsn(
                    INVOKEVIRTUAL, VECTOR, "into" + suffix, "(" + descriptor() + index + order + ")V", false);
        }

        private void writeOrder(MethodVisitor code) {
            if (!order.isEmpty()) {
                code.visitFieldInsn(GETSTATIC, "java/nio/ByteOrder", "LITTLE_ENDIAN", order);
            }
        }
    }

    private static final String BYTE_ORDER = "Ljava/nio/ByteOrder;";
    private static final String API = "jdk/incubator/vector/";
    private static final String VECTOR = API + "ByteVector";
    private static final String OPERATORS = API + "VectorOperators";
    private static final String A_VECTOR = "L" + VECTOR + ";";
    private static final String ANY_VECTOR = "L" + API + "Vector;";
    private static final String SPECIES = "L" + API + "VectorSpecies;";
    private static final String MASK = "L" + API + "VectorMask;";
    private static final String BINARY = "L" + OPERATORS + "$Binary;";
    private static final String ASSOCIATIVE = "L" + OPERATORS + "$Associative;";
    private static final String COMPARISON = "L" + OPERATORS + "$Comparison;";
    private static final String HOME = "io/paritas/erasure/kernel/VectorKernel";

    private static final int REDUCTION = 0x1d;

    /** Most calls of the API for one "times x": see {@link #writeClamp}. */
    static final int CALLS_OF_TIMES_X = 5;

    /** Local variables of the generated method, its parameters first. */
    private static final int ARRAYS = 1;

    private static final int OFFSETS = 2;
    private static final int TARGETS = 3;
    private static final int TARGET_OFFSETS = 4;
    private static final int START = 5;
    private static final int SIZE = 6;
    private static final int FOLDS = 7;
    private static final int X = 8;
    private static final int ZERO = 9;
    private static final int MINUS_ONE = 10;
    private static final int POLYNOMIAL = 11;
    private static final int FIRST_UNIT = 12;

    /**
     * An input or output of the code.
     *
     * @param number its index among the arrays
     * @param fold its index among the folds
     * @param memory the local variable of its array or buffer, followed by those of its offset and its fold
     */
    private record Unit(int number, int fold, int memory) {
        static final int LOCALS = 3;

        int offset() {
            return memory + 1;
        }

        int foldVariable() {
            return memory + 2;
        }
    }

    private final Part part;
    private final Access access;
    private final Schedule schedule;
    private final int lanes;
    private final List<Unit> inputs;
    private final List<Unit> outputs;
    private final int firstValue;
    private final MethodVisitor code;

    /**
     * The part of a program that one class computes.
     *
     * @param program over the inputs and outputs of this part only
     * @param inputs the kernel's numbers of the part's inputs
     * @param outputs the kernel's numbers of the part's outputs
     * @param firstOutputFold index of the first output among the folds, after the inputs
     * @param features what the code does in addition
     */
    record Part(Program program, int[] inputs, int[] outputs, int firstOutputFold, Set<Feature> features) {}

    private VectorKernelGenerator(Part part, Access access, Schedule schedule, int lanes, MethodVisitor code) {
        this.part = part;
        this.access = access;
        this.schedule = schedule;
        this.lanes = lanes;
        this.code = code;
        inputs = units(part.inputs, 0, FIRST_UNIT);
        outputs = units(part.outputs, part.firstOutputFold, FIRST_UNIT + inputs.size() * Unit.LOCALS);
        firstValue = FIRST_UNIT + (inputs.size() + outputs.size()) * Unit.LOCALS;
    }

    private static List<Unit> units(int[] numbers, int firstFold, int firstLocal) {
        return IntStream.range(0, numbers.length)
                .mapToObj(i -> new Unit(numbers[i], firstFold + numbers[i], firstLocal + i * Unit.LOCALS))
                .toList();
    }

    /**
     * Generates the code as a hidden class, which is collected with its last instance.
     *
     * @param home the lookup of {@link VectorKernel}, whose {@code SPECIES} has this many lanes
     */
    static VectorMethod generate(MethodHandles.Lookup home, Part part, Access access, Schedule schedule, int lanes) {
        return GeneratedClass.define(
                home,
                VectorMethod.class,
                "apply",
                "([Ljava/lang/Object;[I[Ljava/lang/Object;[III[B)V",
                code -> new VectorKernelGenerator(part, access, schedule, lanes, code).writeApply());
    }

    private void writeApply() {
        writeInvariants();
        Label condition = new Label();
        Label body = new Label();
        code.visitJumpInsn(GOTO, condition);
        code.visitLabel(body);
        for (int turn = 0; turn < schedule.vectors(); turn++) {
            writeTurn(turn);
        }
        code.visitIincInsn(X, lanes * schedule.vectors());
        code.visitLabel(condition);
        code.visitVarInsn(ILOAD, X);
        code.visitVarInsn(ILOAD, SIZE);
        code.visitJumpInsn(IF_ICMPLT, body);
        folded().forEach(this::writeFold);
        code.visitInsn(RETURN);
    }

    private List<Unit> folded() {
        return IntStream.range(0, inputs.size() + outputs.size())
                .filter(i -> part.features.contains(i < inputs.size() ? Feature.FOLD_INPUTS : Feature.FOLD_OUTPUTS))
                .mapToObj(i -> i < inputs.size() ? inputs.get(i) : outputs.get(i - inputs.size()))
                .toList();
    }

    private void writeInvariants() {
        code.visitInsn(ICONST_0);
        code.visitVarInsn(ISTORE, X);
        writeBroadcast(0, ZERO);
        writeBroadcast(-1, MINUS_ONE);
        writeBroadcast(REDUCTION, POLYNOMIAL);
        inputs.forEach(input -> writePlace(input, ARRAYS, OFFSETS));
        outputs.forEach(output -> writePlace(output, TARGETS, TARGET_OFFSETS));
        for (Unit unit : folded()) {
            code.visitVarInsn(ALOAD, ZERO);
            code.visitVarInsn(ASTORE, unit.foldVariable());
        }
    }

    private void writeBroadcast(int constant, int variable) {
        writeSpecies();
        code.visitIntInsn(BIPUSH, constant);
        code.visitMethodInsn(INVOKESTATIC, VECTOR, "broadcast", "(" + SPECIES + "B)" + A_VECTOR, false);
        code.visitVarInsn(ASTORE, variable);
    }

    private void writePlace(Unit unit, int arrays, int offsets) {
        code.visitVarInsn(ALOAD, arrays);
        code.visitIntInsn(SIPUSH, unit.number);
        code.visitInsn(AALOAD);
        code.visitTypeInsn(CHECKCAST, access.type);
        code.visitVarInsn(ASTORE, unit.memory);
        code.visitVarInsn(ALOAD, offsets);
        code.visitIntInsn(SIPUSH, unit.number);
        code.visitInsn(IALOAD);
        code.visitVarInsn(ILOAD, START);
        code.visitInsn(IADD);
        code.visitVarInsn(ISTORE, unit.offset());
    }

    /** Writes one turn: one vector of each unit. */
    private void writeTurn(int turn) {
        for (int i = 0; i < inputs.size(); i++) {
            writeVectorOf(inputs.get(i), turn);
            code.visitVarInsn(ASTORE, firstValue + i);
            if (part.features.contains(Feature.FOLD_INPUTS)) {
                writeFoldOf(inputs.get(i), firstValue + i);
            }
        }
        List<Definition> definitions = part.program.definitions();
        for (int i = 0; i < definitions.size(); i++) {
            int value = inputs.size() + i;
            writeDefinition(definitions.get(i));
            code.visitVarInsn(ASTORE, firstValue + value);
            IntStream.range(0, outputs.size())
                    .filter(output -> part.program.output(output) == value)
                    .forEach(output -> writeStore(outputs.get(output), firstValue + value, turn));
        }
    }

    private void writeVectorOf(Unit unit, int turn) {
        writeSpecies();
        code.visitVarInsn(ALOAD, unit.memory);
        writeIndex(unit, turn);
        access.writeLoad(code);
    }

    /**
     * Leaves the index of this turn's vector on the stack, computed from a variable that starts at zero: only in this
     * form does C2 move the bounds check and the sum of invariants out of the loop.
     */
    private void writeIndex(Unit unit, int turn) {
        code.visitVarInsn(ILOAD, X);
        if (access == Access.SEGMENTS) {
            code.visitInsn(I2L);
            code.visitVarInsn(ILOAD, unit.offset());
            code.visitInsn(I2L);
            code.visitInsn(LADD);
            if (turn > 0) {
                code.visitLdcInsn((long) turn * lanes);
                code.visitInsn(LADD);
            }
        } else {
            code.visitVarInsn(ILOAD, unit.offset());
            code.visitInsn(IADD);
            if (turn > 0) {
                code.visitIntInsn(SIPUSH, turn * lanes);
                code.visitInsn(IADD);
            }
        }
    }

    private void writeFoldOf(Unit unit, int variable) {
        code.visitVarInsn(ALOAD, unit.foldVariable());
        code.visitVarInsn(ALOAD, variable);
        writeXor();
        code.visitVarInsn(ASTORE, unit.foldVariable());
    }

    /** Leaves the definition's value on the stack. */
    private void writeDefinition(Definition definition) {
        List<Integer> operands = definition.operands();
        if (definition.operation() == Operation.TIMES_X) {
            writeTimesX(firstValue + operands.get(0));
        } else if (operands.isEmpty()) {
            code.visitVarInsn(ALOAD, ZERO);
        } else {
            code.visitVarInsn(ALOAD, firstValue + operands.get(0));
            for (int operand : operands.subList(1, operands.size())) {
                code.visitVarInsn(ALOAD, firstValue + operand);
                writeXor();
            }
        }
    }

    /** Writes y.add(y) xor (the polynomial where y is negative). */
    private void writeTimesX(int variable) {
        code.visitVarInsn(ALOAD, variable);
        code.visitInsn(DUP);
        code.visitMethodInsn(INVOKEVIRTUAL, VECTOR, "add", "(" + ANY_VECTOR + ")" + A_VECTOR, false);
        switch (schedule.timesX()) {
            case COMPARE -> writeComparison(variable);
            case CLAMP -> writeClamp(variable);
        }
        writeXor();
    }

    /** Writes zero.blend(polynomial, y.compare(LT, 0)). */
    private void writeComparison(int variable) {
        code.visitVarInsn(ALOAD, ZERO);
        code.visitVarInsn(ALOAD, POLYNOMIAL);
        code.visitVarInsn(ALOAD, variable);
        code.visitFieldInsn(GETSTATIC, OPERATORS, "LT", COMPARISON);
        code.visitInsn(ICONST_0);
        code.visitMethodInsn(INVOKEVIRTUAL, VECTOR, "compare", "(" + COMPARISON + "B)" + MASK, false);
        code.visitMethodInsn(INVOKEVIRTUAL, VECTOR, "blend", "(" + ANY_VECTOR + MASK + ")" + A_VECTOR, false);
    }

    /** Writes y.min(0).max(-1).and(polynomial). */
    private void writeClamp(int variable) {
        code.visitVarInsn(ALOAD, variable);
        writeOperation("MIN", ZERO);
        writeOperation("MAX", MINUS_ONE);
        writeOperation("AND", POLYNOMIAL);
    }

    private void writeOperation(String operator, int variable) {
        code.visitFieldInsn(GETSTATIC, OPERATORS, operator, ASSOCIATIVE);
        code.visitVarInsn(ALOAD, variable);
        code.visitMethodInsn(INVOKEVIRTUAL, VECTOR, "lanewise", "(" + BINARY + ANY_VECTOR + ")" + A_VECTOR, false);
    }

    /** Xors the two vectors on the stack. */
    private void writeXor() {
        code.visitFieldInsn(GETSTATIC, OPERATORS, "XOR", ASSOCIATIVE);
        code.visitInsn(SWAP);
        code.visitMethodInsn(INVOKEVIRTUAL, VECTOR, "lanewise", "(" + BINARY + ANY_VECTOR + ")" + A_VECTOR, false);
    }

    private void writeStore(Unit output, int variable, int turn) {
        code.visitVarInsn(ALOAD, variable);
        if (part.features.contains(Feature.ADD)) {
            writeVectorOf(output, turn);
            writeXor();
        }
        if (part.features.contains(Feature.FOLD_OUTPUTS)) {
            code.visitInsn(DUP);
            code.visitVarInsn(ALOAD, output.foldVariable());
            writeXor();
            code.visitVarInsn(ASTORE, output.foldVariable());
        }
        code.visitVarInsn(ALOAD, output.memory);
        writeIndex(output, turn);
        access.writeStore(code);
    }

    /**
     * Stores the fold of a unit, and does nothing else with it: if operations after the loop use it, C2 of JDK 17 may
     * keep it as an object, and allocate one in every turn.
     */
    private void writeFold(Unit unit) {
        code.visitVarInsn(ALOAD, unit.foldVariable());
        code.visitVarInsn(ALOAD, FOLDS);
        code.visitLdcInsn(unit.fold * lanes);
        Access.ARRAYS.writeStore(code);
    }

    private void writeSpecies() {
        code.visitFieldInsn(GETSTATIC, HOME, "SPECIES", SPECIES);
    }
}
