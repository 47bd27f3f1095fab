/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.spark.Dependency;
import org.apache.spark.Partition;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

class AllPartitionsTest {
    private static final AtomicInteger MADE = new AtomicInteger();

    /** Counts those that are made, also from their bytes. */
    private record Counted(int index) implements Partition {
        private static final long serialVersionUID = 1;

        Counted {
            MADE.incrementAndGet();
        }

        @SuppressWarnings({"MemberName", "UnusedMethod"})
        public boolean org$apache$spark$Partition$$super$equals(Object other) {
            return equals(other);
        }
    }

    private static final class Rows extends RDD<InternalRow> {
        private static final long serialVersionUID = 1;

        private final int partitions;

        Rows(int partitions) {
            super(
                    Fixtures.spark(),
                    Attributes.seq(List.<Dependency<?>>of()),
                    ClassTag$.MODULE$.apply(InternalRow.class));
            this.partitions = partitions;
        }

        @Override
        public Partition[] getPartitions() {
            return IntStream.range(0, partitions).mapToObj(Counted::new).toArray(Partition[]::new);
        }

        @Override
        public scala.collection.Iterator<InternalRow> compute(Partition split, TaskContext task) {
            return CollectionConverters.asScala(List.<InternalRow>of().iterator());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 255, 256, 257, 700})
    void eachIsTheOneOfItsNumber(int partitions) {
        Rows rows = new Rows(partitions);
        AllPartitions all = AllPartitions.of(rows);
        assertThat(IntStream.range(0, partitions)
                        .map(partition -> all.get(rows, partition).index()))
                .containsExactlyElementsOf(
                        IntStream.range(0, partitions).boxed().toList());
    }

    @Test
    void thereMayBeNone() {
        assertThat(AllPartitions.of(new Rows(0)).chunks().value()).isEmpty();
    }

    /** Those of a scan may have the names of millions of files. */
    @Test
    void whoWantsOneDoesNotReadAll() {
        Rows rows = new Rows(10_000);
        AllPartitions all = AllPartitions.of(rows);
        int before = MADE.get();
        assertThat(all.get(rows, 5000).index()).isEqualTo(5000);
        assertThat(MADE.get() - before).isLessThan(1000);
    }
}
