/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import java.util.AbstractList;
import java.util.List;
import java.util.RandomAccess;

/** A list that takes four bytes for each number, where others take an object: a training may have millions of batches. Immutable. */
final class FloatList extends AbstractList<Float> implements RandomAccess {
    private final float[] values;

    /** @param values are not copied */
    FloatList(float... values) {
        this.values = values;
    }

    static FloatList copyOf(List<Float> list) {
        if (list instanceof FloatList immutable) {
            return immutable;
        }
        float[] values = new float[list.size()];
        int size = 0;
        for (float value : list) {
            values[size++] = value;
        }
        return new FloatList(values);
    }

    @Override
    public Float get(int index) {
        return values[index];
    }

    @Override
    public int size() {
        return values.length;
    }
}
