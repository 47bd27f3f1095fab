/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicyInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicyState;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;

class HdfsPolicyTest {

    @Test
    void onlyHdfsHasPolicies() {
        SparkSession spark = LocalSpark.session();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HdfsPolicy.set(spark, "file:/tmp/t", "RS-6-3-1024k"))
                .withMessage(
                        "a directory with an erasure coding policy must be in HDFS, such as hdfs://namenode/tables/t,"
                                + " got file:/tmp/t: elsewhere, use ErasureCodedCheckpoint");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HdfsPolicy.check(spark, "/tmp/t", "RS-6-3-1024k"))
                .withMessageContaining(", got file:/tmp/t:");
    }

    @Test
    void anUnknownPolicyIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HdfsPolicy.checkEnabled("RS-7-3-1024k", policies(Set.of())))
                .withMessage("the erasure coding policy must be one of the cluster's, RS-10-4-1024k, RS-3-2-1024k,"
                        + " RS-6-3-1024k, RS-LEGACY-6-3-1024k, XOR-2-1-1024k, got RS-7-3-1024k: add it with hdfs ec"
                        + " -addPolicies -policyFile FILE");
    }

    @Test
    void aDisabledPolicyIsRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() ->
                        HdfsPolicy.checkEnabled("RS-3-2-1024k", policies(Set.of("XOR-2-1-1024k", "RS-6-3-1024k"))))
                .withMessage("the erasure coding policy must be enabled (now: RS-6-3-1024k, XOR-2-1-1024k), got"
                        + " RS-3-2-1024k: enable it with hdfs ec -enablePolicy -policy RS-3-2-1024k");
        assertThatIllegalStateException()
                .isThrownBy(() -> HdfsPolicy.checkEnabled("RS-3-2-1024k", policies(Set.of())))
                .withMessageContaining("must be enabled (now: none), got RS-3-2-1024k");
    }

    @Test
    void anEnabledPolicyIsNot() {
        assertThatCode(() -> HdfsPolicy.checkEnabled("RS-3-2-1024k", policies(Set.of("RS-3-2-1024k"))))
                .doesNotThrowAnyException();
    }

    @Test
    void filesSayTheirPolicyWhenTheyAreListed() throws IOException {
        String name = "RS-6-3-1024k";
        ErasureCodingPolicy policy = SystemErasureCodingPolicies.getByName(name);
        Path table = new Path("hdfs://namenode/t");
        HdfsPolicy.checkFiles(new Listed(file(policy), file(policy)), table, name);
        assertThatIllegalStateException()
                .isThrownBy(() -> HdfsPolicy.checkFiles(new Listed(file(policy), file(null)), table, name))
                .withMessage(
                        "all files of the directory must have the policy RS-6-3-1024k, got none, it is replicated for"
                                + " hdfs://namenode/t/file: copy the files to a new directory that has the policy, with hadoop"
                                + " distcp");
        assertThatIllegalStateException()
                .isThrownBy(() -> HdfsPolicy.checkFiles(new Listed(file(policy)), table, "XOR-2-1-1024k"))
                .withMessageContaining("must have the policy XOR-2-1-1024k, got RS-6-3-1024k for");
    }

    private static LocatedFileStatus file(ErasureCodingPolicy policy) {
        return (LocatedFileStatus) new HdfsFileStatus.Builder()
                .path("file".getBytes(StandardCharsets.UTF_8))
                .locations(new LocatedBlocks())
                .ecPolicy(policy)
                .build();
    }

    /** A directory with these files, on a name node that is asked for nothing else. */
    private static final class Listed extends DistributedFileSystem {
        private final Iterator<LocatedFileStatus> files;

        Listed(LocatedFileStatus... files) {
            this.files = List.of(files).iterator();
        }

        @Override
        public FileStatus getFileStatus(Path path) {
            return new FileStatus(0, true, 0, 0, 0, path);
        }

        @Override
        public RemoteIterator<LocatedFileStatus> listFiles(Path directory, boolean recursive) {
            return RemoteIterators.mappingRemoteIterator(RemoteIterators.remoteIteratorFromIterator(files), file -> {
                file.setPath(new Path(directory, "file"));
                return file;
            });
        }
    }

    private static List<ErasureCodingPolicyInfo> policies(Set<String> enabled) {
        return SystemErasureCodingPolicies.getPolicies().stream()
                .map(policy -> new ErasureCodingPolicyInfo(
                        policy,
                        enabled.contains(policy.getName())
                                ? ErasureCodingPolicyState.ENABLED
                                : ErasureCodingPolicyState.DISABLED))
                .toList();
    }
}
