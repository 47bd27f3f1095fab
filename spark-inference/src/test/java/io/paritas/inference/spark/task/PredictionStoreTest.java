/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Optional;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.util.io.ChunkedByteBuffer;
import org.junit.jupiter.api.Test;
import scala.reflect.ClassTag$;

class PredictionStoreTest {
    /** They are computed again, as if no executor had them. */
    @Test
    void predictionsWhoseFileIsGoneAreNotThere() {
        Fixtures.spark();
        BlockManager manager = SparkEnv.get().blockManager();
        RDDBlockId block = new RDDBlockId(77, 0);
        manager.putBytes(
                block,
                new ChunkedByteBuffer(ByteBuffer.allocate(0)),
                StorageLevel.DISK_ONLY(),
                true,
                ClassTag$.MODULE$.apply(byte[].class));
        PredictionStore store = new PredictionStore(77, null);
        assertThat(store.get(0))
                .hasValueSatisfying(answers -> assertThat(answers).isEmpty());

        assertThat(manager.diskBlockManager().getFile(block).delete()).isTrue();
        assertThat(store.get(0)).isEqualTo(Optional.empty());
        assertThat(manager.getStatus(block).isDefined()).isFalse();
    }
}
