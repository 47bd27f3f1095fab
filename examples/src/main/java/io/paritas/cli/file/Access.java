/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

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
 * The permissions of a file. Results get the permissions of the files that they are made from, so that coding discloses nothing.
 * On file systems other than POSIX the defaults stay.
 *
 * @param permissions as of POSIX
 */
record Access(Set<PosixFilePermission> permissions) {
    private static final boolean POSIX =
            FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

    /** Returns the permissions that all of these files have in common. */
    static Access commonTo(List<Path> files) throws IOException {
        Set<PosixFilePermission> common = EnumSet.allOf(PosixFilePermission.class);
        if (POSIX) {
            for (Path file : files) {
                common.retainAll(Files.getPosixFilePermissions(file));
            }
        }
        return new Access(common);
    }

    /** Gives a file these permissions. */
    void grant(Path file) throws IOException {
        if (POSIX) {
            Files.setPosixFilePermissions(file, permissions);
        }
    }

    /** Forces the names in a directory to disk. Only POSIX systems can open a directory for that. */
    static void syncDirectory(Path directory) throws IOException {
        if (POSIX) {
            try (FileChannel channel = FileChannel.open(directory)) {
                channel.force(true);
            }
        }
    }
}
