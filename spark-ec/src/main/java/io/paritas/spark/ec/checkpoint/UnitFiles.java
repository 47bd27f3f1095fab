/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import io.paritas.erasure.file.BadHeaderException;
import io.paritas.erasure.file.UnitGroup;
import io.paritas.erasure.file.UnitHeader;
import io.paritas.erasure.file.Units;
import io.paritas.erasure.file.UnitsException;
import io.paritas.spark.job.Interrupt;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IOUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The unit files of a partition, each opened when it is first read. A file that is no unit of this partition, or cannot be opened,
 * counts as lost; so does one that repeatedly cannot be read, since every attempt may take a time-out. An interrupt says nothing about
 * a unit: it ends all reading with an {@link UncheckedIOException}. Not thread-safe.
 */
final class UnitFiles implements Units, Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(UnitFiles.class);
    private static final int MAX_FAILURES = 3;

    private final Storage storage;
    private final UnitFileLayout layout;
    private final Part part;
    private final UnitGroup group;
    private final FSDataInputStream[] streams;
    /** Consecutive failures to read a unit. */
    private final int[] failures;

    private final Map<Integer, String> lost = new TreeMap<>();
    /** Lost units that are intact, but of an unknown version. */
    private final Map<Integer, String> unknown = new TreeMap<>();

    UnitFiles(Storage storage, UnitFileLayout layout, Part part) {
        this.storage = storage;
        this.layout = layout;
        this.part = part;
        group = layout.group(part);
        streams = new FSDataInputStream[group.code().n()];
        failures = new int[group.code().n()];
        for (int unit = 0; unit < streams.length; unit++) {
            if (layout.unitFile(part, unit).isEmpty()) {
                lost.put(unit, "missing");
            }
        }
    }

    @Override
    public Map<Integer, String> lost() {
        return lost;
    }

    @Override
    public String describe(int unit) {
        return "unit " + unit + " ("
                + file(unit)
                        .map(Path::toString)
                        .orElse("in directory number " + layout.directoryOf(part.index(), unit)
                                + ", which is not among those given")
                + ")";
    }

    /** The units of an unknown version, and why: a newer program may need them as they are. */
    Map<Integer, String> unknown() {
        return unknown;
    }

    private Optional<Path> file(int unit) {
        return layout.unitFile(part, unit);
    }

    @Override
    public ByteBuffer read(int unit, long position, ByteBuffer target) throws IOException {
        if (streams[unit] == null) {
            open(unit, file(unit).orElseThrow());
        }
        try {
            ByteBuffer bytes = read(streams[unit], position, target);
            failures[unit] = 0;
            return bytes;
        } catch (IOException e) {
            close(unit);
            endIfInterrupted(e);
            failures[unit]++;
            if (failures[unit] == MAX_FAILURES) {
                lost.put(unit, "cannot be read: " + e.getMessage());
            }
            throw e;
        }
    }

    /** Opens all units that are not known to be lost, to find out which are. */
    void openAll() {
        for (int unit = 0; unit < streams.length; unit++) {
            if (!lost.containsKey(unit) && streams[unit] == null) {
                tryOpen(unit);
            }
        }
    }

    private void tryOpen(int unit) {
        try {
            open(unit, file(unit).orElseThrow());
        } catch (IOException e) {
            LOG.debug("{} cannot be opened", describe(unit), e);
        }
    }

    private void open(int unit, Path file) throws IOException {
        try {
            streams[unit] = storage.at(file).open(file);
            check(unit, UnitHeader.read((position, target) -> read(streams[unit], position, target)));
        } catch (IOException e) {
            close(unit);
            endIfInterrupted(e);
            if (e instanceof UnitsException) {
                unknown.put(unit, e.getMessage());
            }
            lost.put(unit, trouble(e));
            throw e;
        }
    }

    /** Nobody is to take a unit for damaged, and read others instead of it. */
    private static void endIfInterrupted(IOException failure) {
        if (Interrupt.caused(failure)) {
            throw new UncheckedIOException("interrupted while reading a checkpoint", failure);
        }
    }

    private void check(int unit, UnitHeader header) throws BadHeaderException {
        UnitHeader expected = new UnitHeader(group, unit);
        if (!header.equals(expected)) {
            throw new BadHeaderException("header of unit " + header.unit() + " of " + header.group());
        }
    }

    private static String trouble(IOException e) {
        if (e instanceof FileNotFoundException) {
            return "missing";
        }
        if (e instanceof UnitsException) {
            return e.getMessage();
        }
        return (e instanceof BadHeaderException ? "header damaged: " : "cannot be read: ") + e.getMessage();
    }

    private static ByteBuffer read(FSDataInputStream stream, long position, ByteBuffer target) throws IOException {
        if (stream.getPos() != position) {
            stream.seek(position);
        }
        int read = stream.readNBytes(target.array(), target.arrayOffset() + target.position(), target.remaining());
        return target.position(target.position() + read).flip();
    }

    /** Closes a stream. A failure does not matter after reading. */
    private void close(int unit) {
        FSDataInputStream stream = streams[unit];
        streams[unit] = null;
        if (stream != null) {
            IOUtils.closeStream(stream);
        }
    }

    @Override
    public void close() {
        for (int unit = 0; unit < streams.length; unit++) {
            close(unit);
        }
    }
}
