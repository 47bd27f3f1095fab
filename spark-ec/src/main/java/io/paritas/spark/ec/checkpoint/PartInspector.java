/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import io.paritas.erasure.ErasureCode;
import io.paritas.erasure.Erasures;
import io.paritas.erasure.file.Reconstruction;
import io.paritas.erasure.file.StripeBuffer;
import io.paritas.erasure.file.StripeReader;
import io.paritas.erasure.file.UnitGroup;
import io.paritas.spark.job.DiskFiles;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.spark.TaskContext;

/**
 * Reads every chunk of a partition's units, and rebuilds damaged units.
 *
 * @param storage the file systems
 * @param layout places of the unit files, all known
 * @param part the partition
 */
record PartInspector(Storage storage, UnitFileLayout layout, Part part) {

    /** The troubles of a partition's units, by unit, and why they cannot be repaired; empty if they can. */
    record Finding(Map<Integer, String> troubles, Optional<String> hopeless) {}

    Finding inspect() throws IOException {
        UnitGroup group = layout.group(part);
        ErasureCode code = group.code().erasureCode();
        Erasures all = Erasures.of(IntStream.range(0, group.code().n()).toArray());
        long[] damagedChunks = new long[group.code().n()];
        try (UnitFiles files = new UnitFiles(storage, layout, part)) {
            files.openAll();
            Optional<String> hopeless = refusal(files);
            StripeReader reader = new StripeReader(group, files);
            StripeBuffer buffer = new StripeBuffer(group);
            for (long stripe = 0; stripe < group.stripes(); stripe++) {
                TaskContext.get().killTaskIfInterrupted();
                reader.begin(stripe, buffer);
                Erasures missing = reader.read(all);
                missing.stream().forEach(unit -> damagedChunks[unit]++);
                if (hopeless.isEmpty()) {
                    hopeless = verdict(stripe, missing, code, buffer);
                }
            }
            return new Finding(troubles(group, files, damagedChunks), hopeless);
        }
    }

    /** Why the units must not be repaired: a newer program has written one. */
    private static Optional<String> refusal(UnitFiles files) {
        return files.unknown().entrySet().stream()
                .map(unit -> files.describe(unit.getKey()) + " is intact, but " + unit.getValue())
                .findFirst();
    }

    private Optional<String> verdict(long stripe, Erasures missing, ErasureCode code, StripeBuffer buffer) {
        if (missing.size() > 0 && !code.canReconstruct(missing)) {
            return Optional.of("stripe " + stripe + " has lost the chunks of units " + missing + ", which "
                    + layout.code() + " cannot reconstruct from the others");
        }
        new Reconstruction(code).replace(missing, missing, buffer);
        return code.verify(buffer.data(), buffer.parity())
                ? Optional.empty()
                : Optional.of(
                        "in stripe " + stripe + " the parity does not fit the data although all checksums are right:"
                                + " the wrong unit is unknown");
    }

    private Map<Integer, String> troubles(UnitGroup group, UnitFiles files, long[] damagedChunks) throws IOException {
        Map<Integer, String> troubles = new TreeMap<>(files.lost());
        for (int unit = 0; unit < damagedChunks.length; unit++) {
            if (!troubles.containsKey(unit)) {
                Path file = path(unit);
                FileStatus status = storage.at(file).getFileStatus(file);
                if (status.getLen() != group.unitLength()) {
                    troubles.put(unit, "wrong length: " + status.getLen() + " of " + group.unitLength() + " bytes");
                } else if (damagedChunks[unit] > 0) {
                    troubles.put(unit, damagedChunks[unit] + " of " + group.stripes() + " chunks damaged");
                }
            }
        }
        return troubles;
    }

    /** Rebuilds units, each beside its old file until all of them are complete. */
    void repair(Erasures damaged) throws IOException {
        Map<Integer, Path> made = new TreeMap<>();
        damaged.stream().forEach(unit -> made.put(unit, temporary(path(unit))));
        try {
            make(damaged, made);
            for (var unit : made.entrySet()) {
                replace(unit.getValue(), path(unit.getKey()));
            }
        } catch (Throwable e) {
            storage.deleteAfter(e, made.values());
            throw e;
        }
    }

    private void make(Erasures damaged, Map<Integer, Path> made) throws IOException {
        UnitGroup group = layout.group(part);
        try (UnitFiles files = new UnitFiles(storage, layout, part);
                UnitOutputs outputs = new UnitOutputs(storage, group)) {
            for (var unit : made.entrySet()) {
                outputs.add(unit.getKey(), unit.getValue());
            }
            StripeReader reader = new StripeReader(group, files);
            Reconstruction reconstruction = new Reconstruction(group.code().erasureCode());
            StripeBuffer buffer = new StripeBuffer(group);
            for (long stripe = 0; stripe < group.stripes(); stripe++) {
                TaskContext.get().killTaskIfInterrupted();
                reconstruction.obtain(damaged, stripe, reader, buffer);
                outputs.append(buffer);
            }
            outputs.complete();
        }
    }

    /** Puts a new file in the place of an old one, in one step on HDFS and on local disks: whoever dies there loses neither. */
    private void replace(Path temporary, Path file) throws IOException {
        FileSystem files = storage.at(file);
        if (files instanceof DistributedFileSystem hdfs) {
            hdfs.rename(temporary, file, Options.Rename.OVERWRITE);
        } else if (files instanceof DiskFiles || !files.exists(file)) {
            rename(files, temporary, file);
        } else {
            replaceInSteps(files, temporary, file);
        }
    }

    /** If the last step fails, the old file comes back: its intact chunks may be needed. */
    private void replaceInSteps(FileSystem files, Path temporary, Path file) throws IOException {
        Path old = temporary(file);
        rename(files, file, old);
        try {
            rename(files, temporary, file);
        } catch (Throwable e) {
            bringBack(files, old, file, e);
            throw e;
        }
        storage.delete(old);
    }

    private static void bringBack(FileSystem files, Path old, Path file, Throwable failure) {
        try {
            rename(files, old, file);
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    private static void rename(FileSystem files, Path from, Path to) throws IOException {
        if (!files.rename(from, to)) {
            throw new IOException(from + " cannot be renamed to " + to);
        }
    }

    private static Path temporary(Path file) {
        return file.suffix("." + UUID.randomUUID() + ".tmp");
    }

    /** The path of a unit file, whether it exists or not. */
    Path path(int unit) {
        return layout.unitFile(part, unit).orElseThrow();
    }
}
