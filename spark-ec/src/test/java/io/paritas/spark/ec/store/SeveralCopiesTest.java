/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.CodeName;
import io.paritas.spark.ec.PluginSession;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.util.io.ChunkedByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two executors have a unit, not with the same bytes: two attempts at a task have stored it, or a disk has damaged one. */
class SeveralCopiesTest {
    @RegisterExtension
    static final PluginSession SESSION = new PluginSession();

    private static final List<Integer> ROWS = IntStream.range(0, 100).boxed().toList();
    private static final ChunkedByteBuffer OTHER = new ChunkedByteBuffer(ByteBuffer.wrap(new byte[] {1, 2, 3}));

    private ErasureCodedStore<Integer> kept;
    private RDDBlockId block;
    private UnitStore here;
    private SecondExecutor second;

    @BeforeEach
    void keep() {
        JavaSparkContext context = new JavaSparkContext(SESSION.spark().sparkContext());
        kept = ErasureCodedStore.of(
                context.parallelize(ROWS, 4).rdd(), CodeName.parse("rs-4-1"), StoreSettings.of(context.getConf()));
        block = new RDDBlockId(kept.rdd().id(), 2);
        here = new UnitStore();
        second = new SecondExecutor();
    }

    @AfterEach
    void drop() {
        kept.close();
        second.close();
    }

    @Test
    void theSoundOneOfAnotherExecutorIsRead() {
        second.put(block, unit());
        here.remove(block);
        here.put(block, OTHER);

        assertThat(read()).isEqualTo(ROWS);

        assertThat(kept.rdd().metrics().damaged().value()).isEqualTo(1);
        assertThat(kept.rdd().metrics().decoded().value()).isZero();
        assertThat(locations()).containsExactly(second.id());
    }

    @Test
    void noneOfThemIsSound() throws InterruptedException {
        second.put(block, OTHER);
        here.remove(block);
        here.put(block, OTHER);

        assertThat(read()).isEqualTo(ROWS);

        assertThat(kept.rdd().metrics().damaged().value()).isEqualTo(2);
        assertThat(kept.rdd().metrics().decoded().value()).isEqualTo(1);
        for (int wait = 0; wait < 100 && locations().contains(second.id()); wait++) {
            Thread.sleep(100); // others are told to remove it
        }
        assertThat(locations()).as("decoded and stored").containsExactly(here.here());
    }

    /** A copy of the block that this executor has. */
    private ChunkedByteBuffer unit() {
        try (UnitBytes unit = here.local(block).orElseThrow()) {
            return new ChunkedByteBuffer(ByteBuffer.wrap(unit.chunked().toArray()));
        }
    }

    private List<Integer> read() {
        return new JavaRDD<>(kept.rdd(), kept.rdd().elementClassTag()).collect();
    }

    private List<BlockManagerId> locations() {
        return here.locations(block).get(0);
    }
}
