/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec;

import io.paritas.PublicApi;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicyInfo;
import org.apache.hadoop.hdfs.protocol.HdfsLocatedFileStatus;
import org.apache.spark.sql.SparkSession;

/**
 * The erasure coding policy of an HDFS directory. It applies to files that are written afterwards: set it before a DataFrame is
 * written, and write the DataFrame to a directory below. Spark's mode {@code overwrite} deletes the directory that it writes to, with
 * a policy of that directory; the new files get that of the directory above. Thread-safe.
 */
@PublicApi
public final class HdfsPolicy {
    private static final String REPLICATED = "none, it is replicated";

    private HdfsPolicy() {}

    /**
     * Sets the policy of a directory. Creates the directory if it does not exist.
     *
     * @param session the session whose file systems are used
     * @param directory such as {@code hdfs://namenode/tables/t}
     * @param policy such as {@code RS-6-3-1024k}
     * @throws IOException if HDFS fails
     * @throws IllegalArgumentException if it is not a directory of HDFS, or there is no such policy
     * @throws IllegalStateException if the policy is not enabled, or the directory has files with another policy
     */
    public static void set(SparkSession session, String directory, String policy) throws IOException {
        Path path = path(directory);
        DistributedFileSystem files = hdfs(session, path);
        checkEnabled(policy, files.getAllErasureCodingPolicies());
        checkFiles(files, path, policy);
        files.mkdirs(path);
        if (!policy(files, path).equals(Optional.of(policy))) {
            files.setErasureCodingPolicy(path, policy);
        }
    }

    /**
     * Returns the policy of a file or directory; empty if it is replicated.
     *
     * @param session the session whose file systems are used
     * @param path such as {@code hdfs://namenode/tables/t}
     * @throws IOException if HDFS fails
     * @throws IllegalArgumentException if it is not a path of HDFS
     */
    public static Optional<String> get(SparkSession session, String path) throws IOException {
        Path parsed = path(path);
        return policy(hdfs(session, parsed), parsed);
    }

    /**
     * Checks that files which are written to a directory get a policy.
     *
     * @param session the session whose file systems are used
     * @param directory such as {@code hdfs://namenode/tables/t}
     * @param policy such as {@code RS-6-3-1024k}
     * @throws IOException if HDFS fails
     * @throws IllegalStateException if they get another one
     */
    public static void check(SparkSession session, String directory, String policy) throws IOException {
        Optional<String> current = get(session, directory);
        if (!current.equals(Optional.of(policy))) {
            throw new IllegalStateException(directory + " must have the erasure coding policy " + policy + ", got "
                    + current.orElse(REPLICATED) + ": set it with HdfsPolicy.set");
        }
    }

    /** A file system without a path is its root. */
    private static Path path(String text) {
        Path path = new Path(text);
        return path.toUri().getPath().isEmpty() ? new Path(path, "/") : path;
    }

    private static DistributedFileSystem hdfs(SparkSession session, Path path) throws IOException {
        FileSystem files = path.getFileSystem(((org.apache.spark.sql.classic.SparkSession) session)
                .sessionState()
                .newHadoopConf());
        if (files instanceof DistributedFileSystem hdfs) {
            return hdfs;
        }
        throw new IllegalArgumentException("a directory with an erasure coding policy must be in HDFS, such as"
                + " hdfs://namenode/tables/t, got " + files.makeQualified(path)
                + ": elsewhere, use ErasureCodedCheckpoint");
    }

    /** Checks a policy against all policies of a cluster. */
    static void checkEnabled(String policy, Collection<ErasureCodingPolicyInfo> all) {
        ErasureCodingPolicyInfo found = all.stream()
                .filter(each -> each.getPolicy().getName().equals(policy))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "the erasure coding policy must be one of the cluster's, " + names(all) + ", got " + policy
                                + ": add it with hdfs ec -addPolicies -policyFile FILE"));
        if (!found.isEnabled()) {
            List<ErasureCodingPolicyInfo> enabled =
                    all.stream().filter(ErasureCodingPolicyInfo::isEnabled).toList();
            throw new IllegalStateException("the erasure coding policy must be enabled (now: "
                    + (enabled.isEmpty() ? "none" : names(enabled)) + "), got " + policy
                    + ": enable it with hdfs ec -enablePolicy -policy " + policy);
        }
    }

    private static String names(Collection<ErasureCodingPolicyInfo> policies) {
        return policies.stream()
                .map(each -> each.getPolicy().getName())
                .sorted()
                .collect(Collectors.joining(", "));
    }

    /** Refuses a directory with files of another policy: the new one would not change them. */
    static void checkFiles(DistributedFileSystem files, Path path, String policy) throws IOException {
        FileStatus status;
        try {
            status = files.getFileStatus(path);
        } catch (FileNotFoundException e) {
            return;
        }
        if (!status.isDirectory()) {
            throw new IllegalArgumentException(
                    "an erasure coding policy must be set on a directory, got the file " + path);
        }
        RemoteIterator<LocatedFileStatus> all = files.listFiles(path, true);
        while (all.hasNext()) {
            LocatedFileStatus file = all.next();
            Optional<String> current = file instanceof HdfsLocatedFileStatus known
                    ? name(known.getErasureCodingPolicy())
                    : policy(files, file.getPath());
            if (!current.equals(Optional.of(policy))) {
                throw new IllegalStateException("all files of the directory must have the policy " + policy + ", got "
                        + current.orElse(REPLICATED) + " for " + file.getPath()
                        + ": copy the files to a new directory that has the policy, with hadoop distcp");
            }
        }
    }

    private static Optional<String> policy(DistributedFileSystem files, Path path) throws IOException {
        return name(files.getErasureCodingPolicy(path));
    }

    private static Optional<String> name(ErasureCodingPolicy given) {
        return Optional.ofNullable(given)
                .filter(policy -> !policy.isReplicationPolicy())
                .map(ErasureCodingPolicy::getName);
    }
}
