/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.paritas.cli.MissingImageCache;
import java.awt.Graphics2D;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.knowm.xchart.XYChart;

class ChartsTest {
    @TempDir
    private Path folder;

    /** As where java.io.tmpdir is full. */
    @Test
    void noTemporaryFileIsNeeded() throws Exception {
        try (MissingImageCache none = new MissingImageCache(folder)) {
            Charts.write(Charts.wide("", "x", "y"), new ResultFile(folder.resolve("chart.png")));
        }
        assertThat(folder.resolve("chart.png")).isNotEmptyFile();
    }

    /** As in an image of a container without fontconfig. */
    @Test
    void aJavaWithoutFontsIsNamed() {
        ResultFile file = new ResultFile(folder.resolve("chart.png"));
        XYChart chart = new XYChart(100, 100) {
            @Override
            public void paint(Graphics2D graphics, int width, int height) {
                throw new InternalError("no fonts");
            }
        };

        assertThatIOException()
                .isThrownBy(() -> Charts.write(List.of(Charts.wide("", "x", "y"), chart), file))
                .withMessage("cannot draw " + file + ", because this Java has no fonts: install fontconfig and a font"
                        + " (java.lang.InternalError: no fonts)");
        assertThat(folder).isEmptyDirectory();
    }
}
