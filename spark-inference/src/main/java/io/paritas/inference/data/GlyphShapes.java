/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import java.awt.geom.AffineTransform;
import java.awt.geom.FlatteningPathIterator;
import java.awt.geom.Path2D;
import java.awt.geom.PathIterator;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;
import java.util.stream.Stream;

/**
 * The strokes of the ten digits and the 26 capital letters: paths as in SVG (M move, L line, C cubic curve) in a box of
 * {@link #WIDTH} × {@link #HEIGHT}, y downwards. A slash tells zero from the letter.
 */
final class GlyphShapes {
    static final double WIDTH = 10;
    static final double HEIGHT = 14;

    /** One character for each shape, in lexicographic order. */
    static final String NAMES = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

    /** Largest distance of a chord from its curve. */
    private static final double FLATNESS = 0.05;

    private static final List<Path2D> PATHS = Stream.of(
                    "M 5 0 C 9 0 10 4 10 7 C 10 10 9 14 5 14 C 1 14 0 10 0 7 C 0 4 1 0 5 0 M 8 3 L 2 11",
                    "M 2 3 L 5 0 L 5 14",
                    "M 0 4 C 0 -1 10 -1 10 4 C 10 7 3 10 0 14 L 10 14",
                    "M 0 2 C 3 -2 10 0 9 4 C 8 6 6 6.5 4 6.5 C 8 6.5 10 8 10 10.5 C 10 15 2 15.5 0 12",
                    "M 7 14 L 7 0 L 0 10 L 10 10",
                    "M 9 0 L 1 0 L 0.5 6 C 4 4 10 5 10 9.5 C 10 15 2 15 0 12.5",
                    "M 8 0 C 4 1 0 5 0 9.5 C 0 15.5 10 15.5 10 9.5 C 10 5 2 4 0 9",
                    "M 0 0 L 10 0 L 4 14",
                    "M 5 6.5 C 0 6.5 0 0 5 0 C 10 0 10 6.5 5 6.5 C -1.5 6.5 -1.5 14 5 14 C 11.5 14 11.5 6.5 5 6.5",
                    "M 2 14 C 6 13 10 9 10 4.5 C 10 -1.5 0 -1.5 0 4.5 C 0 9 8 10 10 5",
                    "M 0 14 L 5 0 L 10 14 M 2 9 L 8 9",
                    "M 5 6.5 C 10 6.5 10 0 5 0 L 0 0 L 0 14 L 5 14 C 11 14 11 6.5 5 6.5 L 0 6.5",
                    "M 10 2.5 C 8 -1 0 -1.5 0 7 C 0 15.5 8 15 10 11.5",
                    "M 0 0 L 0 14 L 3 14 C 12.5 14 12.5 0 3 0 L 0 0",
                    "M 10 0 L 0 0 L 0 14 L 10 14 M 0 6.5 L 7 6.5",
                    "M 10 0 L 0 0 L 0 14 M 0 6.5 L 7 6.5",
                    "M 10 2.5 C 8 -1 0 -1.5 0 7 C 0 15.5 9 15 10 12 L 10 8 L 6 8",
                    "M 0 0 L 0 14 M 10 0 L 10 14 M 0 7 L 10 7",
                    "M 2 0 L 8 0 M 5 0 L 5 14 M 2 14 L 8 14",
                    "M 3 0 L 10 0 M 7 0 L 7 10 C 7 15 1 15 0 11",
                    "M 0 0 L 0 14 M 10 0 L 0 8 M 3 6 L 10 14",
                    "M 0 0 L 0 14 L 9 14",
                    "M 0 14 L 0 0 L 5 9 L 10 0 L 10 14",
                    "M 0 14 L 0 0 L 10 14 L 10 0",
                    "M 5 0 C 12 0 12 14 5 14 C -2 14 -2 0 5 0",
                    "M 0 14 L 0 0 L 5 0 C 11 0 11 7.5 5 7.5 L 0 7.5",
                    "M 5 0 C 12 0 12 14 5 14 C -2 14 -2 0 5 0 M 6 10 L 10 14",
                    "M 0 14 L 0 0 L 5 0 C 11 0 11 7.5 5 7.5 L 0 7.5 M 4 7.5 L 10 14",
                    "M 9.5 2.5 C 8 -1 0 -1 0.5 3.5 C 1 7 10 6.5 10 10.5 C 10 15 1 15 0 11.5",
                    "M 0 0 L 10 0 M 5 0 L 5 14",
                    "M 0 0 L 0 9 C 0 15.5 10 15.5 10 9 L 10 0",
                    "M 0 0 L 5 14 L 10 0",
                    "M 0 0 L 2.5 14 L 5 4 L 7.5 14 L 10 0",
                    "M 0 0 L 10 14 M 10 0 L 0 14",
                    "M 0 0 L 5 7 L 10 0 M 5 7 L 5 14",
                    "M 0 0 L 10 0 L 0 14 L 10 14")
            .map(GlyphShapes::path)
            .toList();

    private GlyphShapes() {}

    private static Path2D path(String text) {
        Path2D path = new Path2D.Double();
        try (Scanner in = new Scanner(text)) {
            while (in.hasNext()) {
                switch (in.next()) {
                    case "M" -> path.moveTo(number(in), number(in));
                    case "L" -> path.lineTo(number(in), number(in));
                    case "C" -> path.curveTo(number(in), number(in), number(in), number(in), number(in), number(in));
                    default -> throw new AssertionError(text);
                }
            }
        }
        return path;
    }

    private static double number(Scanner in) {
        return Double.parseDouble(in.next());
    }

    /** The transformed strokes as straight lines: x1, y1, x2, y2 of each. */
    static List<double[]> lines(int glyph, AffineTransform transform) {
        List<double[]> lines = new ArrayList<>();
        double[] to = new double[6];
        double x = 0;
        double y = 0;
        PathIterator path = PATHS.get(glyph).getPathIterator(transform);
        for (var flat = new FlatteningPathIterator(path, FLATNESS); !flat.isDone(); flat.next()) {
            if (flat.currentSegment(to) == PathIterator.SEG_LINETO) {
                lines.add(new double[] {x, y, to[0], to[1]});
            }
            x = to[0];
            y = to[1];
        }
        return lines;
    }
}
