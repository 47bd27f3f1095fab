/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import io.paritas.cli.file.PendingFiles.Existing;
import io.paritas.cli.file.PendingFiles.Pending;
import io.paritas.erasure.Erasures;
import io.paritas.erasure.file.Reconstruction;
import io.paritas.erasure.file.StripeBuffer;
import io.paritas.erasure.file.StripeReader;
import io.paritas.erasure.file.UnitGroup;
import io.paritas.erasure.file.UnitsException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Restores a file from its units. Reads the data units, and parity only where data is missing.
 *
 * @param units the units
 * @param existing a file that has the name of the restored one
 */
record Decoder(UnitSet units, Existing existing) {
    /** Writes the file if all of it can be recovered; otherwise nothing. */
    Reading decode(Path target) throws IOException {
        Path file = target.toAbsolutePath();
        try (UnitReaders readers = new UnitReaders(units);
                PendingFiles output = PendingFiles.in(file.getParent(), existing)) {
            StripeReader reader = new StripeReader(units.group(), readers);
            Pending decoded = output.add(file);
            try {
                decode(reader, decoded);
            } catch (UnitsException e) {
                throw new UnitsException(e.getMessage() + others());
            }
            output.publish(Access.commonTo(List.copyOf(units.files().values())));
            return Reading.of(reader, units);
        }
    }

    /** Units without a name, of which too few others may be left. */
    private String others() {
        return units.temporary().sentencesOfUnits().map("\n  "::concat).collect(Collectors.joining());
    }

    private void decode(StripeReader reader, Pending output) throws IOException {
        UnitGroup group = units.group();
        Erasures data = Erasures.of(IntStream.range(0, group.code().k()).toArray());
        Reconstruction reconstruction = new Reconstruction(group.code().systematicCode());
        StripeBuffer buffer = new StripeBuffer(group);
        try (Progress progress = Progress.of("decode", group.fileLength())) {
            for (long stripe = 0; stripe < group.stripes(); stripe++) {
                reconstruction.obtain(data, stripe, reader, buffer);
                write(stripe, buffer, output);
                progress.advance(group.dataLength(stripe));
            }
        }
    }

    private void write(long stripe, StripeBuffer buffer, Pending output) throws IOException {
        UnitGroup group = units.group();
        for (int unit = 0; unit < group.code().k(); unit++) {
            output.write(buffer.cell(unit, group.dataLength(stripe, unit)));
        }
    }
}
