/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import io.paritas.gpu.CudaStream;
import io.paritas.gpu.DeviceMemory;
import io.paritas.gpu.nn.DeviceValues;
import io.paritas.gpu.nn.ValueFormats;
import io.paritas.gpu.nn.ValueFormats.Element;
import io.paritas.gpu.nn.ValueFormats.Scaling;
import io.paritas.inference.StoredRows;
import java.nio.ByteBuffer;
import java.util.List;

/** Memory of a lane for rows as they are stored, from which they are scaled into the network's input. */
final class StoredValues implements AutoCloseable {
    private final List<Float> factors;
    private final List<Float> offsets;
    private final DeviceMemory values;
    private final DeviceMemory scaling;

    /**
     * Allocates memory on the GPU.
     *
     * @param rows what gives type and scaling
     * @param most rows of a batch
     */
    StoredValues(StoredRows rows, int most) {
        factors = rows.factors();
        offsets = rows.offsets();
        float[] both = new float[2 * factors.size()];
        for (int c = 0; c < factors.size(); c++) {
            both[c] = factors.get(c);
            both[factors.size() + c] = offsets.get(c);
        }
        scaling = DeviceValues.upload(both);
        try {
            values = DeviceMemory.allocate(
                    (long) most * rows.size() * rows.type().bytes());
        } catch (RuntimeException | Error e) {
            scaling.close();
            throw e;
        }
    }

    /** Whether it is for such rows, as many as those it has room for. */
    boolean suits(StoredRows rows, int most) {
        return rows.factors().equals(factors)
                && rows.offsets().equals(offsets)
                && (long) most * rows.size() * rows.type().bytes() <= values.size();
    }

    /**
     * Enqueues the copy of rows and their scaling.
     *
     * @param from page-locked memory with the rows' bytes, up to its limit
     * @param to address of the input, float32
     */
    void scale(StoredRows rows, ByteBuffer from, long to, CudaStream stream) {
        stream.copyToDevice(values.address(), from);
        int channels = factors.size();
        Scaling scaled = new Scaling(
                scaling.address(), scaling.address() + (long) channels * Float.BYTES, channels, rows.size() / channels);
        Element element =
                switch (rows.type()) {
                    case UINT8 -> Element.BYTES;
                    case UINT16 -> Element.SHORTS;
                };
        ValueFormats.scale(element, values.address(), to, scaled, (long) rows.rows() * rows.size(), stream);
    }

    @Override
    public void close() {
        values.close();
        scaling.close();
    }
}
