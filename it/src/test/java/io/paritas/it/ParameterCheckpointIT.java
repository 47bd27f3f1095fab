/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.it.spark.CheckpointProgram;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.Test;

/** Checkpoints of parameter servers in a directory of HDFS that is erasure-coded itself. */
class ParameterCheckpointIT {
    @Test
    void aModelIsRestoredFromAnErasureCodedDirectory() throws Exception {
        try (EcCluster hdfs = EcCluster.start(EcCluster.rs(3, 2), Coder.PARITAS, 0)) {
            DistributedFileSystem client = hdfs.client(Coder.PARITAS);

            List<String> printed =
                    SparkProgram.output(CheckpointProgram.class, client.getUri() + "/checkpoints/clicks");

            assertThat(printed).hasSize(5).startsWith("2");
            assertThat(printed.get(3)).as("restored").isEqualTo(printed.get(1));
            assertThat(printed.get(4))
                    .as("trained on")
                    .isEqualTo(printed.get(2))
                    .isNotEqualTo(printed.get(1));
            RemoteIterator<LocatedFileStatus> files = client.listFiles(new Path("/checkpoints/clicks"), true);
            List<String> names = new ArrayList<>();
            while (files.hasNext()) {
                LocatedFileStatus file = files.next();
                names.add(file.getPath().getName());
                assertThat(file.isErasureCoded()).as(names::toString).isTrue();
            }
            assertThat(names).containsExactlyInAnyOrder("manifest", "server-00000", "server-00001", "server-00002");
        }
    }
}
