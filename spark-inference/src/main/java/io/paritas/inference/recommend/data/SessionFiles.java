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

    /** Whether a path is a folder, or in it. */
    public static boolean isWithin(SparkSession session, String path, String folder) throws IOException {
        Path outer = qualified(session, folder);
        for (Path above = qualified(session, path); above != null; above = above.getParent()) {
            if (above.equals(outer)) {
                return true;
            }
        }
        return false;
    }

    private static Path qualified(SparkSession session, String path) throws IOException {
        Path given = new Path(path);
        return of(session, given).makeQualified(given);
    }
}
