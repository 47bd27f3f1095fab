/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.CodeName;
import io.paritas.spark.ec.PluginSession;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.util.io.ChunkedByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The only executor with a unit answers, but later than tasks wait for one. */
class LateExecutorTest {
    private static final int LATE = 2;
    private static final int OTHER = 1;
    private static final long TIMEOUT_MILLIS = 50;

    @RegisterExtension
    static final PluginSession SESSION = new PluginSession();

    private static final List<Integer> ROWS = IntStream.range(0, 100).boxed().toList();

    private ErasureCodedStore<Integer> kept;
    private UnitStore here;
    private SecondExecutor second;

    @BeforeEach
    void keep() {
        JavaSparkContext context = new JavaSparkContext(SESSION.spark().sparkContext());
        kept = ErasureCodedStore.of(
                context.parallelize(ROWS, 4).rdd(),
                CodeName.parse("rs-4-1"),
                new StoreSettings(Duration.ofMillis(TIMEOUT_MILLIS), false, Duration.ZERO, Duration.ofHours(1), 0));
        here = new UnitStore();
        second = new SecondExecutor();
        try (UnitBytes unit = here.local(block(LATE)).orElseThrow()) {
            second.put(
                    block(LATE),
                    new ChunkedByteBuffer(ByteBuffer.wrap(unit.chunked().toArray())));
        }
        here.remove(block(LATE));
        second.beLate(10 * TIMEOUT_MILLIS);
    }

    @AfterEach
    void drop() {
        kept.close();
        second.close();
    }

    @Test
    void isNotWaitedForWhereOthersHaveEnough() {
        assertThat(read(LATE)).isEqualTo(ROWS.subList(50, 75));

        assertThat(kept.rdd().metrics().decoded().value()).isEqualTo(1);
        assertThat(kept.rdd().metrics().recomputed().value()).isZero();
    }

    @Test
    void isWaitedForWhereItsUnitIsNeededForAnother() {
        here.remove(block(OTHER));

        assertThat(read(OTHER)).isEqualTo(ROWS.subList(25, 50));

        assertThat(kept.rdd().metrics().decoded().value()).isEqualTo(1);
        assertThat(kept.rdd().metrics().recomputed().value()).isZero();
    }

    @Test
    void isWaitedForWhereNothingElseHasItsRows() {
        here.remove(block(OTHER));

        assertThat(read(LATE)).isEqualTo(ROWS.subList(50, 75));

        assertThat(kept.rdd().metrics().decoded().value()).isZero();
        assertThat(kept.rdd().metrics().recomputed().value()).isZero();
    }

    private RDDBlockId block(int partition) {
        return new RDDBlockId(kept.rdd().id(), partition);
    }

    private List<Integer> read(int partition) {
        return new JavaRDD<>(kept.rdd(), kept.rdd().elementClassTag()).collectPartitions(new int[] {partition})[0];
    }
}
