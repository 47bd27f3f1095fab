/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the executors of one machine have in common, and those of others have not. */
final class MachineName {
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    private MachineName() {}

    static String of(String master, String address) {
        return of(master, address, BOOT_ID);
    }

    /**
     * The address; on Kubernetes, where each executor has one of its own, the ID of the node's boot, which {@code nodeInfo.bootID} of
     * the node says, too.
     *
     * @param master Spark's master
     * @param address the executor's host as Spark knows it
     * @param bootId a file of Linux; without it the address is the name
     */
    static String of(String master, String address, Path bootId) {
        if (!master.startsWith("k8s:")) {
            return address;
        }
        try {
            return Files.readString(bootId).trim();
        } catch (IOException e) {
            return address;
        }
    }
}
