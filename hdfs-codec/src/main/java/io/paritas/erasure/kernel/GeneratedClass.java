/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import static org.objectweb.asm.Opcodes.*;

import java.lang.invoke.MethodHandles;
import java.util.function.Consumer;
import org.objectweb.asm.ClassWriter;
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
            return type.cast(home.defineHiddenClass(writer.toByteArray(), true)
                    .lookupClass()
                    .getDeclaredConstructor()
                    .newInstance());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot define a class " + name, e);
        }
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
