/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.file.ChunkSize;
import io.paritas.spark.ec.LocalSpark;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SaveMode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Streams that decompress are closed: those of zstd have memory that no collector frees. */
class PartReaderTest {
    private static final AtomicInteger CLOSED = new AtomicInteger();

    @TempDir
    private Path home;

    /** Counts streams that are closed by who decompresses them. */
    private record Watched<T>(Format<T> format) implements Format<T> {
        @Override
        public long write(Iterator<T> elements, OutputStream output) throws IOException {
            return format.write(elements, output);
        }

        @Override
        public Source<T> read(InputStream input) {
            return format.read(new FilterInputStream(input) {
                @Override
                public void close() throws IOException {
                    CLOSED.incrementAndGet();
                    super.close();
                }
            });
        }
    }

    @BeforeEach
    void countFromZero() {
        CLOSED.set(0);
    }

    private static <T> JavaRDD<T> read(CheckpointReader reader, Format<T> format) {
        return CheckpointReader.parts(reader.context(), reader.checkpoint().manifest())
                .mapPartitions(new PartReader<>(
                        reader.storage(),
                        reader.checkpoint().layout(),
                        new Watched<>(format),
                        reader.degradedPartitions(),
                        reader.damagedUnits()));
    }

    @Test
    void ofRowsAreClosedAtTheEndOfAPartition() throws Exception {
        Sample sample = Sample.written(home, "rs-3-2", Sample.rows(30));
        RowFormat format =
                new RowFormat(Sample.rows(0).schema(), sample.manifest().compression());
        JavaRDD<Long> ids = read(sample.reader(), format).map(row -> row.getLong(0));

        assertThat(ids.count()).isEqualTo(30);
        assertThat(CLOSED).hasValue(3);
    }

    @Test
    void ofElementsAreClosedAtTheEndOfAPartition() throws Exception {
        assertThat(elements().collect()).containsExactly(1, 2, 3, 4, 5);
        assertThat(CLOSED).hasValue(2);
    }

    @Test
    void areClosedWhenATaskStopsEarlier() throws Exception {
        assertThat(elements().take(1)).containsExactly(1);
        assertThat(CLOSED).hasValue(1);
    }

    private JavaRDD<Object> elements() throws IOException {
        Sample sample = Sample.of(home, "rs-3-2");
        SparkContext context = LocalSpark.session().sparkContext();
        CheckpointWriter.of(context, sample.code(), new ChunkSize(Sample.CHUNK), sample.names())
                .write(new JavaSparkContext(context).parallelize(List.of(1, 2, 3, 4, 5), 2), SaveMode.ErrorIfExists);
        CheckpointReader reader = CheckpointReader.of(context, sample.names());
        return read(reader, new ElementFormat(reader.checkpoint().manifest().compression()));
    }
}
