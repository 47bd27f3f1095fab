/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** The file descriptors of this JVM. */
final class Descriptors {
    private Descriptors() {}

    /** Whoever tries in vain to listen at an address of another machine gives all back, though it may take a moment. */
    static void requireNoneKept(int tries, ThrowingCallable listen) throws InterruptedException {
        UnixOperatingSystemMXBean system = (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long before = system.getOpenFileDescriptorCount();
        for (int i = 0; i < tries; i++) {
            assertThatThrownBy(listen)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("Cannot assign requested address");
        }
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (system.getOpenFileDescriptorCount() >= before + tries && System.nanoTime() < end) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
        assertThat(system.getOpenFileDescriptorCount()).isLessThan(before + tries);
    }
}
