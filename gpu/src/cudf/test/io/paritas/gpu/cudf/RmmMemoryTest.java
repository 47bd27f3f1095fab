/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.cudf;

import static org.assertj.core.api.Assertions.assertThat;

import ai.rapids.cudf.Cuda;
import ai.rapids.cudf.CudaFatalException;
import ai.rapids.cudf.Rmm;
import io.paritas.gpu.GpuException;
import io.paritas.gpu.MemorySource;
import java.lang.reflect.Constructor;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

/** With the real cuDF, whose library is loaded; a machine without a GPU stays alive and does without RMM. */
class RmmMemoryTest {
    @Test
    void isFoundAndInChargeOnlyWhereRmmIs() {
        List<String> found = ServiceLoader.load(MemorySource.class).stream()
                .map(ServiceLoader.Provider::get)
                .map(MemorySource::name)
                .toList();
        assertThat(found).as("beside that of the tests").contains("RMM");
        boolean there = Rmm.isInitialized(); // by a test on a GPU, else never
        assertThat(new RmmMemory().isInCharge()).isEqualTo(there);
        assertThat(MemorySource.current().name()).isEqualTo(there ? "RMM" : "the driver");
    }

    /** By its name: the RAPIDS plugin's class is not on our class path. */
    private static final class GpuRetryOOM extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    @Test
    void whatTheRapidsPluginThrowsInTasksIsOutOfMemory() {
        assertThat(RmmMemory.isOutOfMemory(new GpuRetryOOM())).isTrue();
        assertThat(RmmMemory.isOutOfMemory(new OutOfMemoryError())).isTrue();
        assertThat(RmmMemory.isOutOfMemory(new IllegalStateException())).isFalse();
    }

    @Test
    void allFailuresAreTheGpus() throws ReflectiveOperationException {
        GpuException full = RmmMemory.failure(5, new OutOfMemoryError("std::bad_alloc"));
        assertThat(full)
                .hasMessage("RMM has no 5 bytes of GPU memory left, of what spark.rapids.memory.gpu.allocFraction gives"
                        + " it: std::bad_alloc");
        assertThat(full.isOutOfMemory()).isTrue();

        GpuException other = RmmMemory.failure(5, new IllegalStateException("why"));
        assertThat(other).hasMessage("RMM cannot allocate 5 bytes of GPU memory: why");
        assertThat(other.isOutOfMemory() || other.isLost()).isFalse();

        /* Only cuDF may create one. */
        Constructor<CudaFatalException> fatal =
                CudaFatalException.class.getDeclaredConstructor(String.class, int.class);
        fatal.setAccessible(true);
        assertThat(RmmMemory.failure(5, fatal.newInstance("why", 719))
                        .isLost())
                .isTrue();
    }

    @Test
    void cudfsDefaultStreamIsTheOneOfTheThread() {
        assertThat(CudfRegions.stream(Cuda.DEFAULT_STREAM).handle()).isEqualTo(2);
    }
}
