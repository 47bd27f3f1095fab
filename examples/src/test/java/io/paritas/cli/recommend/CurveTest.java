/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.recommend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.paritas.cli.result.ResultFile;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CurveTest {
    @TempDir
    Path folder;

    @Test
    void aCurveIsReadAndDrawn() throws IOException {
        Path csv = Files.writeString(folder.resolve("coded.csv"), """
                seconds,samples,loss,samples_per_second,event
                1.000,100,0.700000,100.0,
                1.500,,,,"a server is lost: that on executor ""0"", which was killed"
                2.000,100,,0.0,
                2.500,,,,"epoch 1 of 1 is trained"
                3.000,300,0.500000,200.0,
                """);
        Curve curve = Curve.read("coded", csv);
        assertThat(curve.points())
                .containsExactly(
                        new Curve.Point(1, 0.7, 100), new Curve.Point(2, Double.NaN, 0), new Curve.Point(3, 0.5, 200));
        assertThat(curve.marks())
                .containsExactly(new Curve.Event(1.5, "a server is lost: that on executor \"0\", which was killed"));
        Path picture = folder.resolve("timeline.png");
        CurvePlot.write(List.of(curve, new Curve("nothing", List.of(), List.of())), new ResultFile(picture));
        BufferedImage image = ImageIO.read(picture.toFile());
        assertThat(image.getWidth()).isEqualTo(1200);
        assertThat(image.getHeight()).isEqualTo(840);
    }

    @Test
    void anotherFileIsRefused() throws IOException {
        Path csv = Files.writeString(folder.resolve("other.csv"), "a,b\n");
        assertThatIOException()
                .isThrownBy(() -> Curve.read("other", csv))
                .withMessage("a curve must begin with the line seconds,samples,loss,samples_per_second,event, " + csv
                        + " does not");
    }
}
