/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.util.Optional;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.shuffle.sort.io.LocalDiskShuffleDataIO;

/** Settings and versions of Spark that leave a shuffle as Spark has it. */
final class Obstacles {
    static final String HOST_LOCAL = "spark.shuffle.readHostLocalDisk";

    static final String STORAGE = "spark.shuffle.sort.io.plugin.class";
    private static final String LOCAL_DISKS = LocalDiskShuffleDataIO.class.getName();

    private Obstacles() {}

    /** The first one, as a sentence; empty if there is none. */
    static Optional<String> of(SparkConf conf) {
        return of(conf, org.apache.spark.package$.MODULE$.SPARK_VERSION());
    }

    static Optional<String> of(SparkConf conf, String version) {
        return Stream.of(
                        version(version),
                        off(conf, "spark.shuffle.service.enabled", "the files outlive executors already"),
                        off(conf, "spark.shuffle.push.enabled", "merged blocks have no parity"),
                        off(conf, "spark.shuffle.useOldFetchProtocol", "it cannot ask for ranges of bytes"),
                        storage(conf))
                .flatMap(Optional::stream)
                .findFirst();
    }

    /** Spark 4.0 has other interfaces for lists of map outputs and their checksums. */
    private static Optional<String> version(String version) {
        return version.startsWith("4.0.")
                ? Optional.of("Spark must be 4.1 or 4.2, got " + version + ", whose shuffles have other interfaces")
                : Optional.empty();
    }

    private static Optional<String> off(SparkConf conf, String key, String reason) {
        return conf.getBoolean(key, false)
                ? Optional.of(key + " must be false, got true: " + reason)
                : Optional.empty();
    }

    private static Optional<String> storage(SparkConf conf) {
        String storage = conf.get(STORAGE, LOCAL_DISKS);
        return storage.equals(LOCAL_DISKS) || storage.equals(CodedShuffleDataIO.class.getName())
                ? Optional.empty()
                : Optional.of(STORAGE + " must be " + LOCAL_DISKS + ", got " + storage
                        + ": only files on local disks are coded");
    }
}
