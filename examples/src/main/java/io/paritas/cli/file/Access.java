/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import io.paritas.inference.CompleteFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Who may do what with a file. Results get the permissions, the owner and the group of the files that they are made from, so that coding
 * discloses nothing, and takes nothing away. On file systems other than POSIX the defaults stay.
 *
 * @param permissions that all of the files have
 * @param owner of all of them; empty if they have several
 * @param group of all of them; empty if they have several
 */
record Access(Set<PosixFilePermission> permissions, Optional<UserPrincipal> owner, Optional<GroupPrincipal> group) {
    private static final Map<PosixFilePermission, PosixFilePermission> OF_OTHERS = Map.of(
            PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_READ,
            PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE,
            PosixFilePermission.GROUP_EXECUTE, PosixFilePermission.OTHERS_EXECUTE);
    private static final boolean POSIX =
            FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

    /** Returns what all of these files have in common. */
    static Access commonTo(List<Path> files) throws IOException {
        Set<PosixFilePermission> common = EnumSet.allOf(PosixFilePermission.class);
        Set<UserPrincipal> owners = new HashSet<>();
        Set<GroupPrincipal> groups = new HashSet<>();
        if (POSIX) {
            for (Path file : files) {
                PosixFileAttributes attributes = Files.readAttributes(file, PosixFileAttributes.class);
                common.retainAll(attributes.permissions());
                owners.add(attributes.owner());
                groups.add(attributes.group());
            }
        }
        return new Access(common, only(owners), only(groups));
    }

    private static <T> Optional<T> only(Set<T> all) {
        return all.size() == 1 ? all.stream().findAny() : Optional.empty();
    }

    /** Gives them to a file of this user, as far as the system allows it: most users cannot give files away, nor to a group of others. */
    void grant(Path file) throws IOException {
        if (!POSIX) {
            return;
        }
        PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        Set<PosixFilePermission> granted = new HashSet<>(permissions);
        if (!giveTo(group, view.readAttributes().group(), view::setGroup)) {
            granted.removeIf(one -> OF_OTHERS.containsKey(one) && !permissions.contains(OF_OTHERS.get(one)));
        }
        giveTo(owner, view.readAttributes().owner(), view::setOwner);
        view.setPermissions(granted);
    }

    private interface Setter<T> {
        void set(T value) throws IOException;
    }

    private static <T> boolean giveTo(Optional<T> wanted, T now, Setter<T> setter) {
        if (wanted.isEmpty() || wanted.get().equals(now)) {
            return wanted.isPresent();
        }
        try {
            setter.set(wanted.get());
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Forces the names in a directory to disk. Only POSIX systems can open a directory for that, and only for those who may list
     * it, which writing to it does not take.
     */
    static void syncDirectory(Path directory) throws IOException {
        if (POSIX && Files.isReadable(directory)) {
            try (FileChannel channel = FileChannel.open(directory)) {
                channel.force(true);
            } catch (IOException e) {
                throw CompleteFile.named(directory, e);
            }
        }
    }
}
