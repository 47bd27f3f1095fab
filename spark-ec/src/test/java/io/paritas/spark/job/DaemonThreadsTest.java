/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Test;

class DaemonThreadsTest {
    private static final InheritableThreadLocal<String> OF_THE_CALLER = new InheritableThreadLocal<>();

    @Test
    void takeOverNothingFromWhoStartsThem() throws Exception {
        Thread caller = Thread.currentThread();
        ClassLoader before = caller.getContextClassLoader();
        OF_THE_CALLER.set("a session");
        ExecutorService pool = Executors.newSingleThreadExecutor(DaemonThreads.named("shared"));
        try (URLClassLoader artifacts = new URLClassLoader(new URL[0], before)) {
            caller.setContextClassLoader(artifacts);

            assertThat(pool.submit(() -> OF_THE_CALLER.get()).get()).isNull();
            assertThat(pool.submit(() -> Thread.currentThread().getContextClassLoader())
                            .get())
                    .isSameAs(DaemonThreads.class.getClassLoader());
        } finally {
            pool.shutdownNow();
            caller.setContextClassLoader(before);
            OF_THE_CALLER.remove();
        }
    }

    @Test
    void haveNames() {
        ThreadFactory numbered = DaemonThreads.numbered("fetch");

        assertThat(numbered.newThread(() -> {}).getName()).isEqualTo("fetch-1");
        assertThat(numbered.newThread(() -> {}).getName()).isEqualTo("fetch-2");
        assertThat(DaemonThreads.named("plan").newThread(() -> {}).getName()).isEqualTo("plan");
        assertThat(DaemonThreads.named("plan").newThread(() -> {}).isDaemon()).isTrue();
    }
}
