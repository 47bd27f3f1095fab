/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Real data sets, where they are: in the folder of the system property {@code paritas.data}, or in {@code ../shared/data}
 * beside the repository. Tests that want one are skipped elsewhere, and say so.
 */
public final class RealData {
    private RealData() {}

    /** The folder that has a file. */
    public static Path folderWith(String file) {
        String named = System.getProperty("paritas.data");
        List<String> places = named == null ? List.of("../../shared/data", "../shared/data") : List.of(named);
        Optional<Path> found = places.stream()
                .map(Path::of)
                .filter(place -> Files.exists(place.resolve(file)))
                .findFirst();
        String reason = "skipped: no " + file + " in " + places + "; -Dparitas.data=DIR names another folder";
        if (found.isEmpty()) {
            System.out.println(reason);
        }
        assumeTrue(found.isPresent(), reason);
        return found.orElseThrow();
    }
}
