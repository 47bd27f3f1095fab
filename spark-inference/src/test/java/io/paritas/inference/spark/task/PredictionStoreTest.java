/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
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
    private static final RDDBlockId BLOCK = new RDDBlockId(77, 0);

    private final BlockManager manager = manager();
    private final PredictionStore store = new PredictionStore(77, null);

    private static BlockManager manager() {
        Fixtures.spark();
        return SparkEnv.get().blockManager();
    }

    /** Returns their file. */
    private File predictionsOnDisk() {
        manager.putBytes(
                BLOCK,
                new ChunkedByteBuffer(ByteBuffer.allocate(0)),
                StorageLevel.DISK_ONLY(),
                true,
                ClassTag$.MODULE$.apply(byte[].class));
        assertThat(store.get(0))
                .hasValueSatisfying(answers -> assertThat(answers).isEmpty());
        return manager.diskBlockManager().getFile(BLOCK);
    }

    /** They are computed again, as if no executor had them. */
    @Test
    void predictionsWhoseFileIsGoneAreNotThere() {
        assertThat(predictionsOnDisk().delete()).isTrue();
        assertThat(store.get(0)).isEqualTo(Optional.empty());
        assertThat(manager.getStatus(BLOCK).isDefined()).isFalse();
    }

    @Test
    void predictionsWhoseFileCannotBeOpenedAreNotThere() {
        File file = predictionsOnDisk();
        assertThat(file.delete() && file.mkdir()).isTrue();
        assertThat(store.get(0)).isEqualTo(Optional.empty());
        assertThat(manager.getStatus(BLOCK).isDefined()).isFalse();
    }
}
