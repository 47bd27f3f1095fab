/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.erasure.file.ChunkSize;
import io.paritas.erasure.file.UnitsException;
import io.paritas.spark.ec.LocalSpark;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SaveMode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.Tuple2;

class ElementsTest {
    @TempDir
    private Path home;

    private final JavaSparkContext context =
            new JavaSparkContext(LocalSpark.session().sparkContext());
    private Sample sample;

    @BeforeEach
    void start() {
        sample = Sample.of(home, "rs-3-2");
    }

    private void write(JavaRDD<?> elements, SaveMode mode) throws IOException {
        CheckpointWriter.of(context.sc(), sample.code(), new ChunkSize(Sample.CHUNK), sample.names())
                .write(elements, mode);
    }

    private CheckpointReader reader() throws IOException {
        return CheckpointReader.of(context.sc(), sample.names());
    }

    /** All sorts of elements, null among them, in unequal partitions; one object that two elements refer to. */
    private JavaRDD<Object> elements() {
        List<Integer> shared = new ArrayList<>(List.of(1, 2));
        List<Object> all = new ArrayList<>(List.of(
                "text",
                7L,
                new Tuple2<>(1, "one"),
                new TreeMap<>(Map.of("k", 1.5)),
                Duration.ofDays(3),
                shared,
                shared));
        all.add(null);
        IntStream.range(0, 100).forEach(all::add);
        return context.parallelize(all, 3).union(context.parallelize(List.of(), 2));
    }

    @Test
    void anyElementsAreKeptInTheirPartitions() throws Exception {
        write(elements(), SaveMode.ErrorIfExists);
        Sample.delete(sample.directory(1));
        Sample.delete(sample.directory(4));
        assertThat(reader().elements().glom().collect())
                .isEqualTo(elements().glom().collect());
        assertThat(reader().checkpoint().manifest().parts())
                .extracting(Part::count)
                .containsExactly(36L, 36L, 36L, 0L, 0L);
    }

    @Test
    void noPartitions() throws Exception {
        write(context.emptyRDD(), SaveMode.ErrorIfExists);
        assertThat(reader().elements().collect()).isEmpty();
    }

    @Test
    void areVerifiedAndRepairedAsRowsAre() throws Exception {
        write(elements(), SaveMode.ErrorIfExists);
        Sample.delete(sample.directory(0));
        assertThat(sample.repair().verify()).hasSize(5 + 1);
        assertThat(sample.repair().repair()).hasSize(5 + 1);
        assertThat(sample.repair().verify()).isEmpty();
    }

    @Test
    void rowsAndElementsReplaceEachOther() throws Exception {
        sample.write(Sample.rows(10), SaveMode.ErrorIfExists);
        assertThatExceptionOfType(FileAlreadyExistsException.class)
                .isThrownBy(() -> write(elements(), SaveMode.ErrorIfExists));
        write(elements(), SaveMode.Overwrite);
        write(reader().elements().filter("text"::equals), SaveMode.Overwrite);
        assertThat(reader().elements().collect()).containsExactly("text");
        sample.write(Sample.rows(10), SaveMode.Overwrite);
        sample.check(Sample.rows(10));
    }

    @Test
    void elementsAreNotReadAsRows() throws Exception {
        write(elements(), SaveMode.ErrorIfExists);
        CheckpointReader reader = reader();
        String id = reader.checkpoint().manifest().id();
        assertThatExceptionOfType(UnitsException.class)
                .isThrownBy(() -> reader.rows(LocalSpark.session()))
                .withMessage(
                        "checkpoint " + id + " must have the rows of a Dataset, got elements of an RDD: read it with"
                                + " ErasureCodedCheckpoint.read(JavaSparkContext, directories)");
    }

    @Test
    void rowsAreNotReadAsElements() throws Exception {
        sample.write(Sample.rows(10), SaveMode.ErrorIfExists);
        CheckpointReader reader = reader();
        String id = reader.checkpoint().manifest().id();
        assertThatExceptionOfType(UnitsException.class)
                .isThrownBy(reader::elements)
                .withMessage(
                        "checkpoint " + id + " must have elements of an RDD, got the rows of a Dataset: read it with"
                                + " ErasureCodedCheckpoint.read(SparkSession, directories)");
    }

    @Test
    void classesMustBeSerialisable() {
        JavaRDD<Object> objects = context.parallelize(List.of(1), 1).map(element -> new Object());
        assertThatThrownBy(() -> write(objects, SaveMode.ErrorIfExists))
                .hasStackTraceContaining(
                        "classes of elements must be serialisable by spark.serializer, got java.lang.Object: implement"
                                + " java.io.Serializable, or use Kryo");
    }

    @Test
    void theLayoutTellsTheSerialiserAndWhatItsBytesDependOn() {
        SparkConf java = new SparkConf(false).set("spark.kryo.unsafe", "true");
        assertThat(ElementLayout.of(java, "4.2.0"))
                .isEqualTo("org.apache.spark.serializer.JavaSerializer of Spark 4.2")
                .isEqualTo(ElementLayout.of(java, "4.2.1"));
        SparkConf kryo = new SparkConf(false)
                .set("spark.serializer", "org.apache.spark.serializer.KryoSerializer")
                .set("spark.kryo.registrator", "org.example.Registrator")
                .set("spark.kryoserializer.buffer", "1m")
                .set("spark.kryo.classesToRegister", "org.example.A,org.example.B");
        assertThat(ElementLayout.of(kryo, "4.3.0-SNAPSHOT"))
                .isEqualTo("org.apache.spark.serializer.KryoSerializer of Spark 4.3,"
                        + " spark.kryo.classesToRegister=org.example.A,org.example.B,"
                        + " spark.kryo.registrator=org.example.Registrator");
    }

    @Test
    void elementsOfAnotherSerialiserAreRefused() throws Exception {
        write(elements(), SaveMode.ErrorIfExists);
        Manifest old = reader().checkpoint().manifest();
        Manifest other = new Manifest(
                old.id(),
                old.replaces(),
                old.code(),
                old.chunk(),
                old.directories(),
                old.compression(),
                old.sparkVersion(),
                new Content.Elements("org.example.Serializer of Spark 4.2"),
                old.parts());
        for (int directory = 0; directory < 5; directory++) {
            Path file = sample.directory(directory).resolve("checkpoint-" + old.id() + "/" + Manifest.FILE_NAME);
            Files.write(file, new ManifestCopy(other, directory).encoded());
        }
        CheckpointReader reader = reader();
        assertThatExceptionOfType(UnitsException.class)
                .isThrownBy(reader::elements)
                .withMessage("the elements of a checkpoint must be those of this application's serialiser, "
                        + old.content().layout() + ", got org.example.Serializer of Spark 4.2 in checkpoint "
                        + old.id() + ": start the application with the same serialiser and settings");
    }
}
