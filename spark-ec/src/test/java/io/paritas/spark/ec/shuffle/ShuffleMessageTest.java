/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.Set;
import org.apache.spark.SparkConf;
import org.apache.spark.storage.BlockManagerId;
import org.junit.jupiter.api.Test;
import scala.Option;

class ShuffleMessageTest {
    /** Spark's ids of executors are equal only if their racks are. */
    @Test
    void anExecutorTravelsWithItsRack() {
        BlockManagerId racked = BlockManagerId.apply("7", "host", 7077, Option.apply("/rack-1"));
        BlockManagerId plain = BlockManagerId.apply("7", "host", 7077, Option.empty());

        assertThat(ShuffleMessage.executor((Object) ShuffleMessage.executor(racked)))
                .isEqualTo(racked)
                .isNotEqualTo(plain);
        assertThat(ShuffleMessage.executor((Object) ShuffleMessage.executor(plain)))
                .isEqualTo(plain);
    }

    /** It is asked after all others from then on. */
    @Test
    void whoCouldNotMakeAnOutputAgainIsNamed() {
        SparkConf conf = new SparkConf(false)
                .set("spark.paritas.shuffle.code", "rs-1-1")
                .set("spark.paritas.shuffle.repair.interval", "0");
        try (ShuffleCoding coding =
                new ShuffleCoding(ShuffleSettings.of(conf), Optional.empty(), executors -> Set.of())) {
            coding.register(3, 1, 1);
            ShuffleGroups groups = coding.find(3).orElseThrow().groups();
            groups.add(0, 8, Executors.executor(0), 100_000_000);
            Group group = groups.formGroups(Executors.first(2), 0).get(0);
            groups.done(group.number(), 0, Executors.executor(1), new long[] {100_000_000});
            groups.lost(Executors.executor(0)::equals);
            assertThat(groups.orderRebuilds(Executors.first(4), 0))
                    .extracting(Departures.Rebuild::home)
                    .containsExactly(Executors.executor(2));

            Object[] executor = ShuffleMessage.executor(Executors.executor(2));
            ShuffleMessage.receive(ShuffleMessage.REBUILD_FAILED.of(3, 8, executor, "the disk is full"), coding, null);

            assertThat(groups.orderRebuilds(Executors.first(4), 0))
                    .extracting(Departures.Rebuild::home)
                    .containsExactly(Executors.executor(3));
        }
    }
}
