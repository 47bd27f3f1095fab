/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.imageio.ImageIO;

/** Until it is closed, ImageIO keeps its temporary files in a folder that is not there, as where java.io.tmpdir takes none. */
public final class MissingImageCache implements AutoCloseable {
    /** @param folder in which the missing one is */
    public MissingImageCache(Path folder) throws IOException {
        Path missing = Files.createDirectory(folder.resolve("temporary"));
        ImageIO.setUseCache(true);
        ImageIO.setCacheDirectory(missing.toFile());
        Files.delete(missing);
    }

    @Override
    public void close() {
        ImageIO.setCacheDirectory(null);
    }
}
