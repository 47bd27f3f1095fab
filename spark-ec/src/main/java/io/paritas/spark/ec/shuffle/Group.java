/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import io.paritas.erasure.CodeName;
import io.paritas.erasure.Erasures;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.apache.spark.storage.BlockManagerId;
import scala.Option;

/**
 * Map outputs that are coded together, at one moment. The data file of each is a data unit; shorter files count as filled up with
 * zeros. Attempts of map tasks have numbers of their own, so a group never speaks of the output of another attempt.
 *
 * @param number of the group, among those of the shuffle
 * @param units the k data units, then the r parity units
 */
record Group(int shuffle, long number, CodeName code, List<Unit> units) {
    /** More parity units than any code has. */
    private static final int ROWS = 256;

    /**
     * A file of the group.
     *
     * @param file the attempt of the map task, or the number of the parity file
     * @param at who has it
     * @param there whether it can be read
     * @param length bytes of a data file; 0 while it is not known
     */
    record Unit(long file, BlockManagerId at, boolean there, long length) {}

    Group {
        units = List.copyOf(units);
    }

    int k() {
        return code.k();
    }

    int r() {
        return code.parameters().r();
    }

    List<Unit> data() {
        return units.subList(0, k());
    }

    List<Unit> parity() {
        return units.subList(k(), units.size());
    }

    Unit parity(int row) {
        return units.get(k() + row);
    }

    /** The number of the file with a parity unit. */
    static long parityFile(long group, int row) {
        return group * ROWS + row;
    }

    static long groupOf(long parityFile) {
        return parityFile / ROWS;
    }

    static int rowOf(long parityFile) {
        return (int) (parityFile % ROWS);
    }

    /** Which data unit the output of an attempt is; -1 if it is none. */
    int indexOf(long map) {
        for (int unit = 0; unit < k(); unit++) {
            if (units.get(unit).file() == map) {
                return unit;
            }
        }
        return -1;
    }

    /** Whether a data unit can be made of the other units that can be read. */
    boolean decodes(int unit) {
        int[] missing = IntStream.range(0, units.size())
                .filter(other -> other == unit || !units.get(other).there())
                .toArray();
        return missing.length <= r()
                && (code.localGroups() == 0 || code.erasureCode().canReconstruct(Erasures.of(missing)));
    }

    /** Bytes of the parity files that are there: each is as long as the longest data file. */
    long parityBytes() {
        long longest = data().stream().mapToLong(Unit::length).max().orElse(0);
        return longest * parity().stream().filter(Unit::there).count();
    }

    boolean hasAllData() {
        return data().stream().allMatch(Unit::there);
    }

    boolean hasAllParity() {
        return parity().stream().allMatch(Unit::there);
    }

    /** Whether all its files are there. */
    boolean isWhole() {
        return hasAllData() && hasAllParity();
    }

    /** Whether an executor has two of its files, which would be lost at once. */
    boolean isCrowded() {
        return units.stream().map(Unit::at).distinct().count() < units.size();
    }

    /** The length of the longest data file, which parity files have. */
    long longest() {
        return data().stream().mapToLong(Unit::length).max().orElseThrow();
    }

    /** How many of its files an executor has. */
    long filesAt(BlockManagerId executor) {
        return units.stream().filter(unit -> unit.at().equals(executor)).count();
    }

    /** Whether some executors have parity, or are to make it. */
    boolean isMadeBy(Predicate<BlockManagerId> executors) {
        return parity().stream().map(Unit::at).anyMatch(executors);
    }

    Group with(int unit, Unit changed) {
        List<Unit> all = new ArrayList<>(units);
        all.set(unit, changed);
        return new Group(shuffle, number, code, all);
    }

    /** The group, once a unit is lost. */
    Group without(int unit) {
        Unit lost = units.get(unit);
        return with(unit, new Unit(lost.file(), lost.at(), false, lost.length()));
    }

    /** The group, once some executors are lost. */
    Group without(Predicate<BlockManagerId> executors) {
        Group group = this;
        for (int unit = 0; unit < units.size(); unit++) {
            if (executors.test(units.get(unit).at())) {
                group = group.without(unit);
            }
        }
        return group;
    }

    /** @param lengths of the data files */
    Group withLengths(long[] lengths) {
        Group group = this;
        for (int unit = 0; unit < lengths.length; unit++) {
            Unit data = units.get(unit);
            group = group.with(unit, new Unit(data.file(), data.at(), data.there(), lengths[unit]));
        }
        return group;
    }

    byte[] toBytes() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeInt(shuffle);
            out.writeLong(number);
            out.writeUTF(code.toString());
            for (Unit unit : units) {
                out.writeLong(unit.file());
                out.writeUTF(unit.at().executorId());
                out.writeUTF(unit.at().host());
                out.writeInt(unit.at().port());
                out.writeBoolean(unit.there());
                out.writeLong(unit.length());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    static Group of(byte[] bytes) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            int shuffle = in.readInt();
            long number = in.readLong();
            CodeName code = CodeName.parse(in.readUTF());
            List<Unit> units = new ArrayList<>();
            for (int i = 0; i < code.n(); i++) {
                long file = in.readLong();
                BlockManagerId at = BlockManagerId.apply(in.readUTF(), in.readUTF(), in.readInt(), Option.empty());
                units.add(new Unit(file, at, in.readBoolean(), in.readLong()));
            }
            return new Group(shuffle, number, code, units);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
