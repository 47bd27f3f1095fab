/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import io.paritas.erasure.ErasureCode;
import io.paritas.erasure.file.StripeBuffer;
import io.paritas.erasure.file.UnitGroup;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import org.apache.commons.io.output.CountingOutputStream;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.Function2;

/**
 * The task that writes a partition: serialises its elements, then encodes them stripe by stripe. A failed task deletes its files.
 *
 * @param storage the file systems
 * @param layout places of the unit files
 * @param format format of the elements
 */
record PartWriter<T>(Storage storage, UnitFileLayout layout, Format<T> format)
        implements Function2<Integer, Iterator<T>, Iterator<Part>> {

    @Override
    public Iterator<Part> call(Integer index, Iterator<T> elements) throws IOException {
        try (Spill spill = new Spill()) {
            Part part = serialise(index, elements, spill);
            try (InputStream input = spill.input()) {
                encode(part, input);
            } catch (Throwable e) {
                storage.deleteAfter(e, layout.partFolders(part));
                throw e;
            }
            return List.of(part).iterator();
        }
    }

    private Part serialise(int index, Iterator<T> elements, Spill spill) throws IOException {
        CountingOutputStream output = new CountingOutputStream(spill.output());
        long count = format.write(elements, output);
        return new Part(index, UUID.randomUUID(), output.getByteCount(), count);
    }

    private void encode(Part part, InputStream input) throws IOException {
        UnitGroup group = layout.group(part);
        try (UnitOutputs outputs = new UnitOutputs(storage, group)) {
            for (int unit = 0; unit < group.code().n(); unit++) {
                outputs.add(unit, layout.unitFile(part, unit).orElseThrow());
            }
            ErasureCode code = group.code().erasureCode();
            StripeBuffer buffer = new StripeBuffer(group);
            for (long stripe = 0; stripe < group.stripes(); stripe++) {
                TaskContext.get().killTaskIfInterrupted();
                read(group, stripe, input, buffer);
                code.encode(buffer.data(), buffer.parity());
                outputs.append(buffer);
            }
            outputs.complete();
        }
    }

    private static void read(UnitGroup group, long stripe, InputStream input, StripeBuffer buffer) throws IOException {
        buffer.begin(group.cellLength(stripe));
        for (int unit = 0; unit < group.code().k(); unit++) {
            int length = group.dataLength(stripe, unit);
            if (input.readNBytes(buffer.cell(unit, length).array(), 0, length) != length) {
                throw new EOFException(
                        "a temporary file of this executor is shorter than the bytes that were written to it");
            }
            buffer.pad(unit, length);
        }
    }
}
