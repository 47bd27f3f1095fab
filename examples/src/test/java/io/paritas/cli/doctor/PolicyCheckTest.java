/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicyInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicyState;
import org.apache.hadoop.io.erasurecode.ECSchema;
import org.junit.jupiter.api.Test;

class PolicyCheckTest {
    private static final Map<String, String> CODECS = Map.of("rs", "rs_paritas, rs_java", "paritas", "paritas_paritas");

    private final Configuration configuration = new Configuration();
    private final PolicyCheck check = new PolicyCheck(configuration);

    private static ErasureCodingPolicyInfo policy(String codec, int k, int r, ErasureCodingPolicyState state) {
        return new ErasureCodingPolicyInfo(
                new ErasureCodingPolicy(new ECSchema(codec, k, r), 1 << 20, (byte) 70), state);
    }

    @Test
    void theCodecIsKnown() {
        assertThat(check.check()).containsExactly(Finding.ok("codec paritas, for policies of your own, is known here"));
    }

    @Test
    void aWrongNameOfTheCoderIsFound() {
        configuration.set("io.erasurecode.codec.paritas.rawcoders", "paritas_java");
        assertThat(check.check())
                .containsExactly(Finding.failure(
                        "io.erasurecode.codec.paritas.rawcoders names 'paritas_java', which no jar on this class path has",
                        "take the property out; the codec needs none"));
    }

    @Test
    void aClusterWithoutSuchPoliciesNeedsNothing() {
        assertThat(check.policies(List.of(policy("rs", 6, 3, ErasureCodingPolicyState.ENABLED)), Map.of()))
                .containsExactly(Finding.ok("no policy of the cluster has codec paritas"));
    }

    @Test
    void aRemovedPolicyWarnsThatFilesAndFoldersKeepIt() {
        Finding removed = Finding.warning(
                "policies of codec paritas were removed, but may be in use: PARITAS-6-3-1024k",
                "files and folders of a removed policy keep it, and new files in such folders get it: keep the jar"
                        + " everywhere until no file has it (hdfs fsck / -files | grep PARITAS), no folder has it"
                        + " (hdfs ec -unsetPolicy -path DIR), and every NameNode has made a checkpoint");
        ErasureCodingPolicyInfo policy = policy("paritas", 6, 3, ErasureCodingPolicyState.REMOVED);

        assertThat(check.policies(List.of(policy), Map.of())).containsExactly(removed);
        assertThat(check.policies(List.of(policy, policy("paritas", 3, 2, ErasureCodingPolicyState.ENABLED)), CODECS))
                .hasSize(2)
                .contains(removed)
                .first()
                .extracting(Finding::text)
                .isEqualTo("the cluster has policies of codec paritas: PARITAS-3-2-1024k (ENABLED)");
    }

    @Test
    void aPolicyWarnsThatEverybodyNeedsTheJar() {
        assertThat(check.policies(
                        List.of(
                                policy("paritas", 6, 3, ErasureCodingPolicyState.ENABLED),
                                policy("paritas", 3, 2, ErasureCodingPolicyState.DISABLED)),
                        CODECS))
                .singleElement()
                .hasToString(
                        ("warn  the cluster has policies of codec paritas: PARITAS-6-3-1024k (ENABLED), PARITAS-3-2-1024k (DISABLED)%n"
                                        + "      -> keep the jar on every NameNode (active, standby, observer), DataNode and client,"
                                        + " and run the doctor on each: a NameNode without it does not start, or starts and disables"
                                        + " the policy; a client without it fails to open the files, with a NullPointerException")
                                .formatted());
    }

    @Test
    void aNameNodeWithoutTheJarIsFound() {
        assertThat(check.policies(
                        List.of(policy("paritas", 6, 3, ErasureCodingPolicyState.DISABLED)), Map.of("rs", "rs_java")))
                .extracting(Finding::level)
                .containsExactly(Finding.Level.FAILURE, Finding.Level.WARNING);
    }

    @Test
    void aShapeThatTheCodecLacksIsFound() {
        assertThat(check.policies(List.of(policy("paritas", 5, 3, ErasureCodingPolicyState.ENABLED)), CODECS)
                        .get(0))
                .isEqualTo(Finding.failure(
                        "this machine cannot make the coder of policy PARITAS-5-3-1024k:"
                                + " Fail to create raw erasure encoder with given codec: paritas",
                        "the warning that it logged says why"));
    }

    @Test
    void aClusterThatDoesNotAnswerIsNoFailure() {
        configuration.set("fs.defaultFS", "hdfs://127.0.0.1:1");
        assertThat(check.check().get(1).toString())
                .startsWith("warn  cannot ask hdfs://127.0.0.1:1 for its policies: ")
                .contains("-> run the doctor where HDFS can be reached, if it has policies of codec paritas");
    }

    /** Which character is named depends on the JDK. */
    @Test
    void anAddressThatIsNoneIsFound() {
        configuration.set("fs.defaultFS", "hdfs://my cluster");
        assertThat(check.check().get(1).toString())
                .matches("FAIL  fs.defaultFS must be an address, such as hdfs://namenode:8020, got 'hdfs://my cluster':"
                        + " Illegal character in authority at index \\d: hdfs://my cluster\\R"
                        + "      -> mend it in core-site.xml");
    }
}
