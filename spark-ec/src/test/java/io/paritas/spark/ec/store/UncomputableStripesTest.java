/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.erasure.CodeName;
import io.paritas.spark.ec.PluginSession;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.storage.BlockManagerMessages;
import org.apache.spark.storage.RDDBlockId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Too much of some stripes is lost, and their source is gone. */
class UncomputableStripesTest {
    private static final int PARTITIONS = 40;
    /** Stripes that a job repairs at most. */
    private static final int BATCH = 16;

    @RegisterExtension
    static final PluginSession SESSION = new PluginSession();

    /** The partitions that cannot be computed. */
    private static final Set<Integer> GONE = ConcurrentHashMap.newKeySet();

    private static final AtomicInteger COMPUTED = new AtomicInteger();
    private static volatile int data;

    private ErasureCodedStore<Integer> kept;

    @BeforeEach
    void begin() {
        GONE.clear();
    }

    @AfterEach
    void drop() {
        kept.close();
    }

    @Test
    void keepNoDecodableOnesWaiting() {
        keep(PARTITIONS);
        loseData(0, PARTITIONS);
        loseParity(0, BATCH);
        goneAre(0, PARTITIONS);
        assertThat(kept.health().brokenStripes()).isEqualTo(BATCH);

        repair();

        assertThat(kept.health().brokenStripes()).isEqualTo(BATCH);
        assertThat(kept.health().missingUnits()).isEqualTo(2 * BATCH);
    }

    @Test
    void keepNoOthersOfTheirJobBroken() {
        keep(PARTITIONS);
        loseData(0, 3);
        loseParity(0, 3);
        goneAre(1, 2);
        assertThat(kept.health().brokenStripes()).isEqualTo(3);

        repair();

        assertThat(kept.health().brokenStripes()).isEqualTo(1);
        assertThat(kept.health().missingUnits()).isEqualTo(2);
    }

    @Test
    void keepNoOthersBehindThemBroken() {
        keep(PARTITIONS);
        loseData(0, BATCH + 1);
        loseParity(0, BATCH + 1);
        goneAre(0, BATCH);

        repair();
        repair();

        assertThat(kept.health().brokenStripes()).as("all but the last one").isEqualTo(BATCH);

        GONE.clear();
        repair();
        assertThat(kept.health().missingUnits()).isZero();
        assertThat(kept.rdd().toJavaRDD().collect())
                .isEqualTo(IntStream.range(0, PARTITIONS).boxed().toList());
    }

    /** Its stripe could not be decoded with other rows, or the same in another order. */
    @Test
    void haveNoPartitionThatWasComputedOtherwise() {
        JavaRDD<Integer> rows = context()
                .parallelize(List.of(0, 1), 2)
                .map(row -> GONE.contains(row) ? failLater() : COMPUTED.incrementAndGet());
        assertNothingIsComputedOtherwise(rows);
    }

    /** Even if the thread is interrupted while such partitions are removed. */
    @Test
    void sayWhyTheyCannotBeComputed() {
        keep(3);
        loseData(0, 1);
        loseParity(0, 1);
        goneAre(0, 1);
        BlockManagerMessages.RemoveBlock removal = new BlockManagerMessages.RemoveBlock(new RDDBlockId(data, 0));
        try (InterruptingEndpoint interrupting = new InterruptingEndpoint(removal::equals)) {
            assertThatThrownBy(() -> kept.repair())
                    .hasMessageContaining("the source is gone")
                    .hasNoSuppressedExceptions();
        }
        assertThat(Thread.interrupted()).isTrue();
    }

    /** One is lost when all are computed, and cannot be computed once more. */
    @Test
    void haveNoPartitionThatWasComputedOtherwiseBefore() {
        COMPUTED.set(0);
        JavaRDD<Integer> rows = context().parallelize(List.of(0, 1), 2).map(row -> {
            int times = COMPUTED.incrementAndGet();
            if (GONE.contains(1)) {
                loseTheFirst(row, times);
            }
            return times;
        });
        assertNothingIsComputedOtherwise(rows);
    }

    private void assertNothingIsComputedOtherwise(JavaRDD<Integer> rows) {
        keep(rows, "rs-2-1");
        loseData(0, 2);
        goneAre(1, 2);

        assertThatThrownBy(() -> kept.repair()).hasMessageContaining("the source is gone");

        assertThat(kept.health().missingUnits()).isEqualTo(2);
        assertThat(kept.health().brokenStripes()).isEqualTo(1);
    }

    /** @param times how often some partition has been computed: both are stored first, and then both again */
    private static void loseTheFirst(int row, int times) {
        RDDBlockId first = new RDDBlockId(data, 0);
        if (row == 1) {
            while (new UnitStore().locations(first).get(0).isEmpty()) {
                Thread.onSpinWait();
            }
            new UnitStore().remove(first);
        } else if (times > 4) {
            throw new IllegalStateException("the source is gone");
        }
    }

    /** The other partition is stored before. */
    private static int failLater() {
        while (new UnitStore().locations(new RDDBlockId(data, 0)).get(0).isEmpty()) {
            Thread.onSpinWait();
        }
        throw new IllegalStateException("the source is gone");
    }

    private static JavaSparkContext context() {
        return new JavaSparkContext(SESSION.spark().sparkContext());
    }

    private void keep(int partitions) {
        List<Integer> rows = IntStream.range(0, partitions).boxed().toList();
        keep(
                context().parallelize(rows, partitions).map(row -> {
                    if (GONE.contains(row)) {
                        throw new IllegalStateException("the source is gone");
                    }
                    return row;
                }),
                "rs-1-1");
    }

    private void keep(JavaRDD<Integer> rows, String code) {
        kept = ErasureCodedStore.of(
                rows.rdd(),
                CodeName.parse(code),
                new StoreSettings(Duration.ofSeconds(5), false, Duration.ZERO, Duration.ofHours(1), 0));
        data = kept.rdd().id();
    }

    private static void repair() {
        Repairer.known(SESSION.spark().sparkContext()).orElseThrow().repairAll();
    }

    private static void goneAre(int from, int to) {
        IntStream.range(from, to).forEach(GONE::add);
    }

    private static void loseData(int from, int to) {
        IntStream.range(from, to).forEach(partition -> new UnitStore().remove(new RDDBlockId(data, partition)));
    }

    /** With one partition, a stripe has the partition's number; the first block of the parity is the sign that stripes are current. */
    private static void loseParity(int from, int to) {
        IntStream.range(from, to).forEach(stripe -> new UnitStore().remove(new RDDBlockId(data + 1, 1 + stripe)));
    }
}
