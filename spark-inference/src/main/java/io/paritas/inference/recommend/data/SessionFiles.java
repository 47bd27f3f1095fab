/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;

/** File systems as a Spark session has configured them. */
public final class SessionFiles {
    private SessionFiles() {}

    /** The file system of a path. */
    public static FileSystem of(SparkSession session, Path path) throws IOException {
        return path.getFileSystem(((org.apache.spark.sql.classic.SparkSession) session)
                .sessionState()
                .newHadoopConf());
    }
}
