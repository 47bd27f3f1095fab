/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec;

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
import org.apache.spark.sql.SparkSession;

/**
 * The erasure coding policy of a directory of HDFS: what is written there from then on is stored with it. Set it before a
 * DataFrame is written. Thread-safe.
 */
public final class HdfsPolicy {
    private HdfsPolicy() {}

    /**
     * Sets the policy of a directory, which is made if it does not exist.
     *
     * @param directory such as {@code hdfs://namenode/tables/t}
     * @param policy such as {@code RS-6-3-1024k}
     * @throws IllegalArgumentException if it is no directory of HDFS, or there is no such policy
     * @throws IllegalStateException if the policy is not enabled, or the directory has files that are stored otherwise
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
     * The policy of a file or directory; empty where it is replicated.
     *
     * @throws IllegalArgumentException if it is none of HDFS
     */
    public static Optional<String> get(SparkSession session, String path) throws IOException {
        Path parsed = path(path);
        return policy(hdfs(session, parsed), parsed);
    }

    /**
     * Checks that what is written to a directory from now on is stored with a policy.
     *
     * @throws IllegalStateException if it is not
     */
    public static void check(SparkSession session, String directory, String policy) throws IOException {
        Optional<String> current = get(session, directory);
        if (!current.equals(Optional.of(policy))) {
            throw new IllegalStateException(directory + " has the erasure coding policy " + policy + "; it has "
                    + current.orElse("none, and is replicated") + ". Set it with HdfsPolicy.set");
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
        throw new IllegalArgumentException("Only HDFS has erasure coding policies: a directory is named like"
                + " hdfs://namenode/tables/t; got " + files.makeQualified(path)
                + ". Elsewhere, ErasureCodedCheckpoint codes");
    }

    /** Checks a policy against all those that a cluster has. */
    static void checkEnabled(String policy, Collection<ErasureCodingPolicyInfo> all) {
        ErasureCodingPolicyInfo found = all.stream()
                .filter(each -> each.getPolicy().getName().equals(policy))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("The cluster knows the erasure coding policies "
                        + names(all) + "; got " + policy
                        + ". Add one with: hdfs ec -addPolicies -policyFile FILE"));
        if (!found.isEnabled()) {
            List<ErasureCodingPolicyInfo> enabled =
                    all.stream().filter(ErasureCodingPolicyInfo::isEnabled).toList();
            throw new IllegalStateException("An erasure coding policy is enabled before it is used; enabled are "
                    + (enabled.isEmpty() ? "none" : names(enabled)) + ", got " + policy
                    + ". Enable it with: hdfs ec -enablePolicy -policy " + policy);
        }
    }

    private static String names(Collection<ErasureCodingPolicyInfo> policies) {
        return policies.stream()
                .map(each -> each.getPolicy().getName())
                .sorted()
                .collect(Collectors.joining(", "));
    }

    /** A policy changes no file that is there already, so a directory would end up with some of each. */
    private static void checkFiles(DistributedFileSystem files, Path path, String policy) throws IOException {
        FileStatus status;
        try {
            status = files.getFileStatus(path);
        } catch (FileNotFoundException e) {
            return;
        }
        if (!status.isDirectory()) {
            throw new IllegalArgumentException("An erasure coding policy is set on a directory; got the file " + path);
        }
        RemoteIterator<LocatedFileStatus> all = files.listFiles(path, true);
        while (all.hasNext()) {
            Path file = all.next().getPath();
            Optional<String> current = policy(files, file);
            if (!current.equals(Optional.of(policy))) {
                throw new IllegalStateException("The files of a directory are stored with its policy, " + policy + "; "
                        + file + " has " + current.orElse("none, and is replicated")
                        + ". Copy the files to a new directory that has the policy, with hadoop distcp");
            }
        }
    }

    private static Optional<String> policy(DistributedFileSystem files, Path path) throws IOException {
        return Optional.ofNullable(files.getErasureCodingPolicy(path))
                .filter(policy -> !policy.isReplicationPolicy())
                .map(ErasureCodingPolicy::getName);
    }
}
