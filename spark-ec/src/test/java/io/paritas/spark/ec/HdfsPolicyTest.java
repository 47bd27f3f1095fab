/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.List;
import java.util.Set;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicyInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicyState;
import org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies;
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
