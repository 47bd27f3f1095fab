/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import io.paritas.PublicApi;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;

/**
 * A reader of Criteo's click logs ("Kaggle Display Advertising Challenge" and "1 TB Click Logs") as Datasets of {@link
 * Samples}: 13 dense numbers, ln(1 + max(x, 0)) of those in the file, and 26 ids of embedding rows, into which the categorical
 * values are hashed. Files may be compressed in any way that Spark's text source reads. Each action on a Dataset reads the
 * files again: cache it, or write it as Parquet, to read it often. Thread-safe.
 */
@PublicApi
public final class CriteoLogs {
    /** Dense numbers of a sample. */
    public static final int DENSE = 13;
    /** Categorical values of a sample. */
    public static final int CATEGORICAL = 26;

    private static final StructType MALFORMED = StructType.fromDDL("line STRING NOT NULL, reason STRING NOT NULL");

    /** What happens to a malformed line. */
    @PublicApi
    public enum Malformed {
        /** The task fails; the message shows the line. */
        FAIL,
        /** The line is left out; {@link CriteoLogs#malformed} lists such lines. */
        DROP
    }

    private CriteoLogs() {}

    /**
     * The samples of files or folders.
     *
     * @param tables 1, which all values share, or 26
     * @throws IllegalArgumentException if there is another number of tables
     */
    public static Dataset<Row> read(SparkSession session, Tables tables, Malformed malformed, String... paths) {
        CriteoLine parser = new CriteoLine(tables);
        FlatMapFunction<String, Row> parse = line -> {
            try {
                return one(parser.parse(line).toRow());
            } catch (IllegalArgumentException e) {
                if (malformed == Malformed.DROP) {
                    return Collections.emptyIterator();
                }
                throw new IllegalArgumentException(
                        "a line is malformed, " + e.getMessage() + "; Malformed.DROP leaves such lines out; the line: "
                                + line,
                        e);
            }
        };
        return lines(session, paths).flatMap(parse, Encoders.row(Samples.SCHEMA));
    }

    /** The malformed lines of files or folders: columns {@code line} and {@code reason}. */
    public static Dataset<Row> malformed(SparkSession session, String... paths) {
        CriteoLine parser = new CriteoLine(Tables.of(1));
        FlatMapFunction<String, Row> parse = line -> {
            try {
                parser.parse(line);
                return Collections.emptyIterator();
            } catch (IllegalArgumentException e) {
                return one(RowFactory.create(line, e.getMessage()));
            }
        };
        return lines(session, paths).flatMap(parse, Encoders.row(MALFORMED));
    }

    private static Iterator<Row> one(Row row) {
        return List.of(row).iterator();
    }

    private static Dataset<String> lines(SparkSession session, String... paths) {
        return session.read().textFile(paths);
    }
}
