/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import io.paritas.erasure.CodeName;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/** The directories of a checkpoint, as the user names them. */
final class Directories {
    private Directories() {}

    /**
     * Returns the directories with their schemes.
     *
     * @throws IllegalArgumentException if there are none, or one is named twice
     */
    static List<String> qualified(Storage storage, List<String> directories) throws IOException {
        List<String> qualified = new ArrayList<>();
        for (String directory : directories) {
            qualified.add(storage.qualified(directory));
        }
        if (qualified.isEmpty() || new HashSet<>(qualified).size() != qualified.size()) {
            throw new IllegalArgumentException(
                    "a checkpoint must have one or more directories, each named once, got " + directories);
        }
        return qualified;
    }

    /** How many directories may be lost at once. Does not count the local parity units of a local reconstruction code. */
    static int survives(CodeName code, int directories) {
        return code.tolerated() / unitsOfOne(code, directories);
    }

    private static int unitsOfOne(CodeName code, int directories) {
        return (code.n() + directories - 1) / directories;
    }

    /** Says what fewer directories than units mean. */
    static String survival(CodeName code, int directories) {
        int losses = survives(code, directories);
        return "a checkpoint with " + code + " has " + code.n() + " unit files of each partition, of which up to "
                + unitsOfOne(code, directories) + " are in one of the " + directories
                + " directories: it survives the loss of "
                + (losses == 0 ? "none" : "any " + losses) + " of them; with " + code.n()
                + " directories, each would have one";
    }
}
