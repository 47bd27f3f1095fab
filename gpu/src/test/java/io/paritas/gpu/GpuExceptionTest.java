/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an error means, by its number: JCuda calls 226 and 721 "INVALID CUresult". */
class GpuExceptionTest {
    private static GpuException of(int error, String name) {
        return GpuException.of("cuStreamSynchronize", error, name, 0);
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911})
    void whatEndsTheProcessLosesTheGpu(int error) {
        assertThat(of(error, "").isLost()).isTrue();
        assertThat(of(error, "").isOutOfMemory()).isFalse();
    }

    @Test
    void errorsWithoutANameInJcudaHaveOneInTheMessage() {
        assertThat(of(226, "INVALID CUresult: 226")).hasMessage("cuStreamSynchronize failed: CUDA_ERROR_CONTAINED");
    }

    /** Numbers 999 and 806: the GPU fell off the bus, and the server of MPS died. */
    @Test
    void whatTheNextCallMeetsTooLosesTheGpu() {
        for (int error : new int[] {1, 46, 806, 999}) {
            assertThat(GpuException.of("cuLaunchKernel", error, "", error).isLost())
                    .as("%d", error)
                    .isTrue();
        }
        assertThat(GpuException.of("cuDevicePrimaryCtxRetain", 46, "", 201).isLost())
                .isFalse();
        assertThat(GpuException.of("cuMemAlloc", 2, "", 2).isOutOfMemory()).isTrue();
    }

    @Test
    void sourcesOfMemorySayThatAGpuIsLost() {
        assertThat(GpuException.lost("gone", null).isLost()).isTrue();
        assertThat(new GpuException("busy", null).isLost()).isFalse();
    }

    /** Number 46: in exclusive mode another process has the GPU, which ends sooner or later. */
    @Test
    void whatMayWorkLaterLosesNothing() {
        assertThat(of(2, "CUDA_ERROR_OUT_OF_MEMORY").isOutOfMemory()).isTrue();
        for (int error : new int[] {1, 2, 46, 100, 999}) {
            assertThat(of(error, "").isLost()).as("%d", error).isFalse();
        }
    }
}
