/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.Generators;
import io.paritas.erasure.kernel.machine.MachineCode;
import io.paritas.erasure.kernel.machine.SystemCalls;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MachineKernelProviderTest extends KernelProviderContract {
    private static final Program PROGRAM_OF_THREE = Program.product(new int[][] {{3, 5, 7}});

    /** No warming kernel in between, whatever this JVM was told. */
    private static final class Direct implements KernelProvider {
        private final KernelProvider provider = new MachineKernelProvider(new PlainKernelProvider());

        @Override
        public String name() {
            return provider.name();
        }

        @Override
        public java.util.Optional<String> unavailable() {
            return provider.unavailable();
        }

        @Override
        public String description() {
            return provider.description();
        }

        @Override
        public Kernel compile(Program program) {
            return new MachineKernel(program, MachineCode.Check.FOLD);
        }
    }

    @Override
    protected KernelProvider provider() {
        return new Direct();
    }

    @Test
    void searchedGeneratorsAreForVectorsWhereProductsAreLookedUp() {
        for (CodeParameters code : List.of(new CodeParameters(6, 3), new CodeParameters(10, 4))) {
            Program cauchy = Program.product(Generators.hdfsCauchy(code).toRows());
            Program searched = Program.product(Generators.paritas(code).toRows());
            assertThat(MachineKernelProvider.isForVectors(cauchy)).isFalse();
            assertThat(MachineKernelProvider.isForVectors(searched)).isTrue();
        }
        assertThat(MachineKernelProvider.isForVectors(
                        Program.product(Generators.xor(4).toRows())))
                .isFalse();
    }

    @Test
    void rowsThatNeedTooManyRegistersAreComputedInParts() {
        Random random = new Random(1);
        int[][] rows = new int[20][24];
        Arrays.stream(rows).forEach(row -> Arrays.setAll(row, i -> random.nextInt(256)));
        byte[][] inputs = new byte[24][5000];
        Arrays.stream(inputs).forEach(random::nextBytes);
        byte[][] expected = new byte[20][5000];
        byte[][] actual = new byte[20][5000];
        Program program = Program.product(rows);
        new PlainKernel(program, Check.FOLD).apply(Regions.of(inputs), Regions.of(expected));
        new MachineKernel(program, MachineCode.Check.FOLD).apply(Regions.of(inputs), Regions.of(actual));
        assertThat(actual).isDeepEqualTo(expected);
    }

    /** Rows have numbers in the bits of an int: 33 are one too many. */
    @ParameterizedTest
    @CsvSource({"1, 32", "1, 33", "1, 40", "2, 46", "1, 47"})
    void anyNumberOfOutputsIsComputed(int inputs, int outputs) {
        int[][] rows = new int[outputs][inputs];
        Arrays.stream(rows).forEach(row -> Arrays.fill(row, 1));
        rows[outputs - 1][inputs - 1] = 7;
        Program program = Program.product(rows);
        byte[][] units = new byte[inputs][1000];
        Random random = new Random(1);
        Arrays.stream(units).forEach(random::nextBytes);
        byte[][] expected = new byte[outputs][1000];
        byte[][] actual = new byte[outputs][1000];
        new PlainKernel(program, Check.FOLD).apply(Regions.of(units), Regions.of(expected));
        new MachineKernel(program, MachineCode.Check.NONE).apply(Regions.of(units), Regions.of(actual));
        assertThat(actual).isDeepEqualTo(expected);
    }

    @Test
    void aProgramWithTooManyUnitsIsLeftToTheOtherKernels() {
        Program program = Program.product(new int[][] {new int[60]});
        assertThat(new MachineKernelProvider(new PlainKernelProvider()).compile(program))
                .isInstanceOf(PlainKernel.class);
        assertThatThrownBy(() -> new MachineKernel(program, MachineCode.Check.NONE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("machine code handles up to 48 units, got 60 inputs and 1 outputs");
    }

    /** Callers may consume buffers, or fill them again, after they made regions of them. */
    @Test
    void computesOnBuffersWhosePositionsWereMovedMeanwhile() {
        Program program = Program.product(new int[][] {{1, 1}});
        ByteBuffer[] inputs = {ByteBuffer.allocateDirect(1000), ByteBuffer.allocateDirect(1000)};
        ByteBuffer[] outputs = {ByteBuffer.allocateDirect(1000)};
        inputs[0].put(999, (byte) 3);
        inputs[1].put(999, (byte) 5);
        Regions from = Regions.of(inputs);
        Regions to = Regions.of(outputs);
        inputs[0].position(1000);
        inputs[1].limit(10);
        outputs[0].position(1).limit(2);
        new MachineKernel(program, MachineCode.Check.FOLD).apply(from, to);
        assertThat(outputs[0].clear().get(999)).isEqualTo((byte) 6);
        assertThat(inputs[0].position()).isEqualTo(1000);
        assertThat(inputs[1].limit()).isEqualTo(10);
    }

    /** Another coder may read the same buffers, and consumes them when it ends. */
    @Test
    void computesOnBuffersWhosePositionsMoveAllTheTime() throws InterruptedException {
        Program program = Program.product(new int[][] {{1, 1}});
        byte[][] units = new byte[2][1 << 20];
        Arrays.stream(units).forEach(new Random(1)::nextBytes);
        byte[][] expected = new byte[1][1 << 20];
        new PlainKernel(program, Check.FOLD).apply(Regions.of(units), Regions.of(expected));
        ByteBuffer[] inputs = Arrays.stream(units)
                .map(unit -> ByteBuffer.allocateDirect(unit.length).put(unit).flip())
                .toArray(ByteBuffer[]::new);
        Regions from = Regions.of(inputs);
        ByteBuffer output = ByteBuffer.allocateDirect(1 << 20);
        Kernel kernel = new MachineKernel(program, MachineCode.Check.FOLD);
        AtomicBoolean ended = new AtomicBoolean();
        Thread other = new Thread(() -> {
            while (!ended.get()) {
                inputs[0].position(inputs[0].limit());
                inputs[0].position(0);
            }
        });
        other.start();
        try {
            for (int i = 0; i < 1000; i++) {
                kernel.apply(from, Regions.of(output));
                assertThat(output).isEqualTo(ByteBuffer.wrap(expected[0]));
            }
        } finally {
            ended.set(true);
            other.join();
        }
    }

    /** What a JVM of its own says of the kernel. */
    static final class Main {
        public static void main(String[] arguments) {
            System.out.println("refusal: " + MachineCode.unavailable().orElse("none"));
            System.out.println(
                    "choice: " + KernelChoice.named("auto").provider().name());
        }
    }

    @Test
    void withoutNativeAccessAnotherKernelServesAndNothingIsWarnedOf() throws IOException, InterruptedException {
        assumeTrue(
                MachineCode.isFastest(),
                "skipped: for Linux on amd64 with AVX2 or on aarch64, on Java 17 and from Java 21 on");
        assertThat(run(Main.class)).isEqualTo("refusal: " + MachineFlags.refusal() + "\nchoice: plain\n");
        assertThat(runWithMachineCode(Main.class)).isEqualTo("refusal: none\nchoice: machine\n");
        assertThat(runWithMachineCode(Main.class, "-Dio.paritas.kernel=plain", "-Xint"))
                .startsWith("refusal: none\n");
    }

    /** As a Java that jlink made. */
    @Test
    void aJavaThatTellsNoAddressesIsRefused() throws IOException, InterruptedException {
        assumeTrue(MachineCode.isFastest() && !MachineCode.takesArrays(), "skipped: for Java 17 and 21");
        String modules = "java.base,java.logging" + (MachineFlags.all().size() == 2 ? ",jdk.incubator.foreign" : "");
        assertThat(runWithMachineCode(Main.class, "--limit-modules=" + modules))
                .isEqualTo("refusal: this JVM runs without the module jdk.unsupported; take a Java that has it\n"
                        + "choice: plain\n");
    }

    /** Java 17 has two flags for it, and may be given one. */
    @Test
    void theModuleWithoutNativeAccessIsNotEnough() throws IOException, InterruptedException {
        assumeTrue(
                MachineFlags.all().size() == 2 && MachineCode.isFastest(),
                "skipped: for Java 17 on Linux on amd64 with AVX2 or on aarch64");
        assertThat(run(Main.class, MachineFlags.all().get(0)))
                .startsWith("refusal: this JVM may not call native code; pass --enable-native-access=ALL-UNNAMED\n");
        assertThat(run(Main.class, MachineFlags.all().get(1))).startsWith("refusal: " + MachineFlags.refusal() + "\n");
    }

    /** Memory that all calls take where it is. */
    private static Regions direct(int count, int length) {
        return Regions.of(Stream.generate(() -> ByteBuffer.allocateDirect(length))
                .limit(count)
                .toArray(ByteBuffer[]::new));
    }

    /** On arrays, vectors stay where they need few steps, because machine code copies arrays on Java 17 and 21. */
    @Test
    void arraysAreForVectorsWhereCodeWouldHaveToCopyThem() {
        String refusal = MachineCode.unavailable().orElse("");
        assumeTrue(refusal.isEmpty(), () -> "skipped: " + refusal);
        VectorKernelProvider vectors = new VectorKernelProvider();
        assumeTrue(
                vectors.unavailable().isEmpty() && !MachineCode.takesArrays() && MachineCode.multiplies(),
                "skipped: for vectors on Java 17 and 21, on processors that multiply");
        MachineKernelProvider machine = new MachineKernelProvider(vectors);
        CodeParameters code = new CodeParameters(6, 3);
        for (Program cheap : List.of(
                Program.product(Generators.xor(4).toRows()),
                Program.product(Generators.paritas(code).toRows()))) {
            assertThat(((ByMemory) machine.compile(cheap, 1)).heap()).isInstanceOf(ByMemory.class);
        }
        Program cauchy = Program.product(Generators.hdfsCauchy(code).toRows());
        assertThat(((ByMemory) machine.compile(cauchy, 1)).heap()).isInstanceOf(WarmingKernel.class);
    }

    /** A JVM that may make no more memory executable, as under SELinux without execmem: Linux refuses it from now on. */
    static final class Refused {
        private static final int PR_SET_MDWE = 65;
        private static final long REFUSE_EXEC_GAIN = 1;

        public static void main(String[] arguments) throws Throwable {
            System.out.println("asked: " + SystemCalls.prctl(PR_SET_MDWE, REFUSE_EXEC_GAIN));
            Program program = PROGRAM_OF_THREE;
            try {
                System.out.println(new MachineKernel(program, MachineCode.Check.FOLD));
            } catch (IllegalStateException refused) {
                System.out.println("refused: " + refused.getMessage());
            }
            Regions inputs = direct(3, 1 << 19);
            Regions output = direct(1, 1 << 19);
            byte[] ones = new byte[1 << 19];
            Arrays.fill(ones, (byte) 1);
            for (int input = 0; input < 3; input++) {
                inputs.write(input, 0, ones, ones.length);
            }
            Kernel kernel = KernelChoice.named("machine").provider().compile(program);
            Trials trials = new Trials();
            kernel.apply(inputs, output);
            System.out.println("heard: " + trials.next());
            output.write(0, 0, new byte[1], 1);
            kernel.apply(inputs, output);
            System.out.println("computed: " + output.view(0).get(0));
        }
    }

    /** What kernels say of their trials. */
    private static final class Trials extends Handler {
        private static final Logger LOG = Logger.getLogger(WarmingKernel.class.getName());

        private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

        Trials() {
            LOG.setUseParentHandlers(false);
            LOG.setLevel(Level.ALL);
            LOG.addHandler(this);
        }

        @Override
        public void publish(LogRecord said) {
            heard.add(new SimpleFormatter().formatMessage(said));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}

        /** The next thing that is said of one. */
        String next() throws InterruptedException {
            return heard.poll(1, TimeUnit.MINUTES);
        }
    }

    /** A JVM with vectors and machine code. */
    static final class BothKernels {
        public static void main(String[] arguments) throws InterruptedException {
            Trials trials = new Trials();
            Program program = PROGRAM_OF_THREE;
            Kernel kernel = KernelChoice.named("machine").provider().compile(program);
            kernel.apply(direct(3, 1 << 19), direct(1, 1 << 19));
            System.out.println("heard: " + trials.next());
            System.out.println("machine code: " + MachineCode.isSetUp());
        }
    }

    @Test
    void whereNoMemoryMayBecomeExecutableAnotherKernelServes() throws IOException, InterruptedException {
        String refusal = MachineCode.unavailable().orElse("");
        assumeTrue(refusal.isEmpty(), () -> "skipped: " + refusal);
        String said = runWithMachineCode(
                Refused.class,
                "-Dio.paritas.kernel.warmUp=1",
                "-XX:-SegmentedCodeCache",
                "-XX:ReservedCodeCacheSize=32m",
                "-XX:InitialCodeCacheSize=32m");
        assumeTrue(said.startsWith("asked: 0"), "skipped: this Linux, older than 6.3, cannot refuse it");
        assertThat(said)
                .contains("refused: the system lets no memory become executable, as SELinux does without execmem\n")
                .contains("heard: a kernel cannot be made, the other one goes on\n")
                .contains("computed: " + (byte) PROGRAM_OF_THREE.interpret(1, 1, 1)[0] + "\n");
    }

    /** A trial of vectors takes a second of a processor, and one of machine code some milliseconds. */
    @Test
    void machineCodeIsTriedBeforeVectors() throws IOException, InterruptedException {
        String refusal = MachineCode.unavailable().orElse("");
        assumeTrue(refusal.isEmpty(), () -> "skipped: " + refusal);
        assertThat(runWithMachineCode(
                        BothKernels.class, "--add-modules=jdk.incubator.vector", "-Dio.paritas.kernel.warmUp=1"))
                .contains("heard: trial of a kernel for ")
                .contains("machine code: true\n");
    }

    /** A client that codes little, and then more than the warm-up of a mebibyte. */
    static final class ShortLived {
        private static final int LONGEST_MILLIS = 60_000;

        public static void main(String[] arguments) throws InterruptedException {
            KernelProvider provider = KernelChoice.named("machine").provider();
            Kernel first = provider.compile(Program.product(new int[][] {{3, 5}}));
            first.apply(direct(2, 100), direct(1, 100));
            Thread.sleep(300);
            System.out.println("after 200 bytes: " + MachineCode.isSetUp());
            first.apply(direct(2, 1 << 19), direct(1, 1 << 19));
            System.out.println("after a mebibyte: " + awaitSetUp());
        }

        private static boolean awaitSetUp() throws InterruptedException {
            for (int millis = 0; millis < LONGEST_MILLIS && !MachineCode.isSetUp(); millis += 10) {
                Thread.sleep(10);
            }
            return MachineCode.isSetUp();
        }
    }

    @Test
    void aShortLivedJvmSetsNoNativeCallsUp() throws IOException, InterruptedException {
        String refusal = MachineCode.unavailable().orElse("");
        assumeTrue(refusal.isEmpty(), () -> "skipped: " + refusal);
        assertThat(runWithMachineCode(ShortLived.class, "-Dio.paritas.kernel.warmUp=1"))
                .isEqualTo("after 200 bytes: false\nafter a mebibyte: true\n");
    }

    private static String runWithMachineCode(Class<?> main, String... flags) throws IOException, InterruptedException {
        return run(
                main,
                Stream.concat(MachineFlags.all().stream(), Stream.of(flags)).toArray(String[]::new));
    }

    private static String run(Class<?> main, String... flags) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java"));
        command.addAll(List.of(flags));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return MachineFlags.withoutWarning(output);
    }
}
