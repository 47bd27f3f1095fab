/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.doctor;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicyInfo;
import org.apache.hadoop.io.erasurecode.CodecRegistry;
import org.apache.hadoop.io.erasurecode.CodecUtil;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.ParitasRawErasureCoderFactory;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Checks our own codec {@code paritas}: whether Hadoop knows it here, and whether the cluster has policies of it. With such a
 * policy, every NameNode, DataNode and client needs the jar; codec {@code rs} works without it.
 */
final class PolicyCheck {
    private static final String CODEC = ParitasRawErasureCoderFactory.CODEC_NAME;
    private static final String EVERYWHERE =
            "keep the jar on every NameNode (active, standby, observer), DataNode and client, and run the doctor on each: a"
                    + " NameNode without it does not start, or starts and disables the policy; a client without it fails to"
                    + " open the files, with a NullPointerException";
    private static final String UNTIL_UNUSED =
            "files and folders of a removed policy keep it, and new files in such folders get it: keep the jar everywhere"
                    + " until no file has it (hdfs fsck / -files | grep " + CODEC.toUpperCase(Locale.ROOT)
                    + "), no folder has it (hdfs ec -unsetPolicy -path DIR), and every NameNode has made a checkpoint";

    private final Configuration configuration;

    PolicyCheck(Configuration configuration) {
        this.configuration = configuration;
    }

    List<Finding> check() {
        List<Finding> findings = new ArrayList<>();
        findings.add(known());
        try {
            URI address = FileSystem.getDefaultUri(configuration);
            if ("hdfs".equals(address.getScheme())) {
                findings.addAll(ask(address));
            } else if (!"file".equals(address.getScheme())) {
                findings.add(Finding.warning(
                        "no NameNode was asked for its policies: " + FileSystem.FS_DEFAULT_NAME_KEY + " is " + address,
                        "run the doctor with a --conf that names each NameNode, if it has policies of codec " + CODEC));
            }
        } catch (IllegalArgumentException e) {
            findings.add(Finding.failure(
                    FileSystem.FS_DEFAULT_NAME_KEY + " must be an address, such as hdfs://namenode:8020, got '"
                            + configuration.get(FileSystem.FS_DEFAULT_NAME_KEY) + "': " + e.getMessage(),
                    "mend it in core-site.xml"));
        }
        return findings;
    }

    private Finding known() {
        List<String> here = Arrays.asList(CodecRegistry.getInstance().getCoderNames(CODEC));
        List<String> wanted = HadoopConfiguration.coders(configuration, CODEC);
        return wanted.isEmpty() || here.contains(wanted.get(0))
                ? Finding.ok("codec " + CODEC + ", for policies of your own, is known here")
                : Finding.failure(
                        HadoopConfiguration.key(CODEC) + " names '" + wanted.get(0)
                                + "', which no jar on this class path has",
                        "take the property out; the codec needs none");
    }

    /** Asks the cluster with a short timeout: the doctor also examines machines without one. */
    private List<Finding> ask(URI address) {
        Configuration impatient = new Configuration(configuration);
        impatient.setInt("ipc.client.connect.timeout", 3000);
        impatient.setInt("ipc.client.connect.max.retries", 0);
        impatient.setInt("ipc.client.connect.max.retries.on.timeouts", 0);
        impatient.setInt("ipc.client.rpc-timeout.ms", 5000);
        impatient.setInt("dfs.client.failover.max.attempts", 2);
        UserGroupInformation.setConfiguration(configuration); // it would read the files of the class path
        try (FileSystem fileSystem = FileSystem.newInstance(address, impatient)) {
            DistributedFileSystem hdfs = (DistributedFileSystem) fileSystem;
            return policies(hdfs.getAllErasureCodingPolicies(), hdfs.getAllErasureCodingCodecs());
        } catch (IOException | RuntimeException e) {
            return List.of(Finding.warning(
                    "cannot ask " + address + " for its policies: " + e.getMessage(),
                    "run the doctor where HDFS can be reached, if it has policies of codec " + CODEC));
        }
    }

    /**
     * Returns findings about the policies of a cluster for this machine.
     *
     * @param codecs of the active NameNode, each with its coders
     */
    List<Finding> policies(Collection<ErasureCodingPolicyInfo> policies, Map<String, String> codecs) {
        List<ErasureCodingPolicyInfo> ours = policies.stream()
                .filter(policy -> policy.getPolicy().getCodecName().equals(CODEC))
                .toList();
        if (ours.isEmpty()) {
            return List.of(Finding.ok("no policy of the cluster has codec " + CODEC));
        }
        Map<Boolean, List<ErasureCodingPolicyInfo>> byRemoval =
                ours.stream().collect(Collectors.partitioningBy(ErasureCodingPolicyInfo::isRemoved));
        List<Finding> findings = new ArrayList<>();
        if (!byRemoval.get(false).isEmpty()) {
            findings.addAll(present(byRemoval.get(false), codecs));
        }
        if (!byRemoval.get(true).isEmpty()) {
            String names = byRemoval.get(true).stream()
                    .map(policy -> policy.getPolicy().getName())
                    .collect(Collectors.joining(", "));
            findings.add(Finding.warning(
                    "policies of codec " + CODEC + " were removed, but may be in use: " + names, UNTIL_UNUSED));
        }
        return findings;
    }

    private List<Finding> present(List<ErasureCodingPolicyInfo> ours, Map<String, String> codecs) {
        List<Finding> findings = new ArrayList<>();
        if (!codecs.containsKey(CODEC)) {
            findings.add(
                    Finding.failure(
                            "the active NameNode does not know codec " + CODEC
                                    + ": it disables the policies, or does not start again",
                            "copy the jar to share/hadoop/common/lib of every NameNode, restart them, and enable the policies again"));
        }
        List<String> names = new ArrayList<>();
        for (ErasureCodingPolicyInfo policy : ours) {
            names.add(policy.getPolicy().getName() + " (" + policy.getState() + ")");
            findings.addAll(coder(policy.getPolicy()));
        }
        findings.add(Finding.warning(
                "the cluster has policies of codec " + CODEC + ": " + String.join(", ", names), EVERYWHERE));
        return findings;
    }

    /** Returns why this machine cannot code files of that policy; empty if it can. */
    private List<Finding> coder(ErasureCodingPolicy policy) {
        try {
            CodecUtil.createRawEncoder(
                    configuration,
                    CODEC,
                    new ErasureCoderOptions(policy.getNumDataUnits(), policy.getNumParityUnits()));
            return List.of();
        } catch (RuntimeException e) {
            return List.of(Finding.failure(
                    "this machine cannot make the coder of policy " + policy.getName() + ": " + e.getMessage(),
                    "the warning that it logged says why"));
        }
    }
}
