/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import io.paritas.erasure.file.Units;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Map;

/** The open unit files of a directory. */
final class UnitReaders implements Units, Closeable {
    private final Map<Integer, String> lost;
    private final FileChannel[] files;

    UnitReaders(UnitSet units) throws IOException {
        lost = units.lost();
        files = new FileChannel[units.group().code().n()];
        for (var file : units.files().entrySet()) {
            files[file.getKey()] = FileChannel.open(file.getValue());
        }
    }

    @Override
    public Map<Integer, String> lost() {
        return lost;
    }

    @Override
    public ByteBuffer read(int unit, long position, ByteBuffer target) throws IOException {
        return Transfers.read(files[unit], position, target);
    }

    @Override
    public void close() throws IOException {
        for (FileChannel file : files) {
            if (file != null) {
                file.close();
            }
        }
    }
}
