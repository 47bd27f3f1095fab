/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.it.spark.PolicyProgram;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.Test;

/** A driver of Spark sets the policy of a directory of HDFS: a process of its own, for the libraries of the two do not mix. */
class HdfsPolicyIT {
    private static final String POLICY = "XOR-2-1-1024k";

    @Test
    void whatSparkWritesIsStoredWithThePolicyOfItsDirectory() throws Exception {
        try (EcCluster hdfs = EcCluster.start(EcCluster.rs(3, 2), Coder.PARITAS, 0)) {
            DistributedFileSystem client = hdfs.client(Coder.PARITAS);
            client.enableErasureCodingPolicy(POLICY);
            String root = client.getUri().toString();

            assertThat(SparkProgram.output(PolicyProgram.class, root, POLICY, "RS-3-2-64k", "RS-10-4-1024k"))
                    .hasSize(6)
                    .satisfiesExactly(
                            line -> assertThat(line)
                                    .startsWith("the erasure coding policy must be enabled (now: ")
                                    .contains("got RS-10-4-1024k"),
                            line -> assertThat(line).isEqualTo("Optional[RS-3-2-64k] Optional[" + POLICY + "]"),
                            line -> assertThat(line).isEqualTo("1000"),
                            line -> assertThat(line)
                                    .startsWith("all files of the directory must have the policy RS-3-2-64k, got "
                                            + POLICY + " for "),
                            line -> assertThat(line)
                                    .isEqualTo(root + "/tables/t must have the erasure coding policy RS-3-2-64k, got "
                                            + POLICY + ": set it with HdfsPolicy.set"),
                            line -> assertThat(line)
                                    .as("what overwrite deletes has its parent's policy then")
                                    .isEqualTo(root + "/tables/deleted must have the erasure coding policy " + POLICY
                                            + ", got RS-3-2-64k: set it with HdfsPolicy.set"));
            RemoteIterator<LocatedFileStatus> files =
                    client.listFiles(new org.apache.hadoop.fs.Path("/tables/t/rows"), true);
            assertThat(files.hasNext()).isTrue();
            while (files.hasNext()) {
                assertThat(client.getErasureCodingPolicy(files.next().getPath()).getName())
                        .isEqualTo(POLICY);
            }
        }
    }
}
