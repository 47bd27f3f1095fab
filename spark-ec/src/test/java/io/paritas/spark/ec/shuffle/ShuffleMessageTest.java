/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import static org.assertj.core.api.Assertions.assertThat;

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
}
