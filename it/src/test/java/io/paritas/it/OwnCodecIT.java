/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.tools.ECAdmin;
import org.apache.hadoop.hdfs.util.ECPolicyLoader;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Policies of our own codec {@code paritas}, from the file that the jar brings. */
class OwnCodecIT {
    private static List<ErasureCodingPolicy> policies;

    @TempDir
    private static Path directory;

    private static Path file;

    @BeforeAll
    static void takeItOutOfTheJar() throws Exception {
        file = directory.resolve("paritas-policies.xml");
        try (InputStream in = OwnCodecIT.class.getResourceAsStream("/conf/paritas-policies.xml")) {
            Files.copy(in, file);
        }
        policies = new ECPolicyLoader().loadPolicy(file.toString());
    }

    private static ErasureCodingPolicy policy(String name) {
        return policies.stream()
                .filter(policy -> policy.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void filesOfAPolicyOfOursSurviveTheirDataNodes() throws Exception {
        try (EcCluster hdfs = EcCluster.start(policy("PARITAS-6-3-1024k"), Coder.PARITAS, 2)) {
            DistributedFileSystem client = hdfs.client(Coder.PARITAS);
            byte[] content = Seeded.bytes("content", 2 * 6 * hdfs.policy().getCellSize() + 1_234_567);
            org.apache.hadoop.fs.Path written = hdfs.write(client, "file", content);
            VerifyEc.assertOk(client.getConf(), written);

            LostUnits lost = LostUnits.byKilling(hdfs, written, 1, 7);
            Reads.all(client, written, content);

            lost.awaitRebuilt();
            lost.assertRebuilt();
            assertThat(hdfs.counter("EcFailedReconstructionTasks")).isZero();
            VerifyEc.assertOk(client.getConf(), written);

            hdfs.killHolders(written, 0, 4, 6);
            Reads.all(client, written, content);
        }
    }

    /** The command adds all of them, and a NameNode that starts again still has them, and the file. */
    @Test
    void theCommandAddsThePoliciesAndTheNameNodeKeepsThem() throws Exception {
        try (EcCluster hdfs = EcCluster.start(policy("PARITAS-3-2-1024k"), Coder.PARITAS, 0)) {
            DistributedFileSystem client = hdfs.client(Coder.PARITAS);
            assertThat(addPolicies(client.getConf()))
                    .contains("Add ErasureCodingPolicy PARITAS-3-2-1024k succeed.")
                    .contains("Add ErasureCodingPolicy PARITAS-6-3-1024k succeed.")
                    .contains("Add ErasureCodingPolicy PARITAS-10-4-1024k succeed.");
            byte[] content = Seeded.bytes("content", 3_456_789);
            org.apache.hadoop.fs.Path written = hdfs.write(client, "file", content);

            hdfs.restartNameNode();

            assertThat(client.getAllErasureCodingPolicies())
                    .filteredOn(info -> info.getPolicy().getCodecName().equals("paritas"))
                    .extracting(info -> info.getPolicy().getName() + " " + info.getState())
                    .containsExactlyInAnyOrder(
                            "PARITAS-3-2-1024k ENABLED", "PARITAS-6-3-1024k DISABLED", "PARITAS-10-4-1024k DISABLED");
            assertThat(client.getAllErasureCodingCodecs()).containsEntry("paritas", "paritas_paritas");
            hdfs.killHolders(written, 0, 2);
            Reads.whole(client, written, content);
        }
    }

    private static String addPolicies(Configuration conf) throws Exception {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        PrintStream console = System.out;
        System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
        try {
            String[] arguments = {"-addPolicies", "-policyFile", file.toString()};
            assertThat(ToolRunner.run(conf, new ECAdmin(conf), arguments)).isZero();
        } finally {
            System.setOut(console);
        }
        return said.toString(StandardCharsets.UTF_8);
    }
}
