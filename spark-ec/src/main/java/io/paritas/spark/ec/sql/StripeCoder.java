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
import io.paritas.spark.job.QueryException;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.catalyst.util.TypeUtils;
import org.apache.spark.sql.types.DataType;
import scala.math.Ordering;

/**
 * Makes stripes of rows, and rows of stripes; {@link StripeTypes} has their types. A row is a data unit, padded with zeros to
 * the longest one; a last stripe with fewer than k rows has data units of zeros. Immutable and thread-safe. Public because
 * generated code calls it; no argument is null.
 */
public final class StripeCoder implements Serializable {
    private static final long serialVersionUID = 1;

    private final String name;
    private final DataType idType;
    private final OnError onError;
    private transient ErasureCode code;
    private transient Ordering<Object> order;

    StripeCoder(CodeName name, DataType idType, OnError onError) {
        this.name = name.toString();
        this.idType = idType;
        this.onError = onError;
    }

    private ErasureCode code() {
        if (code == null) {
            code = CodeName.parse(name).erasureCode();
        }
        return code;
    }

    /** Rows of a stripe at most. */
    int k() {
        return code().parameters().k();
    }

    /**
     * Makes the stripe of 1 to k rows.
     *
     * @throws QueryException if two ids are equal: nobody could tell the rows apart
     */
    InternalRow stripe(List<Object> ids, List<byte[]> rows) {
        GenericArrayData all = new GenericArrayData(ids.toArray());
        for (int i = 0; i < ids.size(); i++) {
            if (place(all, ids.get(i)) < i) {
                throw new QueryException("the rows of a group must have different ids for ec_stripe, got "
                        + text(ids.get(i)) + " twice: make the id unique, or remove duplicates");
            }
        }
        int size = rows.stream().mapToInt(row -> row.length).max().orElseThrow();
        byte[][] data = new byte[k()][];
        for (int i = 0; i < rows.size(); i++) {
            data[i] = padded(rows.get(i), size);
        }
        Arrays.fill(data, rows.size(), data.length, new byte[size]);
        byte[][] parity = new byte[code().parameters().r()][size];
        code().encode(data, parity);
        CodedSlices.current().encoded(name, data, parity);
        Object[] lengths = rows.stream().map(row -> row.length).toArray();
        return row(all, new GenericArrayData(lengths), new GenericArrayData(parity));
    }

    private static byte[] padded(byte[] row, int size) {
        return row.length == size ? row : Arrays.copyOf(row, size);
    }

    private static InternalRow row(Object... values) {
        return new GenericInternalRow(values);
    }

    /** Returns all rows of a stripe; null if it cannot be computed and {@code onError} says so. */
    public ArrayData unstripe(InternalRow stripe, ArrayData rows) {
        try {
            return unstriped(stripe, rows);
        } catch (RowException | UnrecoverableException e) {
            return Signature.UNSTRIPE.uncomputable(e, onError);
        }
    }

    private ArrayData unstriped(InternalRow stripe, ArrayData rows) {
        checkStripe(stripe);
        ArrayData ids = stripe.getArray(0);
        int[] lengths = stripe.getArray(1).toIntArray();
        byte[][] data = given(ids, lengths, rows);
        reconstruct(data, lengths, stripe.getArray(2));
        Object[] all = new Object[lengths.length];
        for (int i = 0; i < all.length; i++) {
            all[i] = row(ids.get(i, idType), data[i]);
        }
        return new GenericArrayData(all);
    }

    private void checkStripe(InternalRow stripe) {
        if (stripe.isNullAt(0) || stripe.isNullAt(1) || stripe.isNullAt(2)) {
            throw new RowException("a stripe must have ids, lengths and parity, got NULL for one of them");
        }
        ArrayData ids = stripe.getArray(0);
        ArrayData lengths = stripe.getArray(1);
        int rows = ids.numElements();
        int parity = stripe.getArray(2).numElements();
        int r = code().parameters().r();
        if (rows < 1 || rows > k() || lengths.numElements() != rows || parity != r) {
            throw new RowException("a stripe of " + name + " must have 1 to " + k() + " ids, as many lengths, and " + r
                    + " units of parity, NULL where one is missing, got " + rows + ", " + lengths.numElements()
                    + " and " + parity);
        }
        for (int row = 0; row < rows; row++) {
            checkRow(row, ids, lengths);
        }
    }

    private void checkRow(int row, ArrayData ids, ArrayData lengths) {
        if (ids.isNullAt(row) || lengths.isNullAt(row) || lengths.getInt(row) < 0) {
            throw new RowException("a stripe must have an id and a length of 0 or more for each row, got "
                    + (ids.isNullAt(row) ? "NULL" : text(ids.get(row, idType))) + " and "
                    + (lengths.isNullAt(row) ? "NULL" : lengths.getInt(row)) + " for row " + row);
        }
    }

    /** The given rows, by their place in the stripe; null where one is lost. */
    private byte[][] given(ArrayData ids, int[] lengths, ArrayData rows) {
        byte[][] data = new byte[lengths.length][];
        for (int i = 0; i < rows.numElements(); i++) {
            InternalRow row = rows.isNullAt(i) ? row(null, null) : rows.getStruct(i, 2);
            int at = row.isNullAt(0) || row.isNullAt(1) ? -1 : place(ids, row.get(0, idType));
            if (at >= 0) {
                checkTwice(ids, at, data[at]);
                data[at] = row.getBinary(1);
                checkLength(ids, at, lengths[at], data[at].length);
            }
        }
        return data;
    }

    /** The place of a row in the stripe; −1 if it is not of the stripe. */
    private int place(ArrayData ids, Object id) {
        if (order == null) {
            order = TypeUtils.getInterpretedOrdering(idType);
        }
        for (int i = 0; i < ids.numElements(); i++) {
            if (order.equiv(ids.get(i, idType), id)) {
                return i;
            }
        }
        return -1;
    }

    /** An id as people read it: bytes in hexadecimal. */
    private String text(Object id) {
        return new Literal(id, idType).toString();
    }

    private void checkTwice(ArrayData ids, int at, byte[] before) {
        if (before != null) {
            throw new RowException("a row must be given once, got row " + text(ids.get(at, idType)) + " twice");
        }
    }

    private void checkLength(ArrayData ids, int at, int length, int actual) {
        if (actual != length) {
            throw new RowException("a row must be as it was when its stripe was made, " + length + " bytes, got "
                    + actual + " bytes for row " + text(ids.get(at, idType)) + ": leave it out to reconstruct it");
        }
    }

    /** Reconstructs the rows that are null. A lost row may have any length until a unit of parity has it, too. */
    private void reconstruct(byte[][] data, int[] lengths, ArrayData parity) {
        Erasures lost = absent(data);
        if (lost.size() == 0) {
            return;
        }
        int size = Arrays.stream(lengths).max().orElseThrow();
        byte[][] units = units(data, parity, size);
        RepairPlan plan = code().repairPlan(absent(units), lost);
        byte[][] made = new byte[lost.size()][size];
        byte[] zeros = new byte[size];
        byte[][] sources = Arrays.stream(plan.sources())
                .mapToObj(unit -> units[unit].length == 0 ? zeros : padded(units[unit], size))
                .toArray(byte[][]::new);
        plan.apply(Regions.of(sources), Regions.of(made));
        int[] places = lost.toArray();
        for (int i = 0; i < places.length; i++) {
            int length = lengths[places[i]];
            data[places[i]] = length == size ? made[i] : Arrays.copyOf(made[i], length);
        }
    }

    /** The units of the stripe, data without its padding, or null where one is missing. */
    private byte[][] units(byte[][] data, ArrayData parity, int size) {
        byte[][] units = Arrays.copyOf(data, code().parameters().n());
        Arrays.fill(units, data.length, k(), new byte[0]);
        for (int i = 0; i < parity.numElements(); i++) {
            if (!parity.isNullAt(i)) {
                units[k() + i] = checkParity(parity.getBinary(i), i, size);
            }
        }
        return units;
    }

    private static byte[] checkParity(byte[] unit, int index, int size) {
        if (unit.length != size) {
            throw new RowException("the parity must be as long as the longest row, " + size + " bytes, got "
                    + unit.length + " for unit " + index + ": make a damaged unit NULL");
        }
        return unit;
    }

    private static Erasures absent(byte[][] units) {
        return Erasures.of(IntStream.range(0, units.length)
                .filter(unit -> units[unit] == null)
                .toArray());
    }
}
