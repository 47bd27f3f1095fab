/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import static org.objectweb.asm.Opcodes.*;

import java.lang.invoke.MethodHandles;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Type;

/**
 * Writes the class of one {@link RowGroup}: a loop over the vectors of a tile, whose body is the steps of its rows as
 * straight-line calls of the Vector API. Each input is loaded once per vector and stays in a register.
 *
 * <pre>
 * for (x = 0; x &lt;= size - LANES; x += LANES) {
 *     v0 = ByteVector.fromArray(SPECIES, a0, o0 + x); ...
 *     y = v3.lanewise(XOR, v4); ...         // row by row: the inputs with the highest bit,
 *     y = timesX(y).lanewise(XOR, v0); ...  // then bit by bit
 *     y.intoArray(t0, p0 + x); ...
 * }
 * </pre>
 *
 * <p>"Times x" on bytes is four instructions: double, compare with zero, blend, xor. The calls go to the API directly:
 * C2 inlines it without limit, but would soon stop to inline helpers of ours between. Only loads and stores of {@code
 * byte[]} are used, the part of the API that is the same on JDK 17 and on every later one.
 */
final class RowGroupGenerator {
    /** What becomes of the result. */
    enum Store {
        OVERWRITE,
        ADD
    }

    private static final String API = "jdk/incubator/vector/";
    private static final String VECTOR = API + "ByteVector";
    private static final String OPERATORS = API + "VectorOperators";
    private static final String A_VECTOR = "L" + VECTOR + ";";
    private static final String ANY_VECTOR = "L" + API + "Vector;";
    private static final String SPECIES = "L" + API + "VectorSpecies;";
    private static final String MASK = "L" + API + "VectorMask;";
    private static final String BINARY = "L" + OPERATORS + "$Binary;";
    private static final String COMPARISON = "L" + OPERATORS + "$Comparison;";
    private static final String HOME = "io/paritas/erasure/kernel/VectorKernel";

    private static final int REDUCTION = 0x1d;

    /** Local variables of the generated method: first its parameters. */
    private static final int ARRAYS = 1;

    private static final int OFFSETS = 2;
    private static final int TARGETS = 3;
    private static final int TARGET_OFFSETS = 4;
    private static final int LIMIT = 5;
    private static final int X = 6;
    private static final int ZERO = 7;
    private static final int POLYNOMIAL = 8;
    private static final int RESULT = 9;
    private static final int FIRST_UNIT = 10;

    /** The steps of one output. */
    record Row(int output, int[] steps) {}

    /** An input or output: its number, and its local variables for the array, the offset, and an input's vector. */
    private record Unit(int number, int array) {
        static final int LOCALS = 3;

        int offset() {
            return array + 1;
        }

        int vector() {
            return array + 2;
        }
    }

    private final List<Row> rows;
    private final int lanes;
    private final List<Unit> inputs;
    private final List<Unit> outputs;
    private final MethodVisitor code;

    private RowGroupGenerator(List<Row> rows, int lanes, MethodVisitor code) {
        this.rows = rows;
        this.lanes = lanes;
        this.code = code;
        int[] used = rows.stream()
                .flatMapToInt(row -> Arrays.stream(row.steps))
                .filter(step -> step != Program.TIMES_X)
                .distinct()
                .toArray();
        inputs = units(used, FIRST_UNIT);
        outputs = units(rows.stream().mapToInt(Row::output).toArray(), FIRST_UNIT + used.length * Unit.LOCALS);
    }

    private static List<Unit> units(int[] numbers, int firstLocal) {
        return IntStream.range(0, numbers.length)
                .mapToObj(i -> new Unit(numbers[i], firstLocal + i * Unit.LOCALS))
                .toList();
    }

    /**
     * Generates the code of some rows as a hidden class, which the collector takes with its last instance.
     *
     * @param home the lookup of {@link VectorKernel}, whose {@code SPECIES} has this many lanes
     * @param store what becomes of the result
     */
    static RowGroup generate(MethodHandles.Lookup home, List<Row> rows, int lanes, Store store) {
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_FRAMES) {
            @Override
            protected String getCommonSuperClass(String one, String other) {
                return "java/lang/Object"; // loads no class
            }
        };
        writer.visit(V17, ACC_FINAL | ACC_SUPER, HOME + "Rows", null, "java/lang/Object", interfaces());
        writeConstructor(writer);
        MethodVisitor method = writer.visitMethod(ACC_PUBLIC, "apply", "([[B[I[[B[II)I", null, null);
        new RowGroupGenerator(rows, lanes, method).writeApply(store);
        writer.visitEnd();
        try {
            return (RowGroup) home.defineHiddenClass(writer.toByteArray(), true)
                    .lookupClass()
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("Cannot define the class of a vector kernel", e);
        }
    }

    private static String[] interfaces() {
        return new String[] {Type.getInternalName(RowGroup.class)};
    }

    private static void writeConstructor(ClassWriter writer) {
        MethodVisitor constructor = writer.visitMethod(0, "<init>", "()V", null, null);
        constructor.visitCode();
        constructor.visitVarInsn(ALOAD, 0);
        constructor.visitMethodInsn(INVOKESPECIAL, "java/lang/Object", "<init>", "()V", false);
        constructor.visitInsn(RETURN);
        constructor.visitMaxs(0, 0);
        constructor.visitEnd();
    }

    private void writeApply(Store store) {
        code.visitCode();
        writeInvariants();
        Label condition = new Label();
        Label body = new Label();
        code.visitJumpInsn(GOTO, condition);
        code.visitLabel(body);
        inputs.forEach(this::writeLoad);
        for (int i = 0; i < rows.size(); i++) {
            writeSteps(rows.get(i).steps);
            writeStore(outputs.get(i), store);
        }
        code.visitIincInsn(X, lanes);
        code.visitLabel(condition);
        code.visitVarInsn(ILOAD, X);
        code.visitVarInsn(ILOAD, LIMIT);
        code.visitJumpInsn(IF_ICMPLE, body);
        code.visitVarInsn(ILOAD, X);
        code.visitInsn(IRETURN);
        code.visitMaxs(0, 0);
        code.visitEnd();
    }

    private void writeInvariants() {
        code.visitIincInsn(LIMIT, -lanes);
        code.visitInsn(ICONST_0);
        code.visitVarInsn(ISTORE, X);
        writeSpecies();
        code.visitMethodInsn(INVOKESTATIC, VECTOR, "zero", "(" + SPECIES + ")" + A_VECTOR, false);
        code.visitVarInsn(ASTORE, ZERO);
        writeSpecies();
        code.visitIntInsn(BIPUSH, REDUCTION);
        code.visitMethodInsn(INVOKESTATIC, VECTOR, "broadcast", "(" + SPECIES + "B)" + A_VECTOR, false);
        code.visitVarInsn(ASTORE, POLYNOMIAL);
        inputs.forEach(input -> writePlace(input, ARRAYS, OFFSETS));
        outputs.forEach(output -> writePlace(output, TARGETS, TARGET_OFFSETS));
    }

    private void writePlace(Unit unit, int arrays, int offsets) {
        code.visitVarInsn(ALOAD, arrays);
        code.visitIntInsn(SIPUSH, unit.number);
        code.visitInsn(AALOAD);
        code.visitVarInsn(ASTORE, unit.array);
        code.visitVarInsn(ALOAD, offsets);
        code.visitIntInsn(SIPUSH, unit.number);
        code.visitInsn(IALOAD);
        code.visitVarInsn(ISTORE, unit.offset());
    }

    private void writeLoad(Unit input) {
        writeVectorOf(input);
        code.visitVarInsn(ASTORE, input.vector());
    }

    private void writeVectorOf(Unit unit) {
        writeSpecies();
        code.visitVarInsn(ALOAD, unit.array);
        writeIndex(unit);
        code.visitMethodInsn(INVOKESTATIC, VECTOR, "fromArray", "(" + SPECIES + "[BI)" + A_VECTOR, false);
    }

    private void writeIndex(Unit unit) {
        code.visitVarInsn(ILOAD, unit.offset());
        code.visitVarInsn(ILOAD, X);
        code.visitInsn(IADD);
    }

    private void writeSteps(int[] steps) {
        code.visitVarInsn(ALOAD, ZERO);
        code.visitVarInsn(ASTORE, RESULT);
        boolean zero = true;
        for (int step : steps) {
            if (step != Program.TIMES_X) {
                writeAdd(vectorOf(step), zero);
                zero = false;
            } else if (!zero) {
                writeTimesX();
            }
        }
    }

    private int vectorOf(int number) {
        return inputs.stream()
                .filter(input -> input.number == number)
                .findFirst()
                .orElseThrow()
                .vector();
    }

    private void writeAdd(int vector, boolean toZero) {
        code.visitVarInsn(ALOAD, vector);
        if (!toZero) {
            code.visitVarInsn(ALOAD, RESULT);
            writeXor();
        }
        code.visitVarInsn(ASTORE, RESULT);
    }

    /** y.add(y) xor zero.blend(polynomial, y.compare(LT, 0)). */
    private void writeTimesX() {
        code.visitVarInsn(ALOAD, RESULT);
        code.visitInsn(DUP);
        code.visitMethodInsn(INVOKEVIRTUAL, VECTOR, "add", "(" + ANY_VECTOR + ")" + A_VECTOR, false);
        code.visitVarInsn(ALOAD, ZERO);
        code.visitVarInsn(ALOAD, POLYNOMIAL);
        code.visitVarInsn(ALOAD, RESULT);
        code.visitFieldInsn(GETSTATIC, OPERATORS, "LT", COMPARISON);
        code.visitInsn(ICONST_0);
        code.visitMethodInsn(INVOKEVIRTUAL, VECTOR, "compare", "(" + COMPARISON + "B)" + MASK, false);
        code.visitMethodInsn(INVOKEVIRTUAL, VECTOR, "blend", "(" + ANY_VECTOR + MASK + ")" + A_VECTOR, false);
        writeXor();
        code.visitVarInsn(ASTORE, RESULT);
    }

    /** Xors the two vectors on the stack. */
    private void writeXor() {
        code.visitFieldInsn(GETSTATIC, OPERATORS, "XOR", "L" + OPERATORS + "$Associative;");
        code.visitInsn(SWAP);
        code.visitMethodInsn(INVOKEVIRTUAL, VECTOR, "lanewise", "(" + BINARY + ANY_VECTOR + ")" + A_VECTOR, false);
    }

    private void writeStore(Unit output, Store store) {
        code.visitVarInsn(ALOAD, RESULT);
        if (store == Store.ADD) {
            writeVectorOf(output);
            writeXor();
        }
        code.visitVarInsn(ALOAD, output.array);
        writeIndex(output);
        code.visitMethodInsn(INVOKEVIRTUAL, VECTOR, "intoArray", "([BI)V", false);
    }

    private void writeSpecies() {
        code.visitFieldInsn(GETSTATIC, HOME, "SPECIES", SPECIES);
    }
}
