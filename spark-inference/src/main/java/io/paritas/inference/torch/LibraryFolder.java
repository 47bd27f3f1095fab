/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.bytedeco.javacpp.Loader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where JavaCPP keeps the libraries that it unpacks, 450 MB: in the user's home, once for all programs. Where there is no home to write
 * to, JavaCPP would leave them in the shared temporary folder; they are in a private one instead, and deleted when this JVM ends.
 *
 * <p>JVMs that start together, as executors of one host do, take turns until the libraries are there. JavaCPP locks each file while it
 * unpacks it, but libraries also find each other in the folder, where one that is half-written ends the process (SIGBUS).
 */
final class LibraryFolder {
    private static final Logger LOG = LoggerFactory.getLogger(LibraryFolder.class);
    private static final String CACHE = "org.bytedeco.javacpp.cachedir";
    private static final long POLL_NANOS = Duration.ofMillis(50).toNanos();
    private static final long MOST_NANOS = Duration.ofMinutes(3).toNanos();

    private LibraryFolder() {}

    /** Names a private folder to JavaCPP, unless the user has named one, or has a home. Before JavaCPP is used. */
    static void choose() {
        if (System.getProperty(CACHE) == null && !isUsable(Path.of(System.getProperty("user.home")))) {
            System.setProperty(CACHE, makePrivate().toString());
        }
    }

    /** Whether there is such a folder in this home, or can be. */
    static boolean isUsable(Path home) {
        Path folder = home.resolve(".javacpp");
        return Files.isWritable(Files.exists(folder) ? folder : home);
    }

    /** The time of this JVM to unpack the libraries. */
    static final class Turn implements AutoCloseable {
        private final Optional<Path> mark;
        private final Optional<FileChannel> locked;

        private Turn(Optional<Path> mark, Optional<FileChannel> locked) {
            this.mark = mark;
            this.locked = locked;
        }

        /** All libraries are there: nobody waits any more. */
        void unpacked() {
            mark.ifPresent(file -> {
                try {
                    Files.write(file, new byte[0]);
                } catch (IOException e) {
                    LOG.debug("others will wait for their turn", e);
                }
            });
        }

        @Override
        public void close() {
            locked.ifPresent(channel -> {
                try {
                    channel.close();
                } catch (IOException e) {
                    LOG.debug("the lock ends with the process", e);
                }
            });
        }
    }

    /** Waits until no other JVM unpacks libraries into the folder, but not for one that is stopped, or where files have no locks. */
    static Turn turn() {
        try {
            Path folder = Loader.getCacheDir().toPath();
            Optional<Path> mark = mark(folder);
            boolean unpacked = mark.isPresent() && Files.exists(mark.get());
            return unpacked
                    ? new Turn(Optional.empty(), Optional.empty())
                    : new Turn(mark, Optional.of(locked(folder.resolve("paritas.lock"))));
        } catch (IOException e) {
            LOG.debug("libraries are unpacked without a lock", e);
            return new Turn(Optional.empty(), Optional.empty());
        }
    }

    /** The file that says that the libraries of this version are there; empty where jars do not have their version. */
    private static Optional<Path> mark(Path folder) {
        try {
            return Optional.of(folder.resolve("paritas-unpacked-" + Loader.getVersion("org.bytedeco", "pytorch")));
        } catch (IOException | RuntimeException e) {
            LOG.debug("LibTorch's jar does not have its version", e);
            return Optional.empty();
        }
    }

    private static FileChannel locked(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        long start = System.nanoTime();
        boolean interrupted = false;
        try {
            while (channel.tryLock() == null) {
                if (System.nanoTime() - start > MOST_NANOS) {
                    LOG.warn(
                            "Paritas: another process has been unpacking LibTorch for {} minutes; this one does so, too."
                                    + " If it ends with SIGBUS, end the other one",
                            Duration.ofNanos(MOST_NANOS).toMinutes());
                    break;
                }
                LockSupport.parkNanos(POLL_NANOS);
                interrupted |= Thread.interrupted();
            }
            return channel;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
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
