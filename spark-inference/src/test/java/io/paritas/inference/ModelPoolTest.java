/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.ModelPool.Lease;
import io.paritas.inference.ModelPool.Metrics;
import io.paritas.inference.graph.TestGraphs;
import io.paritas.inference.protect.gemm.Gemm;
import io.paritas.settings.Setting;
import java.io.IOException;
import java.nio.FloatBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ModelPoolTest {
    private static final ModelOptions CPU = ModelOptions.DEFAULT.withDevice(Device.CPU);
    private static final List<ModelFile> FILES = IntStream.range(0, 5)
            .mapToObj(seed -> TestGraphs.small(seed).toModelFile())
            .toList();
    private static final float[] INPUT = TestGraphs.values(64);

    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5);

    private ModelPool pool(int models) {
        return new ModelPool(models, Duration.ofMinutes(10), clock::get);
    }

    private void sleep(int seconds) {
        clock.addAndGet(Duration.ofSeconds(seconds).toNanos());
    }

    private static void use(ModelPool pool, int... files) {
        for (int file : files) {
            pool.acquire(FILES.get(file), CPU).close();
        }
    }

    @Test
    void aModelIsLoadedOnceForAllLeases() {
        try (ModelPool pool = pool(2);
                Lease first = pool.acquire(FILES.get(0), CPU);
                Lease second = pool.acquire(ModelFile.of(FILES.get(0).bytes()), CPU)) {
            assertThat(second.model().predict(INPUT)).isEqualTo(first.model().predict(INPUT));
            assertThat(pool.metrics()).isEqualTo(new Metrics(1, 1, 0));
        }
    }

    @Test
    void otherOptionsAreAnotherModel() {
        try (ModelPool pool = pool(2)) {
            pool.acquire(FILES.get(0), CPU).close();
            pool.acquire(FILES.get(0), CPU.withThreads(2)).close();
            assertThat(pool.metrics()).isEqualTo(new Metrics(2, 0, 0));
        }
    }

    @Test
    void saysWhatComputesTheModelsThatAreLoaded() {
        String name = ModelPool.name(FILES.get(0), CPU);
        try (ModelPool pool = pool(2)) {
            assertThat(pool.hardware()).isEmpty();
            use(pool, 0, 1);
            assertThat(pool.hardware()).containsExactly(Hardware.processor("onnxruntime"));
            assertThat(pool.hardware(name)).containsExactly(Hardware.processor("onnxruntime"));
            use(pool, 2);
            assertThat(pool.hardware(name)).isEmpty();
        }
    }

    /** They add in other orders, so that their bits differ: an executor on which a library does not load is not faulty. */
    @Test
    void processorsWithAnotherEngineAreAnotherKind() {
        try (ModelPool pool = pool(2)) {
            pool.acquire(FILES.get(0), CPU.withEngine("onnxruntime")).close();
            pool.acquire(FILES.get(0), CPU.withEngine("protected")).close();
            assertThat(pool.hardware())
                    .containsExactlyInAnyOrder(
                            Hardware.processor("onnxruntime"), Hardware.processor("protected in " + Gemm.arithmetic()));
        }
    }

    @Test
    void theLeastRecentlyUsedMakesRoom() {
        try (ModelPool pool = pool(2)) {
            use(pool, 0, 1, 0, 2);
            assertThat(pool.metrics()).isEqualTo(new Metrics(3, 1, 1));
            use(pool, 0);
            assertThat(pool.metrics()).as("0 stayed").isEqualTo(new Metrics(3, 2, 1));
            use(pool, 1);
            assertThat(pool.metrics()).as("1 had gone").isEqualTo(new Metrics(4, 2, 2));
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> ModelFile unreadable() throws E {
        throw (E) new IOException("Failed to get broadcast_3_piece0 of broadcast_3");
    }

    /** As Spark's broadcasts throw what they do not declare. */
    @Test
    @Timeout(60)
    void aFileThatIsNotHadIsAskedForAgain() {
        String sha256 = FILES.get(0).sha256();
        try (ModelPool pool = pool(1)) {
            assertThatThrownBy(() -> pool.acquire(sha256, ModelPoolTest::<RuntimeException>unreadable, CPU))
                    .isInstanceOf(ModelException.class)
                    .hasMessage(
                            "the model's file cannot be read: java.io.IOException: Failed to get broadcast_3_piece0 of broadcast_3")
                    .hasCauseInstanceOf(IOException.class);
            pool.acquire(sha256, () -> FILES.get(0), CPU).close();
            use(pool, 1);
            assertThat(pool.metrics()).isEqualTo(new Metrics(2, 0, 1));
        }
    }

    /** As where a class of its engine is missing. */
    @Test
    @Timeout(60)
    void aModelThatIsNotFreedKeepsNoOtherOut() {
        try (ModelPool pool =
                new ModelPool(1, Duration.ofMinutes(10), clock::get, (file, options) -> new Idle(Device.CPU) {
                    @Override
                    public void close() {
                        throw new NoClassDefFoundError("thrown on purpose by this test");
                    }
                })) {
            use(pool, 0, 1, 1);
            assertThat(pool.metrics()).isEqualTo(new Metrics(2, 1, 1));
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> ModelFile interrupted() throws E {
        throw (E) new InterruptedException("thrown on purpose");
    }

    /** As a task that is killed while its broadcast comes: nobody has killed the others, which have broadcasts of their own. */
    @Test
    @Timeout(60)
    void whoWaitsForAFileThatAnotherDoesNotGetTakesItsOwn() throws Exception {
        String sha256 = FILES.get(0).sha256();
        ExecutorService killed = Executors.newSingleThreadExecutor();
        try (ModelPool pool = pool(1)) {
            CountDownLatch loading = new CountDownLatch(1);
            Future<Boolean> interrupted = killed.submit(() -> {
                assertThatThrownBy(() -> pool.acquire(
                                sha256,
                                () -> {
                                    loading.countDown();
                                    while (pool.metrics().hits() == 0) {
                                        Thread.onSpinWait();
                                    }
                                    return ModelPoolTest.<RuntimeException>interrupted();
                                },
                                CPU))
                        .isInstanceOf(ModelException.class)
                        .hasMessage(
                                "the model's file cannot be read: java.lang.InterruptedException: thrown on purpose");
                return Thread.interrupted();
            });
            loading.await();

            pool.acquire(sha256, () -> FILES.get(0), CPU).close();

            assertThat(interrupted.get()).isTrue();
            assertThat(pool.metrics()).isEqualTo(new Metrics(1, 1, 0));
        } finally {
            killed.shutdownNow();
        }
    }

    /** A model of nothing, on some device. */
    private static class Idle implements Model {
        private final Device device;

        Idle(Device device) {
            this.device = device;
        }

        @Override
        public Device device() {
            return device;
        }

        @Override
        public TensorSpec input() {
            throw new UnsupportedOperationException();
        }

        @Override
        public TensorSpec output() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void predict(int rows, FloatBuffer inputs, FloatBuffer outputs) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }

    private ModelPool idle(Device device) {
        return new ModelPool(2, Duration.ofMinutes(10), clock::get, (file, options) -> new Idle(device));
    }

    private static Lease lease(ModelPool pool, int file, int gpu) {
        return pool.acquire(FILES.get(file), ModelOptions.DEFAULT.withGpu(GpuChoice.of(gpu)));
    }

    private static void useOnFourGpus(ModelPool pool, int file) {
        for (int gpu = 0; gpu < 4; gpu++) {
            lease(pool, file, gpu).close();
        }
    }

    @Test
    void aModelOnSeveralGpusCountsOnce() {
        try (ModelPool pool = idle(Device.CUDA)) {
            useOnFourGpus(pool, 0);
            useOnFourGpus(pool, 1);
            useOnFourGpus(pool, 0);
            assertThat(pool.metrics()).isEqualTo(new Metrics(8, 4, 0));
            lease(pool, 2, 3).close();
            assertThat(pool.metrics()).as("1 went, with all of its GPUs").isEqualTo(new Metrics(9, 4, 4));
            useOnFourGpus(pool, 0);
            assertThat(pool.metrics()).as("0 stayed").isEqualTo(new Metrics(9, 8, 4));
        }
    }

    @Test
    void aModelInUseOnOneGpuStaysOnAll() {
        try (ModelPool pool = idle(Device.CUDA);
                Lease inUse = lease(pool, 0, 0)) {
            lease(pool, 0, 1).close();
            lease(pool, 1, 0).close();
            lease(pool, 2, 0).close();
            assertThat(pool.metrics()).as("1 went").isEqualTo(new Metrics(4, 0, 1));
            lease(pool, 0, 1).close();
            assertThat(pool.metrics()).isEqualTo(new Metrics(4, 1, 1));
            assertThat(inUse.model().device()).isEqualTo(Device.CUDA);
        }
    }

    /** No engine for GPUs runs it: it is in the same memory again for each GPU that Spark assigns. */
    @Test
    void onTheProcessorAModelCountsForEachGpu() {
        try (ModelPool pool = idle(Device.CPU)) {
            useOnFourGpus(pool, 0);
            assertThat(pool.metrics()).isEqualTo(new Metrics(4, 0, 2));
        }
    }

    @Test
    void aReleaseIsAUse() {
        try (ModelPool pool = pool(2)) {
            Lease zero = pool.acquire(FILES.get(0), CPU);
            use(pool, 1);
            zero.close();
            use(pool, 2, 0);
            assertThat(pool.metrics()).isEqualTo(new Metrics(3, 1, 1));
        }
    }

    @Test
    void modelsInUseStayThoughThereAreTooMany() {
        try (ModelPool pool = pool(2)) {
            List<Lease> leases =
                    FILES.stream().map(file -> pool.acquire(file, CPU)).toList();
            assertThat(pool.metrics()).isEqualTo(new Metrics(5, 0, 0));
            leases.forEach(lease -> assertThat(lease.model().predict(INPUT)).hasSize(3));
            leases.get(4).close();
            leases.get(2).close();
            assertThat(pool.metrics()).isEqualTo(new Metrics(5, 0, 0));
            assertThat(leases.get(0).model().predict(INPUT)).hasSize(3);
            leases.forEach(Lease::close);
            assertThat(pool.metrics()).as("they may be needed together again").isEqualTo(new Metrics(5, 0, 0));
            sleep(599);
            use(pool, 3, 1);
            assertThat(pool.metrics()).isEqualTo(new Metrics(5, 2, 0));
            sleep(1);
            use(pool, 3, 1);
            assertThat(pool.metrics()).as("the others were idle for 600 s").isEqualTo(new Metrics(5, 4, 3));
        }
    }

    /** As the tasks of a query with more models than the pool keeps: each leases all of them until it ends. */
    @Test
    void modelsThatAreLeasedTogetherAreLoadedOnce() {
        try (ModelPool pool = pool(2)) {
            for (int task = 0; task < 3; task++) {
                List<Lease> leases =
                        FILES.stream().map(file -> pool.acquire(file, CPU)).toList();
                sleep(1_000);
                leases.forEach(Lease::close);
            }
            assertThat(pool.metrics()).isEqualTo(new Metrics(5, 10, 0));
        }
    }

    private static void useTogether(ModelPool pool, int models) {
        List<Lease> leases = FILES.stream()
                .limit(models)
                .map(file -> pool.acquire(file, CPU))
                .toList();
        leases.forEach(Lease::close);
    }

    @Test
    void roomForManyEndsWithTheirIdleTime() {
        try (ModelPool pool = pool(2)) {
            useTogether(pool, 4);
            sleep(300);
            use(pool, 0, 1, 2, 3);
            assertThat(pool.metrics()).isEqualTo(new Metrics(4, 4, 0));
            sleep(300);
            use(pool, 3);
            assertThat(pool.metrics()).as("room for 2 again").isEqualTo(new Metrics(4, 5, 2));
        }
    }

    /** Those may be larger, and the pool was told how many fit. */
    @Test
    void roomForManyIsNotForOthers() {
        try (ModelPool pool = pool(2)) {
            useTogether(pool, 4);
            use(pool, 4);
            assertThat(pool.metrics()).as("0, 1 and 2 went").isEqualTo(new Metrics(5, 0, 3));
            use(pool, 3, 4);
            assertThat(pool.metrics()).isEqualTo(new Metrics(5, 2, 3));
        }
    }

    /** As the first tasks on another GPU. */
    @Test
    void roomForManyIsForThemOnAnotherGpuToo() {
        try (ModelPool pool = idle(Device.CUDA)) {
            for (int gpu = 0; gpu < 2; gpu++) {
                int here = gpu;
                List<Lease> leases = IntStream.range(0, 4)
                        .mapToObj(file -> lease(pool, file, here))
                        .toList();
                leases.forEach(Lease::close);
            }
            assertThat(pool.metrics()).isEqualTo(new Metrics(8, 0, 0));
        }
    }

    @Test
    void idleModelsGoAtTheNextUseOfThePool() {
        try (ModelPool pool = pool(8);
                Lease inUse = pool.acquire(FILES.get(0), CPU)) {
            use(pool, 1, 2);
            sleep(599);
            use(pool, 2);
            assertThat(pool.metrics()).isEqualTo(new Metrics(3, 1, 0));
            sleep(1);
            use(pool, 2);
            assertThat(pool.metrics()).as("1 was idle for 600 s").isEqualTo(new Metrics(3, 2, 1));
            sleep(10_000);
            assertThat(inUse.model().predict(INPUT)).hasSize(3);
            use(pool, 3);
            assertThat(pool.metrics()).as("2 was idle, 0 is in use").isEqualTo(new Metrics(4, 2, 2));
        }
    }

    @Test
    void threadsThatWantTheSameModelLoadItOnce() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try (ModelPool pool = pool(2)) {
            List<Callable<float[]>> tasks = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                tasks.add(() -> {
                    try (Lease lease = pool.acquire(FILES.get(0), CPU)) {
                        return lease.model().predict(INPUT);
                    }
                });
            }
            for (Future<float[]> result : threads.invokeAll(tasks)) {
                assertThat(result.get()).hasSize(3);
            }
            assertThat(pool.metrics()).isEqualTo(new Metrics(1, 63, 0));
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void threadsThatCrowdASmallPoolAllPredict() throws Exception {
        List<float[]> expected = new ArrayList<>();
        for (ModelFile file : FILES) {
            try (Model model = ModelEngines.load(file, CPU)) {
                expected.add(model.predict(INPUT));
            }
        }
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try (ModelPool pool = pool(1)) {
            List<Callable<Void>> tasks = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                int file = (i * 7) % FILES.size();
                tasks.add(() -> {
                    try (Lease lease = pool.acquire(FILES.get(file), CPU)) {
                        assertThat(lease.model().predict(INPUT)).isEqualTo(expected.get(file));
                    }
                    return null;
                });
            }
            for (Future<Void> result : threads.invokeAll(tasks)) {
                result.get();
            }
            Metrics metrics = pool.metrics();
            assertThat(metrics.loaded() + metrics.hits()).isEqualTo(200);
            pool.acquire(TestGraphs.small(FILES.size()).toModelFile(), CPU).close();
            assertThat(pool.metrics().evictions())
                    .as("all but one")
                    .isEqualTo(pool.metrics().loaded() - 1);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void aFailureIsNotKept() {
        ModelFile damaged = ModelFile.of(new byte[] {1, 2, 3});
        try (ModelPool pool = pool(1)) {
            use(pool, 0);
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> pool.acquire(damaged, CPU))
                        .isInstanceOf(ModelException.class)
                        .hasMessageContaining("cannot load the model of 3 bytes");
            }
            assertThat(pool.metrics()).isEqualTo(new Metrics(1, 0, 1));
        }
    }

    @Test
    void aLeaseEndsWithoutClosingTheModelOfTheOthers() {
        try (ModelPool pool = pool(1)) {
            Lease first = pool.acquire(FILES.get(0), CPU);
            Model model = first.model();
            try (Lease second = pool.acquire(FILES.get(0), CPU)) {
                model.close();
                assertThat(second.model().predict(INPUT)).hasSize(3);
                assertThat(second.model().input()).isEqualTo(model.input());
                assertThat(second.model().output()).isEqualTo(model.output());
                assertThat(second.model().device()).isEqualTo(Device.CPU);
            }
            assertThatThrownBy(() -> model.predict(INPUT))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("the lease of the model with input (1, 8, 8) is closed: acquire another");
        }
    }

    @Test
    void aClosedPoolLeasesNoMoreButLeasesGoOn() {
        ModelPool pool = pool(8);
        Lease lease = pool.acquire(FILES.get(0), CPU);
        use(pool, 1);
        pool.close();
        pool.close();
        assertThat(pool.metrics()).isEqualTo(new Metrics(2, 0, 1));
        assertThatThrownBy(() -> pool.acquire(FILES.get(0), CPU))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the model pool is closed, it cannot lease a model");
        assertThat(lease.model().predict(INPUT)).hasSize(3);
        lease.close();
        assertThat(pool.metrics()).isEqualTo(new Metrics(2, 0, 2));
    }

    @Test
    void thePoolOfTheJvmIsOneUntilItIsClosed() {
        ModelPool shared = ModelPool.shared();
        assertThat(ModelPool.shared()).isSameAs(shared);
        use(shared, 0);
        shared.close();
        assertThat(ModelPool.shared()).isNotSameAs(shared);
    }

    @Test
    void boundsArePositive() {
        assertThatThrownBy(() -> new ModelPool(0, Duration.ofSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a pool needs room for at least 1 model and a positive idle time, got 0 models and PT1S");
        assertThatThrownBy(() -> new ModelPool(1, Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        Setting<Duration> setting = PoolSettings.IDLE;
        assertThat(setting.get()).isEqualTo(Duration.ofMinutes(10));
        try {
            for (String value : List.of("0", "-1", "many", "")) {
                System.setProperty(setting.key(), value);
                assertThatThrownBy(setting::get)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("io.paritas.inference.pool.idle must be a duration above zero with a unit from us"
                                + " to d, such as 200ms, 5s or 1min, got '" + value + "'");
            }
            System.setProperty(setting.key(), "12s");
            assertThat(setting.get()).isEqualTo(Duration.ofSeconds(12));
        } finally {
            System.clearProperty(setting.key());
        }
    }
}
