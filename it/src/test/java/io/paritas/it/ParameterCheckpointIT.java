/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.it.spark.CheckpointProgram;
import io.paritas.spark.ecrm.checkpoint.CheckpointFolder;
import io.paritas.spark.job.DurableFiles;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.permission.FsPermission;
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
            assertThat(names)
                    .filteredOn(name -> !name.startsWith("_writer-"))
                    .containsExactlyInAnyOrder("manifest", "server-00000", "server-00001", "server-00002");
            assertThat(names).as("one writer").hasSize(5);
        }
    }

    /** HDFS gives a folder that it creates along with a file the rights of the folder above. */
    @Test
    void nobodyElseMayWriteToFoldersBelowOneForAll() throws Exception {
        try (EcCluster hdfs = EcCluster.start(EcCluster.rs(3, 2), Coder.PARITAS, 0)) {
            DistributedFileSystem client = hdfs.client(Coder.PARITAS);
            Path all = new Path(client.getUri() + "/all");
            client.mkdirs(all);
            client.setPermission(all, new FsPermission("1777"));

            DurableFiles.write(client, new Path(all, "training/note"), new byte[1]);
            new CheckpointFolder(all + "/clicks", client.getConf()).begin(0);

            for (String folder : List.of("training", "clicks", "clicks/checkpoint-00000001")) {
                assertThat(client.getFileStatus(new Path(all, folder)).getPermission())
                        .as(folder)
                        .hasToString("rwxr-xr-x");
            }
        }
    }
}
