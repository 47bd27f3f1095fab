/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.bytecode;

import static org.objectweb.asm.Opcodes.*;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.function.Consumer;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.ConstantDynamic;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Type;

/** Defines the classes of generated kernels. The classes are public, so that they can be instantiated here. */
public final class GeneratedClass {
    private GeneratedClass() {}

    /**
     * Returns an instance of a new hidden class with one method. The class is collected with its last instance.
     *
     * @param home lookup of a class in the package of the new one
     * @param type the interface that the class implements
     * @param method name of its only method, and {@code descriptor}, the method's types
     * @param body writes the code of the method
     * @throws IllegalStateException if the JVM does not take the class
     */
    public static <T> T define(
            MethodHandles.Lookup home, Class<T> type, String method, String descriptor, Consumer<MethodVisitor> body) {
        return define(home, type, method, descriptor, home, body);
    }

    /**
     * The same with an object that the code can load as a constant ({@link #loadData}), which the compilers then know.
     *
     * @param data the constant
     */
    public static <T> T define(
            MethodHandles.Lookup home,
            Class<T> type,
            String method,
            String descriptor,
            Object data,
            Consumer<MethodVisitor> body) {
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_FRAMES) {
            @Override
            protected String getCommonSuperClass(String one, String other) {
                return "java/lang/Object"; // loads no class
            }
        };
        String name = Type.getInternalName(home.lookupClass()) + "Code";
        writer.visit(V17, ACC_PUBLIC | ACC_FINAL | ACC_SUPER, name, null, "java/lang/Object", new String[] {
            Type.getInternalName(type)
        });
        writeConstructor(writer);
        MethodVisitor code = writer.visitMethod(ACC_PUBLIC, method, descriptor, null, null);
        code.visitCode();
        body.accept(code);
        code.visitMaxs(0, 0);
        code.visitEnd();
        writer.visitEnd();
        try {
            return type.cast(home.defineHiddenClassWithClassData(writer.toByteArray(), data, true)
                    .lookupClass()
                    .getDeclaredConstructor()
                    .newInstance());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot define a class " + name, e);
        }
    }

    /** Writes the instruction that loads the class's constant. */
    public static void loadData(MethodVisitor code, Class<?> type) {
        Handle classData = new Handle(
                H_INVOKESTATIC,
                Type.getInternalName(MethodHandles.class),
                "classData",
                MethodType.methodType(Object.class, MethodHandles.Lookup.class, String.class, Class.class)
                        .descriptorString(),
                false);
        code.visitLdcInsn(new ConstantDynamic("_", Type.getDescriptor(type), classData));
    }

    private static void writeConstructor(ClassWriter writer) {
        MethodVisitor constructor = writer.visitMethod(ACC_PUBLIC, "<init>", "()V", null, null);
        constructor.visitCode();
        constructor.visitVarInsn(ALOAD, 0);
        constructor.visitMethodInsn(INVOKESPECIAL, "java/lang/Object", "<init>", "()V", false);
        constructor.visitInsn(RETURN);
        constructor.visitMaxs(0, 0);
        constructor.visitEnd();
    }
}
