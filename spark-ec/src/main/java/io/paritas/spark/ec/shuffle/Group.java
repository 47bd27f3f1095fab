/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import io.paritas.erasure.CodeName;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
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
        long left = 0;
        for (int other = 0; other < units.size(); other++) {
            left += other != unit && units.get(other).there() ? 1 : 0;
        }
        return left >= k();
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
