/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.bench;

import io.paritas.cli.machine.Machine;
import io.paritas.erasure.kernel.KernelChoice;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.LocalDate;
import java.util.List;

/**
 * The conditions of a measurement, to be printed with its figures.
 *
 * @param flags of this JVM
 * @param command the arguments of the program
 * @param kernel that {@code auto} chooses here
 * @param isal its version, or why it is missing
 */
record Conditions(String machine, String flags, String command, String kernel, String isal, LocalDate day) {
    static Conditions of(List<String> arguments) throws IOException {
        return new Conditions(
                Machine.description(),
                String.join(" ", ManagementFactory.getRuntimeMXBean().getInputArguments()),
                "paritas " + String.join(" ", arguments),
                KernelChoice.named("auto").sentence(),
                Isal.description(),
                LocalDate.now());
    }
}
