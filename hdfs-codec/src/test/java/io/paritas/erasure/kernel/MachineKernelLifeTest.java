/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paritas.erasure.kernel.machine.MachineCode;
import java.io.File;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Machine code beside collectors, and its end: each case in a JVM of its own with a small heap. */
class MachineKernelLifeTest {
    /** A run of its own makes more: 1,000,000 take minutes. */
    private static final String KERNELS = System.getProperty("io.paritas.test.kernels", "5000");

    @BeforeEach
    void assumeAvailable() {
        String refusal = MachineCode.unavailable().orElse("");
        assumeTrue(refusal.isEmpty(), () -> "skipped: " + refusal);
    }

    /** Calls pass arrays that the collector wants to move, of all ages. */
    static final class BesideACollector {
        private static final int[][] ROWS = {{3, 5, 7, 11, 13, 17}, {19, 23, 29, 31, 37, 41}, {43, 47, 53, 59, 61, 67}};
        private static final int LENGTH = 30_000;
        private static final int THREADS = 3;
        private static final int CALLS = 1_500;

        public static void main(String[] arguments) throws Exception {
            Program program = Program.product(ROWS);
            Kernel kernel = new MachineKernel(program, MachineCode.Check.FOLD);
            byte[][] inputs = new byte[6][LENGTH];
            Arrays.stream(inputs).forEach(new Random(2)::nextBytes);
            byte[][] expected = new byte[3][LENGTH];
            new PlainKernel(program, Check.FOLD).apply(Regions.of(inputs), Regions.of(expected));
            ExecutorService threads = Executors.newFixedThreadPool(THREADS);
            List<Future<Integer>> wrong = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                wrong.add(threads.submit(() -> wrongResults(kernel, inputs, expected)));
            }
            int sum = 0;
            for (Future<Integer> one : wrong) {
                sum += one.get();
            }
            threads.shutdown();
            System.out.println("wrong: " + sum);
        }

        private static int wrongResults(Kernel kernel, byte[][] inputs, byte[][] expected) {
            List<byte[][]> old = new ArrayList<>();
            int wrong = 0;
            for (int call = 0; call < CALLS; call++) {
                byte[][] fresh = Arrays.stream(inputs).map(byte[]::clone).toArray(byte[][]::new);
                byte[][] outputs = new byte[expected.length][LENGTH];
                kernel.apply(
                        Regions.of(call % 2 == 0 || old.isEmpty() ? fresh : old.get(call % old.size())),
                        Regions.of(outputs));
                wrong += Arrays.deepEquals(outputs, expected) ? 0 : 1;
                if (old.size() < 20) {
                    old.add(fresh);
                } else {
                    old.set(call % old.size(), fresh);
                }
            }
            return wrong;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-XX:+UseG1GC", "-XX:+UseZGC", "-XX:+UseSerialGC"})
    void computesWhileCollectorsMoveArrays(String collector) throws Exception {
        assertThat(run(BesideACollector.class, collector, "-Xmx96m", "-Xmn16m")).isEqualTo("wrong: 0\n");
    }

    /** An application that has used up its direct memory, in which code on Java 17 and 21 would copy arrays. */
    static final class WithoutDirectMemory {
        public static void main(String[] arguments) {
            Program program = Program.product(BesideACollector.ROWS);
            byte[][] inputs = new byte[6][5000];
            Arrays.stream(inputs).forEach(new Random(2)::nextBytes);
            byte[][] expected = new byte[3][5000];
            new PlainKernel(program, Check.FOLD).apply(Regions.of(inputs), Regions.of(expected));
            Kernel kernel = new MachineKernel(program, MachineCode.Check.FOLD);
            for (int i = 0; i < 3; i++) {
                byte[][] outputs = new byte[3][5000];
                kernel.apply(Regions.of(inputs), Regions.of(outputs));
                System.out.println("right: " + Arrays.deepEquals(outputs, expected));
            }
        }
    }

    @Test
    void arraysAreCodedWithoutDirectMemory() throws Exception {
        assertThat(run(WithoutDirectMemory.class, "-XX:MaxDirectMemorySize=16k"))
                .endsWith("right: true\nright: true\nright: true\n");
    }

    /** Makes kernels, uses each once, and drops it. */
    static final class Many {
        private static final Path MAPPINGS = Path.of("/proc/self/maps");
        private static final int SPARE = 200;

        public static void main(String[] arguments) throws Exception {
            Random random = new Random(3);
            long before = 0;
            int kernels = Integer.parseInt(arguments[0]);
            for (int i = 0; i < kernels; i++) {
                int[][] rows = {random.ints(3, 1, 256).toArray()};
                byte[][] inputs = {{1}, {0}, {0}};
                byte[][] output = new byte[1][1];
                new MachineKernel(Program.product(rows), MachineCode.Check.FOLD)
                        .apply(Regions.of(inputs), Regions.of(output));
                if ((output[0][0] & 0xff) != rows[0][0]) {
                    throw new AssertionError("kernel " + i + " is wrong");
                }
                if (i == 0) {
                    before = mappings();
                }
            }
            for (int i = 0; i < 100 && mappings() > before + SPARE; i++) {
                System.gc();
                TimeUnit.MILLISECONDS.sleep(50);
            }
            System.out.println("kept: " + (mappings() > before + SPARE ? mappings() - before : "nothing"));
        }

        private static long mappings() throws IOException {
            try (var lines = Files.lines(MAPPINGS)) {
                return lines.count();
            }
        }
    }

    @Test
    void codeOfManyKernelsIsGivenBack() throws Exception {
        assertThat(run(List.of(Many.class.getName(), KERNELS), "-XX:+UseSerialGC", "-Xmx32m"))
                .isEqualTo("kept: nothing\n");
    }

    /** Loads all of ours by a class loader of its own, as an application server does, and drops that. */
    static final class Unloaded {
        public static void main(String[] arguments) throws Exception {
            WeakReference<ClassLoader> dropped = new WeakReference<>(use());
            for (int i = 0; i < 100 && dropped.get() != null; i++) {
                System.gc();
                TimeUnit.MILLISECONDS.sleep(50);
            }
            System.out.println("class loader: " + (dropped.get() == null ? "collected" : "alive"));
        }

        private static ClassLoader use() throws Exception {
            List<URL> places = new ArrayList<>();
            for (String place : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
                places.add(Path.of(place).toUri().toURL());
            }
            ClassLoader loader = new URLClassLoader(places.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
            Class<?> inside = Class.forName(Inside.class.getName(), true, loader);
            ((Runnable) inside.getDeclaredConstructor().newInstance()).run();
            return loader;
        }
    }

    /** What runs in the class loader. */
    public static final class Inside implements Runnable {
        /** As the coders of HDFS are kept. */
        static Kernel kept;

        @Override
        public void run() {
            byte[][] inputs = new byte[3][5000];
            byte[][] output = new byte[1][5000];
            Kernel kernel = new MachineKernel(Program.product(new int[][] {{3, 5, 7}}), MachineCode.Check.FOLD);
            for (int i = 0; i < 100; i++) {
                kernel.apply(Regions.of(inputs), Regions.of(output));
            }
            kept = kernel;
        }
    }

    /** The JDK's own caches hold softly what they linked; here they let go at once. */
    @Test
    void classesAreUnloaded() throws Exception {
        assertThat(run(Unloaded.class, "-XX:+UseSerialGC", "-Xmx64m", "-XX:SoftRefLRUPolicyMSPerMB=0"))
                .isEqualTo("class loader: collected\n");
    }

    private static String run(Class<?> main, String... flags) throws Exception {
        return run(List.of(main.getName()), flags);
    }

    private static String run(List<String> program, String... flags) throws Exception {
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java"));
        command.addAll(MachineFlags.all());
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(flags));
        command.addAll(program);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return MachineFlags.withoutWarning(output);
    }
}
