/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.gemm;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TileChoiceTest {
    private static final Duration WARM_UP = Duration.ofMillis(200);

    private final Tiles plain = new PlainTiles();

    /** A product takes so long more. */
    private Tiles slower(int millis) {
        return (Tiles) Proxy.newProxyInstance(
                Tiles.class.getClassLoader(), new Class<?>[] {Tiles.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("multiply")) {
                        Thread.sleep(millis);
                    }
                    return method.invoke(plain, arguments);
                });
    }

    /** As vectors are on a processor without FMA, where each sum of products takes a microsecond. */
    @Test
    void plainJavaComputesWhereVectorsAreSlow() {
        long start = System.nanoTime();
        assertThat(TileChoice.faster(slower(200), plain, WARM_UP)).isSameAs(plain);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    }

    /** Their compiler may be busy with other work, and take longer than the warm-up. */
    @Test
    void vectorsThatAreOrWillBeFastAreTaken() {
        assertThat(TileChoice.faster(plain, slower(0), Duration.ofSeconds(30))).isSameAs(plain);
        Tiles vectors = slower(20);
        assertThat(TileChoice.faster(vectors, slower(1), WARM_UP)).isSameAs(vectors);
    }
}
