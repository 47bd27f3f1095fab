/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paritas.spark.ec.PluginSession;
import java.util.Collections;
import java.util.List;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.util.io.ChunkedByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

class UnitWriterTest {
    @RegisterExtension
    static final PluginSession SESSION = new PluginSession();

    private static final RDDBlockId BLOCK = new RDDBlockId(7, 3);
    private static final ClassTag<Object> TYPE = ClassTag$.MODULE$.apply(Object.class);

    private static ChunkedByteBuffer serialise(List<?> rows, long limit) {
        return UnitWriter.serialise(
                BLOCK, CollectionConverters.asScala(List.<Object>copyOf(rows).iterator()), TYPE, limit);
    }

    @Test
    void writesWhatSparkReads() {
        List<Integer> rows = Collections.nCopies(100_000, 1234567);
        ChunkedByteBuffer bytes = serialise(rows, UnitWriter.LIMIT);
        assertThat(CollectionConverters.asJava(SparkEnv.get()
                        .serializerManager()
                        .dataDeserializeStream(BLOCK, bytes.toInputStream(false), TYPE)))
                .toIterable()
                .hasSize(100_000)
                .containsOnly(1234567);
    }

    @Test
    void noRowsAreNoBytes() {
        assertThat(serialise(List.of(), 0).size()).isZero();
    }

    @Test
    void longPartitionsAreRefused() {
        long size = serialise(List.of("row"), UnitWriter.LIMIT).size();
        assertThat(serialise(List.of("row"), size).size()).isEqualTo(size);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> serialise(List.of("row"), size - 1))
                .withMessage("a partition must have at most " + (size - 1)
                        + " bytes when serialised, got more for rdd_7_3: repartition into more partitions");
    }

    @Test
    void rowsThatCannotBeSerialisedAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> serialise(List.of(new Object()), UnitWriter.LIMIT))
                .withMessage("classes of rows must be serialisable by spark.serializer, got java.lang.Object:"
                        + " implement java.io.Serializable, or use Kryo");
    }
}
