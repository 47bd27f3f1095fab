/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.bytedeco.javacpp.Loader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where JavaCPP keeps the libraries that it unpacks, 450 MB: in the user's home, once for all programs. Where there is no home to write
 * to, JavaCPP would take a folder in the shared temporary one, whoever made it; they are in a private one instead, and deleted when
 * this JVM ends.
 */
final class LibraryFolder {
    private static final Logger LOG = LoggerFactory.getLogger(LibraryFolder.class);
    private static final String CACHE = "org.bytedeco.javacpp.cachedir";
    /* Another spelling that JavaCPP knows. */
    private static final String CACHE_TOO = "org.bytedeco.javacpp.cacheDir";

    private LibraryFolder() {}

    /** Names the folder to JavaCPP: the one that the user has named, or that of the home, or a private one. Before JavaCPP is used. */
    static void choose() {
        String named = System.getProperty(CACHE, System.getProperty(CACHE_TOO, ""));
        File folder =
                named.isEmpty() ? ofHome(new File(System.getProperty("user.home"))) : new File(named).getAbsoluteFile();
        if (!isUsable(folder)) {
            File instead = makePrivate().toFile();
            LOG.warn(
                    "Paritas: LibTorch's libraries, 450 MB, are unpacked into {}, for this process only: {} is no folder of"
                            + " this user or root that this process can read, write and enter, and that not all users may"
                            + " write to; name one by -D{}=DIR",
                    instead,
                    folder,
                    CACHE);
            folder = instead;
        }
        System.setProperty(CACHE, folder.toString());
    }

    static File ofHome(File home) {
        return new File(home.getPath().isEmpty() ? new File(".") : home, ".javacpp/cache");
    }

    /* The locale C has no letters outside of ASCII: no path has a name with such. */
    static boolean isUsable(File folder) {
        try {
            return isUsable(folder.toPath());
        } catch (InvalidPathException e) {
            return false;
        }
    }

    /**
     * Whether it is such a folder, of this user or of root, or can be made. Java says that a user without a home has one of the relative
     * path "?".
     */
    static boolean isUsable(Path folder) {
        try {
            return folder.isAbsolute()
                    && Files.isExecutable(make(folder))
                    && Files.isReadable(folder)
                    && Files.isWritable(folder)
                    && !isOfOthers(folder);
        } catch (IOException e) {
            return false;
        }
    }

    /* Where all users may write to what a process makes, it could not be used. */
    private static Path make(Path folder) throws IOException {
        return folder.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? Files.createDirectories(
                        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")))
                : Files.createDirectories(folder);
    }

    /*
     * Whoever may write to it may put a library there that is run here. A group may: on many systems a user's group has nobody else. Who
     * this user is a new file tells, also where the user has no name, or is another one on a server.
     */
    private static boolean isOfOthers(Path folder) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(folder, PosixFileAttributeView.class);
        if (view == null) {
            return false;
        }
        PosixFileAttributes found = view.readAttributes();
        Path file = Files.createTempFile(folder, ".paritas", "");
        try {
            return found.permissions().contains(PosixFilePermission.OTHERS_WRITE)
                    || !(found.owner().equals(Files.getOwner(file)) || isOfRoot(folder));
        } finally {
            Files.delete(file);
        }
    }

    /* By the number: an image may have no names of users. */
    private static boolean isOfRoot(Path folder) throws IOException {
        return folder.getFileSystem().supportedFileAttributeViews().contains("unix")
                && Files.getAttribute(folder, "unix:uid").equals(0);
    }

    /**
     * Unpacks all libraries that are not there whole, so that the first one that is loaded finds the others so: a library that another
     * process is still writing, or that one has left half-written, ends this one (SIGBUS). JavaCPP by itself unpacks each before it
     * loads it, but libtorch.so finds libtorch_cpu.so in the folder. Each file is unpacked under JavaCPP's lock, by one process.
     *
     * @throws UncheckedIOException if they cannot be, as on a full disk
     */
    static void unpack() {
        for (String extension : List.of("", "-gpu")) {
            String system = Loader.getPlatform() + extension + "/";
            unpack("org/bytedeco/openblas/" + system, System.mapLibraryName("jniopenblas"));
            unpack("org/bytedeco/pytorch/" + system, System.mapLibraryName("jnitorch"));
        }
    }

    /** @param one a library of the folder, by which its jar is found */
    private static void unpack(String folder, String one) {
        URL found = LibraryFolder.class.getClassLoader().getResource(folder + one);
        try {
            if (found != null && found.openConnection() instanceof JarURLConnection jar) {
                for (String name : jar.getJarFile().stream()
                        .map(ZipEntry::getName)
                        .filter(name -> isLibrary(name, folder))
                        .toList()) {
                    Loader.cacheResource(new URL(found, name.substring(folder.length())));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "its libraries cannot be unpacked into " + System.getProperty(CACHE) + ": " + e.getMessage(), e);
        }
    }

    private static boolean isLibrary(String name, String folder) {
        return name.startsWith(folder) && name.substring(folder.length()).matches("[^/]+\\.(so|dylib|dll)[.\\d]*");
    }

    private static Path makePrivate() {
        try {
            Path folder = Files.createTempDirectory("paritas-libtorch");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder), "delete LibTorch's libraries"));
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "LibTorch needs a folder for its libraries in that of java.io.tmpdir: " + e.getMessage(), e);
        }
    }

    static void delete(Path folder) {
        try (Stream<Path> found = Files.walk(folder)) {
            for (Path path : found.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            LOG.warn("Paritas: cannot delete {}", folder, e);
        }
    }
}
