/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.ErasureCode;
import io.paritas.erasure.Erasures;
import io.paritas.erasure.Generators;
import io.paritas.erasure.RepairPlan;
import io.paritas.erasure.kernel.Kernel;
import io.paritas.erasure.kernel.KernelChoice;
import io.paritas.erasure.kernel.KernelProvider;
import io.paritas.erasure.kernel.Program;
import io.paritas.erasure.kernel.Regions;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Machine code beside ISA-L's {@code ec_encode_data} in one JVM and on the same buffers, on a machine that others use, too:
 * turns of 2 ms of the thread's processor time, one after the other; medians of the ratios of a round's turns. Buffers are
 * {@code aligned} to cache lines and at different places of a page, {@code direct} as {@code ByteBuffer.allocateDirect} gives
 * them, or arrays; arrays, which ISA-L cannot take, are compared with its time on direct buffers. Java 17 wants {@code --add-modules
 * jdk.incubator.foreign}, too.
 *
 * <pre>
 * ./mvnw -q -pl hdfs-codec test-compile dependency:build-classpath -Dmdep.outputFile=target/test.classpath
 * java --enable-native-access=ALL-UNNAMED -Xbatch -XX:-TieredCompilation \
 *     -cp hdfs-codec/target/test-classes:hdfs-codec/target/classes:$(cat hdfs-codec/target/test.classpath) \
 *     -Disal=/usr/lib/libisal.so io.paritas.erasure.kernel.machine.IsalComparison 6-3,8-4,10-4,10-2 4096,131072
 * </pre>
 *
 * <p>A processor with fewer instructions is played by a {@code /proc/cpuinfo} without them, mounted over the real one, for ours, and by
 * {@code -Disal.encode=ec_encode_data_avx2 -Disal.tables=ec_init_tables_base} for ISA-L. {@code -Dkernel=vector} takes another kernel.
 */
final class IsalComparison {
    private static final long TURN = 2_000_000;
    private static final int ROUNDS = 41;
    private static final long WARM_UP = 2_500_000_000L;
    private static final int PAGE = 4096;
    private static final int STAGGER = 5 * 64;
    /** Bytes of ISA-L's tables for a coefficient. */
    private static final int TABLE = 32;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    static {
        System.load(Path.of(System.getProperty("isal")).toAbsolutePath().toString());
    }

    /** The functions return nothing, but handles here have a result, which is dropped. */
    private static final MethodHandle ENCODE = Foreign.here()
            .function(int.class, int.class, int.class, int.class, long.class, long.class, long.class)
            .asType(MethodType.methodType(
                    void.class, Object.class, int.class, int.class, int.class, long.class, long.class, long.class));

    private static final MethodHandle TABLES =
            Foreign.here().function(int.class, int.class, int.class, long.class, long.class);

    /** The functions: what ISA-L chooses for this processor, or those for fewer instructions. */
    private static final Object ENCODE_ADDRESS =
            Foreign.here().symbol(System.getProperty("isal.encode", "ec_encode_data"));

    private static final Object TABLES_ADDRESS =
            Foreign.here().symbol(System.getProperty("isal.tables", "ec_init_tables"));

    private IsalComparison() {}

    /** Where a direct buffer's memory begins. */
    private static long address(ByteBuffer buffer) {
        if (!Foreign.takesArrays()) {
            return (long) ExecutableMemory.invoke(TableCall.addressOf(), buffer);
        }
        Class<?> type = SegmentForeign.typeOf("MemorySegment");
        return (long) Foreign.call(type, Foreign.call(type, null, "ofBuffer", buffer), "address");
    }

    /** One product, and what it is computed on. */
    private record Job(String name, int[][] rows, Program program, int length) {
        static Job of(CodeParameters code, int lost, int length) {
            if (lost == 0) {
                int[][] rows = Generators.hdfsCauchy(code).toRows();
                return new Job(code + " encode", rows, Program.product(rows), length);
            }
            RepairPlan plan = ErasureCode.of(Generators.hdfsCauchy(code))
                    .repairPlan(Erasures.of(IntStream.range(0, lost).toArray()));
            return new Job(code + " decode " + lost, plan.program().coefficients(), plan.program(), length);
        }

        ByteBuffer[] aligned(int count) {
            int stride = (length + 63) / 64 * 64 + STAGGER;
            ByteBuffer memory =
                    ByteBuffer.allocateDirect(count * stride + 2 * PAGE).alignedSlice(PAGE);
            return IntStream.range(0, count)
                    .mapToObj(unit -> memory.slice(unit * stride, length))
                    .toArray(ByteBuffer[]::new);
        }

        ByteBuffer[] direct(int count) {
            return IntStream.range(0, count)
                    .mapToObj(unit -> ByteBuffer.allocateDirect(length))
                    .toArray(ByteBuffer[]::new);
        }

        ByteBuffer[] heap(int count) {
            return IntStream.range(0, count)
                    .mapToObj(unit -> ByteBuffer.allocate(length))
                    .toArray(ByteBuffer[]::new);
        }

        Runnable ours(Kernel kernel, ByteBuffer[] units) {
            int inputs = rows[0].length;
            Regions from = Regions.of(Arrays.copyOf(units, inputs));
            Regions to = Regions.of(Arrays.copyOfRange(units, inputs, units.length));
            return () -> kernel.apply(from, to);
        }

        Runnable isal(ByteBuffer[] units) {
            int inputs = rows[0].length;
            int outputs = rows.length;
            ByteBuffer matrix = ByteBuffer.allocateDirect(inputs * outputs);
            Arrays.stream(rows).flatMapToInt(Arrays::stream).forEach(c -> matrix.put((byte) c));
            ByteBuffer tables =
                    ByteBuffer.allocateDirect(TABLE * inputs * outputs + 64).alignedSlice(64);
            ExecutableMemory.invoke(TABLES, TABLES_ADDRESS, inputs, outputs, address(matrix.flip()), address(tables));
            ByteBuffer from = pointers(Arrays.copyOf(units, inputs));
            ByteBuffer to = pointers(Arrays.copyOfRange(units, inputs, units.length));
            long tablesAt = address(tables);
            long fromAt = address(from);
            long toAt = address(to);
            return () -> {
                try {
                    ENCODE.invokeExact(ENCODE_ADDRESS, length, inputs, outputs, tablesAt, fromAt, toAt);
                } catch (Throwable e) {
                    throw new IllegalStateException(e);
                } finally {
                    Reference.reachabilityFence(tables);
                    Reference.reachabilityFence(from);
                    Reference.reachabilityFence(to);
                }
            };
        }

        private static ByteBuffer pointers(ByteBuffer[] units) {
            ByteBuffer pointers =
                    ByteBuffer.allocateDirect(Long.BYTES * units.length).order(ByteOrder.nativeOrder());
            Arrays.stream(units).forEach(unit -> pointers.putLong(address(unit)));
            return pointers.flip();
        }

        void run(KernelProvider provider) {
            int count = rows[0].length + rows.length;
            ByteBuffer[][] memories = {aligned(count), direct(count), heap(count)};
            byte[] bytes = new byte[length];
            Random random = new Random(1);
            for (int input = 0; input < rows[0].length; input++) {
                random.nextBytes(bytes);
                for (ByteBuffer[] memory : memories) {
                    memory[input].put(0, bytes);
                }
            }
            Kernel kernel = provider.compile(program);
            Runnable[] runs = {
                isal(memories[0]), ours(kernel, memories[0]),
                isal(memories[1]), ours(kernel, memories[1]),
                ours(kernel, memories[2])
            };
            double[][] nanos = measure(runs);
            for (int output = rows[0].length; output < count; output++) {
                if (!memories[0][output].equals(memories[1][output])
                        || !memories[0][output].equals(memories[2][output])) {
                    throw new IllegalStateException(name + " differs in output " + (output - rows[0].length));
                }
            }
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %d | %.1f | %.2f | %.2f | %.2f |%n",
                    name,
                    length,
                    (double) rows[0].length * length / median(nanos[0]),
                    ratio(nanos[0], nanos[1]),
                    ratio(nanos[2], nanos[3]),
                    ratio(nanos[2], nanos[4]));
        }
    }

    private static double[][] measure(Runnable[] runs) {
        for (long end = System.nanoTime() + WARM_UP; System.nanoTime() < end; ) {
            Arrays.stream(runs).forEach(run -> turn(run, TURN));
        }
        double[][] nanos = new double[runs.length][ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < runs.length; i++) {
                nanos[i][round] = turn(runs[i], TURN);
            }
        }
        return nanos;
    }

    /** Returns nanoseconds of a call. */
    private static double turn(Runnable run, long nanos) {
        long start = THREADS.getCurrentThreadCpuTime();
        long now;
        int calls = 0;
        do {
            for (int i = 0; i < 64; i++) {
                run.run();
            }
            calls += 64;
            now = THREADS.getCurrentThreadCpuTime();
        } while (now - start < nanos);
        return (double) (now - start) / calls;
    }

    private static double ratio(double[] base, double[] other) {
        return median(IntStream.range(0, base.length)
                .mapToDouble(round -> base[round] / other[round])
                .toArray());
    }

    private static double median(double[] values) {
        return Arrays.stream(values).sorted().toArray()[values.length / 2];
    }

    /** @param arguments the codes, such as 6-3,10-4, and the lengths of units; the library is the property {@code isal} */
    public static void main(String... arguments) {
        System.setProperty("io.paritas.kernel.warmUp", "0");
        KernelProvider provider =
                KernelChoice.named(System.getProperty("kernel", "machine")).provider();
        System.out.println(provider.description());
        System.out.println("| product | unit | ISA-L GB/s | aligned | direct | heap |");
        System.out.println("|---|---:|---:|---:|---:|---:|");
        for (String length : arguments[1].split(",", -1)) {
            for (String name : arguments[0].split(",", -1)) {
                CodeParameters code = new CodeParameters(
                        Integer.parseInt(name.split("-", -1)[0]), Integer.parseInt(name.split("-", -1)[1]));
                for (int lost : new int[] {0, 1, Math.min(code.k(), code.r())}) {
                    Job.of(code, lost, Integer.parseInt(length)).run(provider);
                }
            }
        }
    }
}
