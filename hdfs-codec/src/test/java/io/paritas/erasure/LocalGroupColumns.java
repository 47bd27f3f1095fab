/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Columns (a, b) of the two global rows of a maximally recoverable local reconstruction code, of bounded degree.
 *
 * <p>In the plane over GF(2<sup>8</sup>), let the points of a group be its columns and the origin, which stands for the
 * local parity unit. A group's own parity makes up for one loss in it; what two more losses leave to the global parity can
 * be solved exactly if
 *
 * <ul>
 *   <li>no three points of a group are on a line (three losses in one group),
 *   <li>no line through two points of a group is parallel to one through two points of another group (two losses each),
 *   <li>no line through two points of a group is parallel to an axis (two losses, and a global parity unit).
 * </ul>
 */
final class LocalGroupColumns implements ColumnSet {
    private static final GaloisField FIELD = GaloisField.bytes();

    private record Point(int a, int b) {
        /** The direction of the line through two points: 0 or 256 along an axis, or if the points are the same. */
        int direction(Point other) {
            int x = a ^ other.a;
            int y = b ^ other.b;
            return x == 0 ? 256 : FIELD.multiply(y, FIELD.inverse(x));
        }
    }

    private static final Point ORIGIN = new Point(0, 0);

    private final int groupSize;
    private final int groups;
    private final int[] limits;
    private final Point[] chosen;

    /**
     * @param k how many columns
     * @param groups how many groups they are in
     * @param degrees the highest degree in each global row
     */
    LocalGroupColumns(int k, int groups, int... degrees) {
        groupSize = k / groups;
        this.groups = groups;
        limits = Arrays.stream(degrees).map(degree -> (2 << degree) - 1).toArray();
        chosen = new Point[k];
    }

    @Override
    public int candidates() {
        return limits[0] * limits[1];
    }

    private Point point(int candidate) {
        return new Point(1 + candidate / limits[1], 1 + candidate % limits[1]);
    }

    private int[] directionsFrom(Point point, int group) {
        return points(group).mapToInt(point::direction).toArray();
    }

    private Stream<Point> points(int group) {
        return Stream.concat(
                Stream.of(ORIGIN),
                Arrays.stream(chosen, group * groupSize, (group + 1) * groupSize)
                        .filter(point -> point != null));
    }

    @Override
    public boolean admits(int place, int candidate) {
        int group = place / groupSize;
        int[] mine = directionsFrom(point(candidate), group);
        if (Arrays.stream(mine).anyMatch(direction -> direction == 0 || direction == 256)
                || Arrays.stream(mine).distinct().count() < mine.length) {
            return false;
        }
        return IntStream.range(0, groups)
                .filter(other -> other != group)
                .flatMap(other -> points(other).flatMapToInt(point -> Arrays.stream(directionsFrom(point, other))))
                .noneMatch(direction -> Arrays.stream(mine).anyMatch(d -> d == direction));
    }

    @Override
    public void put(int place, int candidate) {
        chosen[place] = point(candidate);
    }

    @Override
    public void clear(int place) {
        chosen[place] = null;
    }

    @Override
    public int[][] rows(int[] candidates) {
        int[][] rows = new int[limits.length + groups][candidates.length];
        for (int j = 0; j < candidates.length; j++) {
            if (candidates[j] >= 0) {
                rows[0][j] = point(candidates[j]).a();
                rows[1][j] = point(candidates[j]).b();
            }
            rows[2 + j / groupSize][j] = 1;
        }
        return rows;
    }
}
