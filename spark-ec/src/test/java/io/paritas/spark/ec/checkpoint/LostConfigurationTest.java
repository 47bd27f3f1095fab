/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.spark.ec.LocalSpark;
import io.paritas.spark.ec.Undeclared;
import java.nio.file.Path;
import org.apache.spark.SparkEnv;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.util.SerializableConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.reflect.ClassTag$;

/** Executors that cannot get Hadoop's configuration know nothing of unit files. */
class LostConfigurationTest {
    private static final String WHY =
            "Hadoop's configuration must come from the driver, but this executor cannot get it: ";

    @TempDir
    private Path home;

    private static void lose(Storage storage) {
        SparkEnv.get().broadcastManager().cachedValues().clear();
        SparkEnv.get().blockManager().removeBroadcast(storage.configuration().id(), true);
    }

    @Test
    void isNoDamage() throws Exception {
        Sample sample = Sample.written(home, "rs-2-1", Sample.rows(30));
        CheckpointRepair repair = sample.repair();
        lose(repair.storage());

        assertThatThrownBy(repair::verify).hasMessageContaining(WHY);
        assertThatThrownBy(repair::repair).hasMessageContaining(WHY);
        assertThat(sample.repair().verify()).isEmpty();
    }

    /** Fails as Spark's own where its thread is interrupted while it waits for an answer. */
    private static final class Interrupted extends Broadcast<SerializableConfiguration> {
        private static final long serialVersionUID = 1;

        Interrupted() {
            super(0, ClassTag$.MODULE$.apply(SerializableConfiguration.class));
        }

        @Override
        public SerializableConfiguration getValue() {
            Undeclared.raise(new InterruptedException("a test"));
            throw new IllegalStateException();
        }

        @Override
        public void doUnpersist(boolean blocking) {}

        @Override
        public void doDestroy(boolean blocking) {}
    }

    @Test
    void isNotGotByAThreadThatIsInterrupted() {
        Storage storage = new Storage(new Interrupted());
        assertThatThrownBy(() -> storage.qualified(home.toString()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(WHY + "a test");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void isWhyNothingIsRead() throws Exception {
        Sample sample = Sample.written(home, "rs-2-1", Sample.rows(30));
        CheckpointReader reader = sample.reader();
        lose(reader.storage());

        assertThatThrownBy(() -> reader.rows(LocalSpark.session()).count()).hasMessageContaining(WHY);
        sample.check(Sample.rows(30));
    }
}
