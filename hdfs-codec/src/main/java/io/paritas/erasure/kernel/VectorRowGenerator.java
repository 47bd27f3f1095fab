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
 * Writes the class of one {@link RowKernel}: a loop over the vectors of a tile, whose body is the row's steps as
 * straight-line calls of the Vector API. Each input is loaded once per vector and stays in a register.
 *
 * <pre>
 * for (x = 0; x &lt;= size - LANES; x += LANES) {
 *     v0 = ByteVector.fromArray(SPECIES, a0, o0 + x); ...
 *     y = v3.lanewise(XOR, v4); ...         // the inputs with the highest bit
 *     y = timesX(y).lanewise(XOR, v0); ...  // then bit by bit
 *     y.intoArray(target, at + x);
 * }
 * </pre>
 *
 * <p>"Times x" on bytes is four instructions: double, compare with zero, blend, xor. The calls go to the API directly:
 * C2 inlines it without limit, but would soon stop to inline helpers of ours between. Only loads and stores of {@code
 * byte[]} are used, the part of the API that is the same on JDK 17 and on every later one.
 */
final class VectorRowGenerator {
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
    private static final int TARGET = 3;
    private static final int AT = 4;
    private static final int LIMIT = 5;
    private static final int X = 6;
    private static final int ZERO = 7;
    private static final int POLYNOMIAL = 8;
    private static final int RESULT = 9;
    private static final int INPUTS = 10;

    /** One input's number and its three local variables. */
    private record Input(int number, int array) {
        int offset() {
            return array + 1;
        }

        int vector() {
            return array + 2;
        }
    }

    private final int[] steps;
    private final int lanes;
    private final List<Input> inputs;
    private final MethodVisitor code;

    private VectorRowGenerator(int[] steps, int lanes, MethodVisitor code) {
        this.steps = steps;
        this.lanes = lanes;
        this.code = code;
        int[] numbers = Arrays.stream(steps)
                .filter(s -> s != Program.TIMES_X)
                .distinct()
                .toArray();
        inputs = IntStream.range(0, numbers.length)
                .mapToObj(i -> new Input(numbers[i], INPUTS + 3 * i))
                .toList();
    }

    /**
     * Generates a row kernel as a hidden class, which the collector takes with its last instance.
     *
     * @param home the lookup of {@link VectorKernel}, whose {@code SPECIES} has this many lanes
     * @param store what becomes of the result
     */
    static RowKernel generate(MethodHandles.Lookup home, int[] steps, int lanes, Store store) {
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_FRAMES) {
            @Override
            protected String getCommonSuperClass(String one, String other) {
                return "java/lang/Object"; // loads no class
            }
        };
        writer.visit(V17, ACC_FINAL | ACC_SUPER, HOME + "Row", null, "java/lang/Object", interfaces());
        writeConstructor(writer);
        MethodVisitor method = writer.visitMethod(ACC_PUBLIC, "apply", "([[B[I[BII)I", null, null);
        new VectorRowGenerator(steps, lanes, method).writeApply(store);
        writer.visitEnd();
        try {
            return (RowKernel) home.defineHiddenClass(writer.toByteArray(), true)
                    .lookupClass()
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("Cannot define the class of a vector kernel", e);
        }
    }

    private static String[] interfaces() {
        return new String[] {Type.getInternalName(RowKernel.class)};
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
        writeSteps();
        writeStore(store);
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
        for (Input input : inputs) {
            code.visitVarInsn(ALOAD, ARRAYS);
            code.visitIntInsn(SIPUSH, input.number);
            code.visitInsn(AALOAD);
            code.visitVarInsn(ASTORE, input.array);
            code.visitVarInsn(ALOAD, OFFSETS);
            code.visitIntInsn(SIPUSH, input.number);
            code.visitInsn(IALOAD);
            code.visitVarInsn(ISTORE, input.offset());
        }
    }

    private void writeLoad(Input input) {
        writeLoad(input.array, input.offset());
        code.visitVarInsn(ASTORE, input.vector());
    }

    private void writeLoad(int array, int offset) {
        writeSpecies();
        code.visitVarInsn(ALOAD, array);
        code.visitVarInsn(ILOAD, offset);
        code.visitVarInsn(ILOAD, X);
        code.visitInsn(IADD);
        code.visitMethodInsn(INVOKESTATIC, VECTOR, "fromArray", "(" + SPECIES + "[BI)" + A_VECTOR, false);
    }

    private void writeSteps() {
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

    private void writeStore(Store store) {
        code.visitVarInsn(ALOAD, RESULT);
        if (store == Store.ADD) {
            writeLoad(TARGET, AT);
            writeXor();
        }
        code.visitVarInsn(ALOAD, TARGET);
        code.visitVarInsn(ILOAD, AT);
        code.visitVarInsn(ILOAD, X);
        code.visitInsn(IADD);
        code.visitMethodInsn(INVOKEVIRTUAL, VECTOR, "intoArray", "([BI)V", false);
    }

    private void writeSpecies() {
        code.visitFieldInsn(GETSTATIC, HOME, "SPECIES", SPECIES);
    }
}
