/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.gemm;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;

class TileChoiceTest {
    private static final Duration WARM_UP = Duration.ofMillis(200);

    private final Tiles plain = new PlainTiles();

    /** A product takes so long more. */
    private Tiles slower(int millis) {
        return tiles(() -> millis, 1);
    }

    /** A product takes so many milliseconds more, and is computed so many times. */
    private Tiles tiles(IntSupplier millis, int times) {
        return (Tiles) Proxy.newProxyInstance(
                Tiles.class.getClassLoader(), new Class<?>[] {Tiles.class}, (proxy, method, arguments) -> {
                    if (!method.getName().equals("multiply")) {
                        return method.invoke(plain, arguments);
                    }
                    Thread.sleep(millis.getAsInt());
                    for (int i = 0; i < times; i++) {
                        method.invoke(plain, arguments);
                    }
                    return null;
                });
    }

    /** As vectors are on a processor without FMA, where each sum of products takes a microsecond. */
    @Test
    void plainJavaComputesWhereVectorsAreSlow() {
        AtomicInteger products = new AtomicInteger();
        Tiles slow = tiles(
                () -> {
                    products.incrementAndGet();
                    return 200;
                },
                1);
        assertThat(TileChoice.faster(slow, plain, WARM_UP)).isSameAs(plain);
        assertThat(products)
                .as("one or two in the warm-up, three that are measured")
                .hasValueLessThanOrEqualTo(5);
    }

    /** Whoever has never run them would take them for as slow. */
    @Test
    void plainJavaIsCompiledBeforeItIsMeasured() {
        AtomicInteger products = new AtomicInteger();
        Tiles cold = tiles(() -> products.incrementAndGet() > 50 ? 0 : 1, 1);
        assertThat(TileChoice.faster(slower(200), cold, WARM_UP)).isSameAs(cold);
    }

    /** Their compiler may be busy with other work, and take longer than the warm-up. */
    @Test
    void vectorsThatAreOrWillBeFastAreTaken() {
        assertThat(TileChoice.faster(plain, slower(0), Duration.ofSeconds(30))).isSameAs(plain);
        Tiles vectors = tiles(() -> 0, 50);
        assertThat(TileChoice.faster(vectors, plain, WARM_UP)).isSameAs(vectors);
    }
}
