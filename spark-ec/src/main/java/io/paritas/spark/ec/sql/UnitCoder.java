/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.sql;

import io.paritas.erasure.CodeName;
import io.paritas.erasure.ErasureCode;
import io.paritas.erasure.Erasures;
import io.paritas.erasure.RepairPlan;
import io.paritas.erasure.UnrecoverableException;
import io.paritas.erasure.kernel.Regions;
import io.paritas.spark.ec.audit.CodedSlices;
import io.paritas.spark.ec.settings.OnError;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;

/**
 * Computes the functions over the units of one value. Immutable and thread-safe. Public because generated code calls it;
 * no argument is null.
 */
public final class UnitCoder implements Serializable {
    private static final long serialVersionUID = 1;

    /** The longest array that every JVM makes. */
    private static final int MOST_BYTES = Integer.MAX_VALUE - 8;

    private final String name;
    private final OnError onError;
    private transient ErasureCode code;

    UnitCoder(CodeName name, OnError onError) {
        this.name = name.toString();
        this.onError = onError;
    }

    private ErasureCode code() {
        if (code == null) {
            code = CodeName.parse(name).erasureCode();
        }
        return code;
    }

    /** Encodes data into n units. */
    public ArrayData encode(byte[] data) {
        int k = code().parameters().k();
        int size = (int) (((long) data.length + k - 1) / k);
        byte[][] units = new byte[code().parameters().n()][];
        for (int unit = 0; unit < k; unit++) {
            int from = start(unit, size, data.length);
            units[unit] = Arrays.copyOfRange(data, from, from + size);
        }
        for (int unit = k; unit < units.length; unit++) {
            units[unit] = new byte[size];
        }
        byte[][] dataUnits = Arrays.copyOf(units, k);
        byte[][] parity = Arrays.copyOfRange(units, k, units.length);
        code().encode(dataUnits, parity);
        CodedSlices.current().encoded(name, dataUnits, parity);
        return new GenericArrayData(units);
    }

    /** The offset of a data unit in the data; the end of the data if the unit is all padding. */
    private static int start(int unit, int size, int length) {
        return (int) Math.min((long) unit * size, length);
    }

    /** Decodes units; null if they cannot be decoded and {@code onError} says so. */
    public byte[] decode(ArrayData units, long length) {
        try {
            return decoded(units, length);
        } catch (RowException | UnrecoverableException e) {
            return Signature.DECODE.uncomputable(e, onError);
        }
    }

    private byte[] decoded(ArrayData units, long length) {
        int k = code().parameters().k();
        Erasures missing = missing(units);
        int[] lost = missing.stream().filter(unit -> unit < k).toArray();
        if (lost.length == 0) {
            byte[][] read = read(units, IntStream.range(0, k));
            return join(read, checkLength(length, k, read[0].length));
        }
        RepairPlan plan = code().repairPlan(missing, Erasures.of(lost));
        int[] sources = plan.sources();
        byte[][] read = read(units, IntStream.concat(present(k, missing), Arrays.stream(sources)));
        int size = read[sources[0]].length;
        byte[] data = join(read, checkLength(length, k, size));
        reconstruct(plan, read, data, size);
        return data;
    }

    /** Joins data units; zeros where a unit was not read. */
    private static byte[] join(byte[][] read, int length) {
        byte[] data = new byte[length];
        for (int unit = 0; unit < read.length; unit++) {
            if (read[unit] != null) {
                int from = start(unit, read[unit].length, length);
                System.arraycopy(read[unit], 0, data, from, Math.min(read[unit].length, length - from));
            }
        }
        return data;
    }

    /** Reconstructs units in their place in the data; those that end in padding through a buffer. */
    private static void reconstruct(RepairPlan plan, byte[][] read, byte[] data, int size) {
        int[] lost = plan.wanted().toArray();
        byte[][] targets = new byte[lost.length][];
        int[] offsets = new int[lost.length];
        for (int i = 0; i < lost.length; i++) {
            offsets[i] = start(lost[i], size, data.length);
            targets[i] = data;
            if (data.length - offsets[i] < size) {
                offsets[i] = 0;
                targets[i] = new byte[size];
            }
        }
        byte[][] sources =
                Arrays.stream(plan.sources()).mapToObj(unit -> read[unit]).toArray(byte[][]::new);
        plan.apply(Regions.of(sources), Regions.of(targets, offsets, size));
        for (int i = 0; i < lost.length; i++) {
            if (targets[i] != data) {
                int from = start(lost[i], size, data.length);
                System.arraycopy(targets[i], 0, data, from, data.length - from);
            }
        }
    }

    private static int checkLength(long length, int k, int size) {
        long most = Math.min((long) k * size, MOST_BYTES);
        long least = Math.max((long) k * (size - 1) + 1, 0);
        if (length < least || length > most) {
            throw new RowException("the length must be the one that was encoded, " + least + " to " + most
                    + " bytes for " + k + " data units of " + size + " bytes, got " + length);
        }
        return (int) length;
    }

    /** Whether the units that are present fit each other; null if they are not n units and {@code onError} says so. */
    public Boolean verify(ArrayData units) {
        try {
            return fit(units);
        } catch (RowException e) {
            return Signature.VERIFY.uncomputable(e, onError);
        }
    }

    private boolean fit(ArrayData units) {
        Erasures missing = missing(units);
        byte[][] all = new byte[units.numElements()][];
        present(all.length, missing).forEach(unit -> all[unit] = units.getBinary(unit));
        int size = size(all);
        if (Arrays.stream(all).anyMatch(unit -> unit != null && unit.length != size)) {
            return false;
        }
        // Missing units are not read, but must be as long as the others.
        byte[] placeholder = new byte[size];
        missing.stream().forEach(unit -> all[unit] = placeholder);
        return code().verify(all, missing);
    }

    /** Returns all n units; null if they cannot be reconstructed and {@code onError} says so. */
    public ArrayData repair(ArrayData units) {
        try {
            return repaired(units);
        } catch (RowException | UnrecoverableException e) {
            return Signature.REPAIR.uncomputable(e, onError);
        }
    }

    private ArrayData repaired(ArrayData units) {
        Erasures missing = missing(units);
        byte[][] all = read(units, present(units.numElements(), missing));
        int size = size(all);
        missing.stream().forEach(unit -> all[unit] = new byte[size]);
        code().reconstruct(all, missing);
        return new GenericArrayData(all);
    }

    private static IntStream present(int units, Erasures missing) {
        return IntStream.range(0, units).filter(unit -> !missing.contains(unit));
    }

    /** The length of the first unit that is not null; 0 if there is none. */
    private static int size(byte[][] units) {
        return Arrays.stream(units)
                .filter(Objects::nonNull)
                .mapToInt(unit -> unit.length)
                .findFirst()
                .orElse(0);
    }

    private Erasures missing(ArrayData units) {
        int n = code().parameters().n();
        if (units.numElements() != n) {
            throw new RowException("the units must be all " + n + " of " + name
                    + ", NULL where one is missing, got an array of " + units.numElements());
        }
        return Erasures.of(IntStream.range(0, n).filter(units::isNullAt).toArray());
    }

    /** Reads some of the units; the array has null for the others. */
    private static byte[][] read(ArrayData units, IntStream wanted) {
        byte[][] read = new byte[units.numElements()][];
        int[] order = wanted.distinct().toArray();
        for (int unit : order) {
            read[unit] = units.getBinary(unit);
            if (read[unit].length != read[order[0]].length) {
                throw new RowException(
                        "the units must be equally long, got " + read[order[0]].length + " bytes for unit " + order[0]
                                + " and " + read[unit].length + " for unit " + unit + ": make a damaged unit NULL");
            }
        }
        return read;
    }
}
