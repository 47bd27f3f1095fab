/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.result;

import io.paritas.inference.CompleteFile;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** A folder for what a command finds out. */
public final class ResultFolder {
    private ResultFolder() {}

    /**
     * Makes a folder before anything is computed in vain.
     *
     * @param command whose option names it as DIR
     * @throws ParameterException if a file is in its place
     * @throws AccessDeniedException if it cannot be written to
     */
    public static void create(Path folder, CommandLine command) throws IOException {
        if (Files.exists(folder) && !Files.isDirectory(folder)) {
            throw new ParameterException(command, "DIR must be a directory or not exist, got " + folder);
        }
        CompleteFile.createFolder(folder);
        if (!Files.isWritable(folder)) {
            throw new AccessDeniedException(folder.toString());
        }
    }
}
