/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Who may do what with a file. What is made of files is as accessible as they are, so that coding gives nothing away; on
 * file systems that are not POSIX's the defaults stay.
 *
 * @param permissions what is allowed
 */
record Access(Set<PosixFilePermission> permissions) {
    private static final boolean POSIX =
            FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

    /** What all of these files allow. */
    static Access commonTo(List<Path> files) throws IOException {
        Set<PosixFilePermission> common = EnumSet.allOf(PosixFilePermission.class);
        if (POSIX) {
            for (Path file : files) {
                common.retainAll(Files.getPosixFilePermissions(file));
            }
        }
        return new Access(common);
    }

    /** Makes a file as accessible. */
    void grant(Path file) throws IOException {
        if (POSIX) {
            Files.setPosixFilePermissions(file, permissions);
        }
    }

    /** Forces the names in a directory to disk. Elsewhere than on POSIX systems a directory cannot be opened for that. */
    static void syncDirectory(Path directory) throws IOException {
        if (POSIX) {
            try (FileChannel channel = FileChannel.open(directory)) {
                channel.force(true);
            }
        }
    }
}
