/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.ref.Reference;
import java.lang.reflect.Field;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A call on Java 17 and 21, of a {@link TableEntry}: each thread has a table, for as many units as there may be. The JIT of Java 17 inlines
 * calls of functions that are constants, if all arguments come in registers, which are six. So a constant jumps to the code.
 */
final class TableCall implements MachineCall {
    private static final MethodHandle JUMP = MethodHandles.insertArguments(
            Foreign.here().function(int.class, long.class, long.class, long.class),
            0,
            ExecutableMemory.of(TableEntry.jump(Architecture.here().orElseThrow()))
                    .segment());

    private static final MethodHandle ADDRESS = addressOf();
    private static final ThreadLocal<ByteBuffer> TABLE = ThreadLocal.withInitial(
            () -> ByteBuffer.allocateDirect(MachineCode.MAX_UNITS * Long.BYTES).order(ByteOrder.nativeOrder()));

    /**
     * Returns a handle that tells where a direct buffer's memory begins, whatever its position is, {@code (ByteBuffer)long}. The field is not
     * public, and a memory segment for it would not vanish in the JIT.
     */
    static MethodHandle addressOf() {
        try {
            Class<?> type = Foreign.type("sun.misc.Unsafe");
            Field instance = type.getDeclaredField("theUnsafe");
            instance.setAccessible(true);
            Object unsafe = instance.get(null);
            long offset =
                    (long) Foreign.call(type, unsafe, "objectFieldOffset", Buffer.class.getDeclaredField("address"));
            MethodHandle load = MethodHandles.publicLookup()
                    .findVirtual(type, "getLong", MethodType.methodType(long.class, Object.class, long.class))
                    .bindTo(unsafe);
            return MethodHandles.insertArguments(load, 1, offset)
                    .asType(MethodType.methodType(long.class, ByteBuffer.class));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("JDK " + Runtime.version() + " tells no addresses of buffers", e);
        }
    }

    @Override
    public int run(
            Object code,
            Object[] inputs,
            int[] inputOffsets,
            Object[] outputs,
            int[] outputOffsets,
            int start,
            int length) {
        ByteBuffer table = TABLE.get();
        try {
            write(table, 0, inputs, inputOffsets, start);
            write(table, inputs.length, outputs, outputOffsets, start);
            long units = (long) ADDRESS.invokeExact(table);
            return (int) JUMP.invokeExact(units, (long) length, ((Foreign.Memory) code).address());
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("a call of machine code failed", e);
        } finally {
            Reference.reachabilityFence(code);
            Reference.reachabilityFence(inputs);
            Reference.reachabilityFence(outputs);
        }
    }

    private static void write(ByteBuffer table, int first, Object[] units, int[] offsets, int start) throws Throwable {
        for (int i = 0; i < units.length; i++) {
            long address = (long) ADDRESS.invokeExact((ByteBuffer) units[i]);
            table.putLong((first + i) * Long.BYTES, address + offsets[i] + start);
        }
    }
}
