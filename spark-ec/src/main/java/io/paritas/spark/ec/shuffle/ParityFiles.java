/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The parity files of this executor, in Spark's local folders. Thread-safe. */
final class ParityFiles {
    private static final Logger LOG = LoggerFactory.getLogger(ParityFiles.class);

    /** Where a file of a name lies. */
    private final Function<String, File> folders;

    /** By shuffle and number. */
    private final Map<Integer, Map<Long, Stored>> files = new HashMap<>();

    /** Shuffles that are over, of which an encoder may not know. */
    private final BitSet removed = new BitSet();

    /** @param units data units of the group */
    private record Stored(File parity, File contents, int units) {
        void delete() {
            for (File file : new File[] {parity, contents}) {
                try {
                    Files.deleteIfExists(file.toPath());
                } catch (IOException e) {
                    LOG.warn("{} stays: {}", file, e.getMessage());
                }
            }
        }
    }

    /** @param folders gives a file of a name its place; the folder is there */
    ParityFiles(Function<String, File> folders) {
        this.folders = folders;
    }

    /** A file for something unfinished, which is not there yet: on the disk where it will be kept. */
    File newFile(int shuffle, long file) {
        return beside(place(shuffle, file), "paritas-temp-" + UUID.randomUUID());
    }

    private File place(int shuffle, long file) {
        return folders.apply("paritas-shuffle-" + shuffle + "-" + file + ".parity");
    }

    private static File beside(File file, String name) {
        return new File(file.getParentFile(), name);
    }

    /**
     * Keeps finished files, which are renamed.
     *
     * @param parity a {@linkplain #newFile new file} for that parity, like the contents
     * @throws IOException if the shuffle is over
     */
    synchronized void put(int shuffle, long file, int units, File parity, File contents) throws IOException {
        if (removed.get(shuffle)) {
            throw new IOException("shuffle " + shuffle + " is over, its parity is not kept");
        }
        File place = place(shuffle, file);
        Stored stored =
                new Stored(place, beside(place, "paritas-shuffle-" + shuffle + "-" + file + ".contents"), units);
        files.computeIfAbsent(shuffle, none -> new HashMap<>()).put(file, stored);
        Files.move(parity.toPath(), stored.parity().toPath(), StandardCopyOption.REPLACE_EXISTING);
        Files.move(contents.toPath(), stored.contents().toPath(), StandardCopyOption.REPLACE_EXISTING);
    }

    private synchronized Stored get(int shuffle, long file) throws FileNotFoundException {
        Stored stored = files.getOrDefault(shuffle, Map.of()).get(file);
        if (stored == null) {
            throw new FileNotFoundException("parity " + file + " of shuffle " + shuffle + " is not here");
        }
        return stored;
    }

    File parity(int shuffle, long file) throws FileNotFoundException {
        return get(shuffle, file).parity();
    }

    /** What {@link Contents#of} reads. */
    ByteBuffer contents(RequestId request) throws IOException {
        Stored stored = get(request.shuffle(), request.parityFile());
        return Contents.read(stored.contents().toPath(), stored.units(), request.unit(), request.from(), request.to());
    }

    /** Of which shuffles there is parity here. */
    synchronized Set<Integer> shuffles() {
        return Set.copyOf(files.keySet());
    }

    /** Deletes a parity file, if it is here. */
    synchronized void remove(int shuffle, long file) {
        files.computeIfPresent(shuffle, (number, its) -> {
            Stored stored = its.remove(file);
            if (stored != null) {
                stored.delete();
            }
            return its.isEmpty() ? null : its;
        });
    }

    synchronized boolean isOver(int shuffle) {
        return removed.get(shuffle);
    }

    /** Deletes all files of a shuffle. */
    synchronized void remove(int shuffle) {
        removed.set(shuffle);
        Map<Long, Stored> its = files.remove(shuffle);
        if (its != null) {
            its.values().forEach(Stored::delete);
        }
    }
}
